/** Who is there: workers tell of themselves, submitters of what they want, and whoever cannot take part learns why. */
import { count } from "../../protocols/narration/words.ts";
import { decode, encode } from "../../wire/codec.ts";
import type { Nats } from "./connect.ts";
import { CATALOGUE, SAID, type WorkerNeeds } from "./subjects.ts";

/** Milliseconds between words of one's presence, and after which somebody silent is taken to be gone. */
export const SAY_EVERY = 1000;
const GONE_AFTER = 5000;
/** Milliseconds without any worker after which that is said. */
const ALONE_AFTER = 2000;

export interface Presence {
  readonly worker: string;
  readonly host: string;
  readonly threads: number;
  readonly build: string;
  /** Of its protocol files. */
  readonly codes: readonly string[];
  /** What keeps it from storing what it found, or from asking for more; null where nothing does. */
  readonly trouble: string | null;
}

export interface WantedWorker extends WorkerNeeds {
  readonly id: string;
  readonly protocol: string;
}

/** Why such a worker cannot take part, or null. */
export function unfit({ build, codes }: Pick<Presence, "build" | "codes">, wanted: WantedWorker): string | null {
  if (build !== wanted.build)
    return `its build is ${build}, and the campaign's is ${wanted.build}: install the same on both`;
  if (wanted.code === CATALOGUE || codes.includes(wanted.code)) return null;
  return `it has no protocol file with the code ${wanted.code} (${wanted.protocol}): start it with --protocol-file and the same file`;
}

export class Roster {
  private readonly nats: Nats;
  private readonly tell: (line: string) => void;
  private readonly present = new Map<string, { readonly who: Presence; readonly at: number }>();
  private readonly refused = new Set<string>();
  /** Those of whom it was said that they take part, and what troubles were said. */
  private readonly named = new Set<string>();
  private readonly troubled = new Map<string, string>();
  private readonly timer: NodeJS.Timeout;
  private campaign: WantedWorker | null = null;
  private since = 0;
  private isAlone = false;

  constructor(nats: Nats, tell: (line: string) => void) {
    this.nats = nats;
    this.tell = tell;
    nats.nc.subscribe(SAID.worker, { callback: (_, { data }) => this.heard(data) });
    this.timer = setInterval(() => this.say(), SAY_EVERY);
  }

  /** Threads of the workers that can take part. */
  get threads(): number {
    const now = performance.now();
    let threads = 0;
    for (const { who, at } of this.present.values()) {
      if (now - at < GONE_AFTER && this.campaign !== null && unfit(who, this.campaign) === null) threads += who.threads;
    }
    return Math.max(1, threads);
  }

  /** What keeps some worker from going on, or null. */
  get trouble(): string | null {
    for (const { who } of this.present.values())
      if (who.trouble !== null && this.campaign !== null && unfit(who, this.campaign) === null)
        return `worker ${who.worker} cannot go on: ${who.trouble}`;
    return null;
  }

  wanted(campaign: WantedWorker | null): void {
    this.campaign = campaign;
    this.since = performance.now();
    this.say();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private say(): void {
    const { campaign, nats } = this;
    if (campaign === null || nats.nc.isClosed()) return;
    nats.nc.publish(SAID.wanted, encode(campaign));
    const now = performance.now();
    for (const [name, { at }] of this.present) {
      if (now - at < GONE_AFTER) continue;
      this.present.delete(name);
      // Where the server is gone everybody is silent, and that is said already.
      if (this.named.delete(name) && nats.troubles.isConnected) this.tell(`worker ${name} is not heard any more`);
    }
    const able = [...this.present.values()].some(({ who }) => unfit(who, campaign) === null);
    if (!able && !this.isAlone && now - this.since > ALONE_AFTER) {
      this.isAlone = true;
      const file = campaign.code === CATALOGUE ? "" : " --protocol-file FILE";
      this.tell(
        `no worker takes part: start some with "sortition worker --nats ${nats.place}${file}"; this waits for them`,
      );
    }
    if (able && this.isAlone) this.isAlone = false;
  }

  private heard(data: Uint8Array): void {
    const who = presenceOf(data);
    if (who === null) return;
    this.present.set(who.worker, { who, at: performance.now() });
    if (this.campaign === null) return;
    const why = unfit(who, this.campaign);
    if (why === null) this.name(who);
    if (why === null || this.refused.has(`${who.worker} ${this.campaign.id}`)) return;
    this.refused.add(`${who.worker} ${this.campaign.id}`);
    this.tell(`worker ${who.worker} on ${who.host} cannot take part: ${why}`);
  }

  private name({ worker, threads, trouble }: Presence): void {
    if (!this.named.has(worker)) this.tell(`worker ${worker} takes part with ${count(threads, "thread")}`);
    this.named.add(worker);
    if (trouble !== null && this.troubled.get(worker) !== trouble)
      this.tell(`worker ${worker} cannot go on: ${trouble}`);
    if (trouble === null) this.troubled.delete(worker);
    else this.troubled.set(worker, trouble);
  }
}

/** Anybody may say anything there. */
function presenceOf(data: Uint8Array): Presence | null {
  try {
    const who = decode(data) as Presence;
    const isOne =
      [who.worker, who.host, who.build].every((text) => typeof text === "string" && /^[\w.-]{1,255}$/.test(text)) &&
      Number.isSafeInteger(who.threads) &&
      Array.isArray(who.codes) &&
      (who.trouble === null || (typeof who.trouble === "string" && /^[\x20-\x7e]{1,500}$/.test(who.trouble)));
    return isOne ? who : null;
  } catch {
    return null;
  }
}
