/** One agent as this page knows it: what it said last, when that was, and whether it still answers. */
import * as v from "valibot";
import { AgentClient, type AgentEvent } from "../../src/api/client.ts";
import {
  eventSeen,
  type MemberSeen,
  type MembersAnswer,
  type OfficeSeen,
  ProcessesAnswer,
  type ProcessSeen,
  Self,
  type SelfSeen,
  Status,
} from "./checks.ts";
import { Asleep, isNoAgent, isRefusal, isShut, sentenceOf } from "./failures.ts";
import { EventFollower, type Manner, SILENCE } from "./follow.ts";
import { type Instant, instant, type LeasesSeen, remaining, since } from "./lease.ts";
import { nothingYet, type Story, tell, tellStatus } from "./story.ts";
import { keepToken, keptToken } from "./token.ts";

/** `closed`: the agent answers, but not without its token; `asleep`: nobody has seen this page for a while. */
type Phase = "searching" | "nobody" | "closed" | "live" | "lost" | "asleep";

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
/** Of larger groups all is asked for only where something has happened, and every few seconds. */
const FEW_MEMBERS = 200;
const SELDOM = 5;

export class LiveSession {
  phase = $state<Phase>("searching");
  self = $state.raw<SelfSeen | null>(null);
  offices = $state.raw<readonly OfficeSeen[]>([]);
  members = $state.raw<readonly MemberSeen[]>([]);
  recent = $state.raw<readonly MemberSeen[]>([]);
  story = $state.raw<Story>(nothingYet);
  /** Changes of leader that somebody asked for here, by the agent's clock. */
  planned = $state.raw<readonly { readonly office: string; readonly at: number }[]>([]);
  traffic = $state.raw<readonly Traffic[]>([]);
  /** Of the demo; null if there is none. */
  processes = $state.raw<readonly ProcessSeen[] | null>(null);
  private leases = $state.raw<LeasesSeen | null>(null);
  /** Other tabs of this browser have the streams that there can be. */
  isAsking = $state(false);
  /** Why it is lost, or not let in. */
  why = $state("");
  hasToken = $state(false);
  now = $state.raw<Instant>(instant());
  private heardAt = $state.raw<Instant>(instant());
  /** The agent's clock less this page's. */
  private skew = 0;

  private readonly agent = new AgentClient({ url: null, token: keptToken(), silence: SILENCE });
  private readonly ending = new AbortController();
  private readonly follower = new EventFollower(this.agent, {
    opened: (manner) => this.opened(manner),
    heard: () => this.heard(),
    told: (event) => this.told(event),
    lost: (why) => this.lost(why),
  });
  private counted: { readonly at: Instant; readonly total: NonNullable<SelfSeen["traffic"]> } | null = null;
  private isFollowing = false;
  private isStale = false;
  private isLooking = false;
  private looks = 0;
  /** When the latest event happened, by the agent's clock. */
  private toldAt = 0;

  start(): () => void {
    this.hasToken = this.agent.token !== null;
    void this.find();
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
    this.agent.token = token;
    this.hasToken = token !== null;
    this.follower.interrupt();
    this.follower.again();
    void this.lookAtDemo();
    return true;
  }

  again(): void {
    if (this.isFollowing) this.follower.again();
    else void this.find();
  }

  /** Somebody asks here for a change of leader: what follows is no outage. */
  plan(office: string): void {
    this.planned = [...this.planned.slice(-20), { office, at: this.agentNow }];
  }

  /** A file beside the page says whether an agent has served it: no question is asked of a server that cannot answer it. */
  private async find(): Promise<void> {
    try {
      const response = await fetch("./agent.json", { cache: "no-store" });
      const { agent } = (await response.json()) as { agent?: unknown };
      if (agent === false) {
        this.phase = "nobody";
        return;
      }
    } catch {
      // Nobody answers just now: the follower tries again and again.
    }
    this.phase = "searching";
    this.isFollowing = true;
    void this.follower.run(this.ending.signal);
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

  /** Milliseconds that the holder of an office still has, unless it renews its lease; null where it was not asked. */
  leaseLeft({ office, leader }: OfficeSeen): number | null {
    if (this.leases === null || leader === null) return null;
    return remaining(this.leases, leader.name, office, this.now);
  }

  /** Whether this page can ask a member's own agent: it can give up what it leads. The demo passes such questions on. */
  canAsk(member: string): boolean {
    return member === this.self?.name || this.processes !== null;
  }

  /** Asks the agent to do something; what came of it, in a sentence. Throws what it refuses. */
  async act(path: string, body: unknown, within = 60_000): Promise<unknown> {
    const answer = await this.agent.post(path, body, { within });
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

  private opened(manner: Manner): void {
    this.heard();
    this.why = "";
    this.phase = "live";
    this.isAsking = manner === "asking";
    // All that is kept is told again.
    if (manner === "stream") this.story = nothingYet;
    // Who goes on after its last event is told only what came since.
    else this.isStale = true;
    void this.look();
    void this.lookAtDemo();
  }

  private lost(why: unknown): void {
    this.why = sentenceOf(why);
    this.leases = null;
    this.counted = null;
    if (why instanceof Asleep) this.phase = "asleep";
    else if (isNoAgent(why)) this.phase = this.self === null ? "nobody" : "lost";
    else if (isShut(why)) this.phase = "closed";
    else if (this.self !== null || this.phase !== "searching") this.phase = "lost";
  }

  private told({ event, data }: AgentEvent): void {
    if (event === "status") {
      const status = v.safeParse(Status, data);
      if (!status.success) this.misunderstood();
      else {
        this.stated(status.output);
        this.story = tellStatus(this.story, this.offices, this.agentNow);
      }
      return;
    }
    const seen = eventSeen(data);
    if (seen === null) {
      this.misunderstood();
      return;
    }
    this.story = tell(this.story, event, seen);
    this.toldAt = Math.max(this.toldAt, seen.at);
    this.isStale = true;
    void this.look();
  }

  /** All of one moment. */
  private stated({ at, self, offices, members }: v.InferOutput<typeof Status>): void {
    if (at !== null) this.skew = at - Date.now();
    this.self = self;
    this.offices = offices;
    this.surround(members);
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

  /** Asks how it is; all of it where something has happened. Nothing that is asked makes the agent promise anything. */
  private async look(): Promise<void> {
    if (this.phase !== "live" || this.isLooking) return;
    this.isLooking = true;
    const within = PATIENCE;
    try {
      const asked = instant();
      const isTime = this.looks++ % SELDOM === 0 || this.members.length <= FEW_MEMBERS;
      if (this.isStale || isTime) {
        this.isStale = false;
        this.looked(v.parse(Status, await this.agent.get("/v1/status", { within })), asked);
      } else this.seen(v.parse(Self, await this.agent.get("/v1/self", { within })), asked);
      if (this.processes !== null) await this.lookAtDemo();
    } catch (error) {
      if (error instanceof v.ValiError) this.misunderstood();
      else if (!isRefusal(error)) this.follower.interrupt();
    } finally {
      this.isLooking = false;
      if (this.isStale) setTimeout(() => void this.look(), 100);
    }
  }

  private looked(status: v.InferOutput<typeof Status>, asked: Instant): void {
    // An event has overtaken this answer; the next one is taken as it is.
    if (status.at !== null && status.at < this.toldAt) {
      this.isStale = true;
      this.toldAt = 0;
    } else {
      this.stated(status);
      if (this.isAsking) this.story = tellStatus(this.story, this.offices, this.agentNow);
    }
    this.seen(status.self, asked);
  }

  private seen(self: SelfSeen, asked: Instant): void {
    this.heard();
    this.self = self;
    if (this.processes === null) this.leases = { holder: self.name, asked, of: self.leads };
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
    if (this.agent.token === null) return;
    try {
      const answer = await this.agent.get("/demo/processes", { within: PATIENCE });
      this.processes = v.parse(ProcessesAnswer, answer).processes;
    } catch {
      // An agent that is no part of a demo knows of no processes.
      return;
    }
    const asked = instant();
    try {
      const { name, leads } = v.parse(Self, await this.agent.get("/demo/leader", { within: PATIENCE }));
      this.leases = { holder: name, asked, of: leads };
    } catch {
      // Nobody leads, or the leader is paused: what was last known of its lease runs out.
    }
  }
}
