/**
 * Leases in NATS JetStream 2.9 or newer. All rows of a group are one message, which a member replaces by naming the sequence of the
 * one that it read. Some versions are reported to lose what they acknowledged in a power failure: then the token protects.
 */
import { type Nats, openNats } from "../../campaign/nats/connect.ts";
import type { EngineOptions, LeaseEngine, Limit } from "./engine.ts";
import { parametersOf, tlsIn } from "./http.ts";
import { rowsInOneValue, type StoredValue, type ValuePart, type ValueStore } from "./one-value.ts";
import { type RowStore, rowEngine } from "./row-engine.ts";

const STREAM = "SORTITION_LEASES";
/** The server's codes of a wrong last sequence: where it tells the right one, and where it cannot. */
const WRONG_SEQUENCE: readonly unknown[] = [10_071, 10_164];

export const openNatsLeases = (address: string, options: EngineOptions): Promise<LeaseEngine> =>
  rowEngine(natsRows(address, options), options);

export function natsRows(address: string, options: Pick<EngineOptions, "group" | "migrate">): RowStore {
  return rowsInOneValue(new NatsValue(address, options));
}

interface Opened {
  readonly nats: Nats;
  /** When the stream was made: another one knows nothing of older leases. Null: there is none, and who only looks makes none. */
  readonly incarnation: string | null;
}

class NatsValue implements ValueStore {
  readonly name: string;
  private readonly url: string;
  /** A file of certificates. */
  private readonly ca: string | undefined;
  private readonly group: string;
  private readonly migrate: boolean;
  private opened: Promise<Opened> | null = null;

  constructor(address: string, { group, migrate }: Pick<EngineOptions, "group" | "migrate">) {
    const [url, query = ""] = address.split("?");
    const given = parametersOf(query, ["ca"], "NATS");
    // Who names a file that cannot be read is told at the start.
    tlsIn(given);
    this.url = url;
    this.ca = given.get("ca");
    this.name = url.replace(/\/\/[^/@]*@/, "//");
    this.group = group;
    this.migrate = migrate;
  }

  async read(part: ValuePart, { signal }: Limit): Promise<StoredValue> {
    const { nats, incarnation } = await this.open();
    signal.throwIfAborted();
    if (incarnation === null) {
      // Somebody may make it meanwhile.
      this.drop();
      return { text: null, version: "", incarnation: "", revision: null, now: null, forgets: false };
    }
    const message = await nats.jsm.streams
      .getMessage(STREAM, { last_by_subj: this.subject(part) })
      .catch((error: Error) => {
        if (!/stream not found/.test(error.message)) throw error;
        // Somebody has removed it: the next request makes it anew, and looks at its age.
        this.drop();
        throw new Error("the stream of leases is gone: it is made anew, and nobody gets a lease for one TTL");
      });
    const sequence = message?.seq ?? 0;
    return {
      text: message?.string() ?? null,
      version: String(sequence),
      incarnation,
      revision: sequence,
      now: null,
      forgets: false,
    };
  }

  async replace(part: ValuePart, text: string, { version }: StoredValue): Promise<number | null> {
    if (version === "") throw new Error(`there is no stream ${STREAM}, and this process must not make it`);
    const { nats } = await this.open();
    try {
      const expect = { lastSubjectSequence: Number(version) };
      // Sent once: a second copy would be refused, though the first has passed.
      return (await nats.js.publish(this.subject(part), text, { expect, retries: 0 })).seq;
    } catch (error) {
      if (WRONG_SEQUENCE.includes((error as { readonly code?: unknown }).code)) return null;
      throw error;
    }
  }

  async close(): Promise<void> {
    this.drop();
  }

  /** No name of a group has a zero byte. */
  private subject(part: ValuePart): string {
    const name = part === "" ? this.group : `${this.group}\0${part}`;
    return `sortition.leases.${Buffer.from(name).toString("base64url")}`;
  }

  private open(): Promise<Opened> {
    this.opened ??= this.connected().catch((error: Error) => {
      this.opened = null;
      throw new Error(error.message);
    });
    return this.opened;
  }

  private async connected(): Promise<Opened> {
    const nats = await openNats({ url: this.url, ca: this.ca });
    const { streams } = nats.jsm;
    const settings = { name: STREAM, subjects: ["sortition.leases.*"], max_msgs_per_subject: 1, deny_purge: true };
    try {
      const info = await streams.info(STREAM).catch(async (error: Error) => {
        if (!/stream not found/.test(error.message)) throw error;
        return this.migrate ? streams.add(settings) : null;
      });
      return { nats, incarnation: info === null ? null : String(info.created) };
    } catch (error) {
      await nats.nc.close();
      throw error;
    }
  }

  private drop(): void {
    const { opened } = this;
    this.opened = null;
    void opened?.then(({ nats }) => nats.nc.close()).catch(() => {});
  }
}
