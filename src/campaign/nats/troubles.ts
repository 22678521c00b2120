/** What stands in the way of a campaign at the server, in words for people: said once it lasts, and once when it is over. */
import type { NatsConnection } from "@nats-io/transport-node";
import { InputError } from "../../errors.ts";

/** Milliseconds that something lasts before it is said, and before the same is said again. */
const SAY_AFTER = 3000;
const SAY_AGAIN = 60_000;

/** `wait`: it may be over by itself, and is waited for without limit. */
interface Trouble {
  readonly words: string;
  readonly wait: boolean;
}

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/not enabled|no responders|503/i, 'has no JetStream now: start it with "nats-server -js"'],
  [
    /insufficient|resource|maximum bytes|no space|limits? exceeded/i,
    "has no room to store more: give it a larger max_file_store, or make room on its disk",
  ],
  [/permission|authorization/i, "does not let this user do that"],
];

/** Why a campaign ends that can be gone on with. */
export class Resumable extends InputError {
  constructor(why: string) {
    super(`${why}; when that is mended, the same command with --resume goes on`);
  }
}

export class Troubles {
  private readonly nc: NatsConnection;
  private readonly place: string;
  private readonly tell: (line: string) => void;
  private readonly patience: number;
  private readonly said = new Map<string, number>();
  private readonly lasting = new Map<object, Trouble>();
  isConnected = true;
  /** How often the connection was made again: what was known of the server before may be untrue. */
  epoch = 0;

  /** `patience`: milliseconds after which something that does not pass by itself ends the campaign. */
  constructor(nc: NatsConnection, place: string, tell: (line: string) => void, patience: number) {
    this.nc = nc;
    this.place = place;
    this.tell = tell;
    this.patience = patience;
    void this.watch();
  }

  /** What lasts now, or null. */
  get words(): string | null {
    for (const { words } of this.lasting.values()) return `NATS at ${this.place} ${words}`;
    return null;
  }

  /** `asking`: whoever has met it since so many milliseconds. Throws when it has lasted too long. */
  met(asking: object, error: Error, since: number): void {
    if (this.nc.isClosed()) throw new InputError(`the connection to NATS at ${this.place} was closed for good`);
    const trouble = this.troubleOf(error);
    if (since < SAY_AFTER) return;
    this.lasting.set(asking, trouble);
    if (!trouble.wait && since > this.patience) {
      throw new Resumable(`NATS at ${this.place} ${trouble.words}`);
    }
    const now = performance.now();
    if (now - (this.said.get(trouble.words) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN) return;
    this.said.set(trouble.words, now);
    this.tell(`NATS at ${this.place} ${trouble.words}; this waits for it`);
  }

  /** `isDone`: or nobody asks any more. */
  over(asking: object, isDone: boolean): void {
    if (!this.lasting.delete(asking) || this.lasting.size > 0 || !isDone) return;
    this.said.clear();
    this.tell(`NATS at ${this.place} does again what it is asked`);
  }

  private troubleOf(error: Error): Trouble {
    if (!this.isConnected) return { words: "is gone", wait: true };
    const cause = error.cause instanceof Error ? `${error.cause.name} ${error.cause.message}` : "";
    const text = `${error.name} ${error.message} ${cause}`;
    if (error.message.includes("max_payload of")) return { words: `cannot be used: ${error.message}`, wait: false };
    const known = REFUSALS.find(([pattern]) => pattern.test(text));
    if (known !== undefined) return { words: known[1], wait: false };
    if (/timeout|heartbeat/i.test(text)) return { words: "does not answer", wait: true };
    return { words: `refuses: ${error.message}`, wait: false };
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.nc.status()) {
      if (type === "disconnect") this.isConnected = false;
      if (type !== "reconnect") continue;
      this.isConnected = true;
      this.epoch++;
    }
  }
}
