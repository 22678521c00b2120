/** One agent as this page knows it: what it said last, when that was, and whether it still answers. */
import * as v from "valibot";
import { Api, NoAgent, Refusal } from "./api.ts";
import {
  type MemberSeen,
  MembersAnswer,
  Office,
  type OfficeSeen,
  ProcessesAnswer,
  type ProcessSeen,
  Self,
  type SelfSeen,
  Status,
} from "./checks.ts";
import type { ServerEvent } from "./events.ts";
import { EventFollower } from "./follow.ts";
import { type Instant, instant, type Promised, remaining, since } from "./lease.ts";
import { nothingYet, type Story, Told, tell, tellStatus } from "./story.ts";
import { keepToken, keptToken } from "./token.ts";

/** `closed`: the agent answers, but not without its token. */
export type Phase = "searching" | "nobody" | "closed" | "live" | "lost";

/** Datagrams and bytes a second, from one look to the next. */
export interface Traffic {
  readonly sent: number;
  readonly received: number;
  readonly bytes: number;
}

const LOOK = 1000;
const QUIET = 2000;
/** An agent that has not answered for so long is lost, whatever the stream says. */
const PATIENCE = 2500;
const MOST_SAMPLES = 120;

export class LiveSession {
  phase = $state<Phase>("searching");
  self = $state.raw<SelfSeen | null>(null);
  offices = $state.raw<readonly OfficeSeen[]>([]);
  members = $state.raw<readonly MemberSeen[]>([]);
  recent = $state.raw<readonly MemberSeen[]>([]);
  story = $state.raw<Story>(nothingYet);
  traffic = $state.raw<readonly Traffic[]>([]);
  /** Of the demo; null where there is none. */
  processes = $state.raw<readonly ProcessSeen[] | null>(null);
  private promised = $state.raw<Promised | null>(null);
  /** The office that is looked at, whose lease is asked for each time; null: the first. */
  wanted: string | null = null;
  /** Why it is lost, or not let in. */
  why = $state("");
  hasToken = $state(false);
  now = $state.raw<Instant>(instant());
  private heardAt = $state.raw<Instant>(instant());
  /** The agent's clock less this page's. */
  private skew = 0;

  private readonly api = new Api(keptToken());
  private readonly ending = new AbortController();
  private readonly follower = new EventFollower(this.api, {
    opened: () => this.opened(),
    heard: () => this.heard(),
    told: (event) => this.told(event),
    lost: (why, retryMs) => this.lost(why, retryMs),
  });
  private counted: { readonly at: Instant; readonly total: NonNullable<SelfSeen["traffic"]> } | null = null;
  private isStale = false;
  private isLooking = false;
  private isAskingOffice = false;

  start(): () => void {
    this.hasToken = this.api.token !== null;
    void this.follower.run(this.ending.signal);
    const looks = setInterval(() => void this.look(), LOOK);
    const ticks = setInterval(() => this.tick(), 100);
    return () => {
      this.ending.abort();
      clearInterval(looks);
      clearInterval(ticks);
    };
  }

  useToken(token: string | null): boolean {
    if (!keepToken(token)) return false;
    this.api.token = token;
    this.hasToken = token !== null;
    this.follower.interrupt();
    this.follower.again();
    void this.lookAtDemo();
    return true;
  }

  again(): void {
    this.follower.again();
  }

  /** Milliseconds since anything came. */
  get silentFor(): number {
    return since(this.heardAt, this.now);
  }

  /** It should have answered by now: what is shown may be over. */
  get isQuiet(): boolean {
    return this.phase === "live" && this.silentFor > QUIET;
  }

  /** Now, by the agent's clock. */
  get agentNow(): number {
    return this.now.wall + this.skew;
  }

  /** When anything was heard, by the agent's clock. */
  get agentHeard(): number {
    return this.heardAt.wall + this.skew;
  }

  /** Milliseconds that the holder of an office has promised; null where nobody has. */
  leaseLeft(office: OfficeSeen): number | null {
    const { promised } = this;
    if (promised?.office !== office.office || promised.holder !== office.leader?.name) return null;
    return remaining(promised, this.now);
  }

  /** Whether this page can ask a member's own agent: it can give up what it leads. The demo passes such questions on. */
  canAsk(member: string): boolean {
    return member === this.self?.name || this.processes !== null;
  }

  /** Asks the agent to do something; what came of it, in a sentence. Throws what it refuses. */
  async act(path: string, body: unknown, within = 60_000): Promise<unknown> {
    const answer = await this.api.ask(path, { method: "POST", body, within });
    this.isStale = true;
    void this.look();
    return answer;
  }

  private tick(): void {
    this.now = instant();
  }

  private heard(): void {
    this.heardAt = instant();
    this.now = this.heardAt;
  }

  private opened(): void {
    this.heard();
    this.why = "";
    this.phase = "live";
    // Who goes on after its last event is told only what came since.
    this.isStale = this.self !== null;
    void this.look();
    void this.lookAtDemo();
  }

  private lost(why: unknown, retryMs: number | null): void {
    // Browsers have words of their own for a network that fails.
    this.why = why instanceof TypeError ? "Nobody answers at this address." : why instanceof Error ? why.message : "";
    this.promised = null;
    this.counted = null;
    if (why instanceof NoAgent) this.phase = this.self === null ? "nobody" : "lost";
    else if (why instanceof Refusal && retryMs === null) this.phase = "closed";
    else if (this.self !== null || this.phase !== "searching") this.phase = "lost";
  }

  private told({ event, data }: ServerEvent): void {
    const json = parsed(data);
    if (event === "status") {
      this.stated(json);
      return;
    }
    const { success, output } = v.safeParse(Told, json);
    if (!success) return;
    this.story = tell(this.story, event, output);
    this.isStale = true;
    void this.look();
  }

  private stated(json: unknown): void {
    const { success, output } = v.safeParse(Status, json);
    if (!success) {
      this.misunderstood();
      return;
    }
    const { self, offices, members: around } = output;
    const at = v.safeParse(v.object({ at: Told.entries.at }), json);
    if (at.success) this.skew = at.output.at - Date.now();
    this.self = self;
    this.offices = offices;
    this.surround(around);
    this.story = tellStatus(this.story, offices, this.agentNow);
  }

  /** Who has failed is shown where it was. */
  private surround({ members, recent }: v.InferOutput<typeof MembersAnswer>): void {
    const known = new Map([...this.recent, ...this.members].map((one) => [one.name, one.zone]));
    this.recent = recent.map((one) => ({ ...one, zone: one.zone || (known.get(one.name) ?? "") }));
    this.members = members;
  }

  private misunderstood(): void {
    this.why = "What this agent says is not understood by this page: they may be of different versions.";
  }

  /** Asks how it is; more where something has happened. */
  private async look(): Promise<void> {
    if (this.phase !== "live" || this.isLooking) return;
    this.isLooking = true;
    const within = PATIENCE;
    try {
      const wasStale = this.isStale;
      this.isStale = false;
      const asked = instant();
      void this.lookAtOffice();
      this.seen(v.parse(Self, await this.api.ask("/v1/self", { within })), asked);
      if (wasStale) await this.lookAround();
      if (this.processes !== null) await this.lookAtDemo();
    } catch (error) {
      if (error instanceof v.ValiError) this.misunderstood();
      else if (!(error instanceof Refusal)) this.follower.interrupt();
    } finally {
      this.isLooking = false;
      if (this.isStale) setTimeout(() => void this.look(), 100);
    }
  }

  /** Whether its leader is still known to be there, and what it promises. Without an answer the last promise runs out. */
  private async lookAtOffice(): Promise<void> {
    const first = this.offices[0]?.office;
    const name = this.wanted ?? first;
    if (name === undefined || this.isAskingOffice) return;
    this.isAskingOffice = true;
    const asked = instant();
    try {
      // The demo passes that on to the leader, who alone can promise anything.
      const path = name === first && this.processes !== null ? "/v1/leader" : officePath(name);
      const office = v.parse(Office, await this.api.ask(path, { within: PATIENCE }));
      this.offices = this.offices.map((one) => (one.office === office.office ? office : one));
      const { validForMs, leader } = office;
      if (validForMs > 0 && leader !== null) this.promised = { office: name, holder: leader.name, validForMs, asked };
    } catch {
      // Whether the agent itself answers is found out elsewhere.
    }
    this.isAskingOffice = false;
  }

  private async lookAround(): Promise<void> {
    const within = PATIENCE;
    const [members, ...offices] = await Promise.all([
      this.api.ask("/v1/members", { within }),
      ...this.offices.map(({ office }) => this.api.ask(officePath(office), { within })),
    ]);
    this.surround(v.parse(MembersAnswer, members));
    this.offices = v.parse(Status.entries.offices, offices);
  }

  private seen(self: SelfSeen, asked: Instant): void {
    this.heard();
    this.self = self;
    const total = self.traffic;
    if (total === null) return;
    const before = this.counted;
    this.counted = { at: asked, total };
    // An agent that was started again, or another one behind the same address, counts from its own start.
    if (before === null || total.datagramsSent < before.total.datagramsSent) return;
    const seconds = since(before.at, asked) / 1000;
    if (seconds < 0.2) return;
    const sample: Traffic = {
      sent: (total.datagramsSent - before.total.datagramsSent) / seconds,
      received: Math.max(0, total.datagramsReceived - before.total.datagramsReceived) / seconds,
      bytes: Math.max(0, total.bytesSent - before.total.bytesSent) / seconds,
    };
    this.traffic = [...this.traffic.slice(1 - MOST_SAMPLES), sample];
  }

  private async lookAtDemo(): Promise<void> {
    if (this.api.token === null) return;
    try {
      const answer = await this.api.ask("/demo/processes", { within: PATIENCE });
      this.processes = v.parse(ProcessesAnswer, answer).processes;
    } catch {
      // An agent that is no part of a demo knows of no processes.
    }
  }
}

const officePath = (name: string): string => `/v1/offices/${encodeURIComponent(name)}`;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
