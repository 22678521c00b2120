/** What Prometheus reads of a member: counted from its events and its engine's answers, the rest looked up when it is asked for. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { MemberEvent } from "../events/events.ts";
import { version } from "../version.ts";
import type { LeaseEngine } from "./engines/engine.ts";
import type { Counters } from "./net/counters.ts";
import type { World } from "./world.ts";

/** Seconds. */
const FAIL_OVER_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

interface MetricsSetup {
  readonly group: string;
  readonly name: string;
  readonly world: Pick<World, "now">;
  isReady(): boolean;
}

interface MeasuredOffice {
  readonly office: string;
  readonly term: number;
  readonly leader: { readonly mine: boolean; readonly state: string; readonly token: bigint | null } | null;
}

/** What is looked at: a member of `join`. */
export interface Measured {
  readonly facts: { readonly leaseTtl: number | null; readonly profile: string };
  readonly members: readonly { readonly state: string }[];
  readonly counters: Readonly<Counters>;
  leaseLeft(office: string): number;
  status(): {
    readonly quorate: boolean;
    readonly offices: Readonly<Record<string, MeasuredOffice>>;
    readonly engine: { readonly state: string };
  };
}

export class MemberMetrics {
  private readonly registry = new Registry();
  private readonly setup: MetricsSetup;
  private readonly failOvers: FailOvers;
  private readonly elections = this.counter("elections_total", "Terms that any member opened.", ["office"]);
  private readonly changes = this.counter("leader_changes_total", "Times that a member began to lead.", ["office"]);
  private readonly conflicts = this.counter("conflicts_total", "Terms that two members won.", ["office"]);
  private readonly losses = this.counter("lease_losses_total", "Own leases that were lost, not given up.", ["office"]);
  private readonly suspicions = this.counter("suspicions_total", "Times that a member did not answer.");
  private readonly failures = this.counter("member_failures_total", "Times that a member was taken for dead.");
  private readonly stalls = this.counter("stalls_total", "Times that this process was paused, or busy for long.");
  private readonly stalled = this.counter("stall_seconds_total", "Seconds of that in all.");
  private readonly requests: Histogram<"kind" | "outcome">;
  private readonly lapses: Histogram<"office">;

  constructor(setup: MetricsSetup) {
    this.setup = setup;
    collectDefaultMetrics({ register: this.registry });
    this.lapses = new Histogram({
      name: "sortition_failover_seconds",
      help: "Seconds from when this member knew no leader any more until it knew the next one.",
      labelNames: ["office"],
      buckets: FAIL_OVER_BUCKETS,
      registers: [this.registry],
    });
    this.requests = new Histogram({
      name: "sortition_engine_request_seconds",
      help: "Seconds that the lease store took to answer this member.",
      labelNames: ["kind", "outcome"],
      buckets: REQUEST_BUCKETS,
      registers: [this.registry],
    });
    this.failOvers = new FailOvers(setup.world, (office, ms) => this.lapses.observe({ office }, ms / 1000));
  }

  /** In the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  told(event: MemberEvent): void {
    this.failOvers.told(event);
    if (event.event === "term") this.elections.inc({ office: event.office });
    else if (event.event === "leader") this.changes.inc({ office: event.office });
    else if (event.event === "conflict") this.conflicts.inc({ office: event.office });
    else if (event.event === "lapsed") this.losses.inc({ office: event.office });
    else if (event.event === "suspected") this.suspicions.inc();
    else if (event.event === "failed") this.failures.inc();
    else if (event.event === "stalled") {
      this.stalls.inc();
      this.stalled.inc(event.ms / 1000);
    }
  }

  /** An engine whose answers are timed. */
  observed(engine: LeaseEngine): LeaseEngine {
    const { now } = this.setup.world;
    return {
      name: engine.name,
      close: () => engine.close(),
      ...(engine.heard !== undefined && { heard: (said) => engine.heard!(said) }),
      ...(engine.trouble !== undefined && { trouble: engine.trouble }),
      ask: async (request) => {
        const since = now();
        const took = (outcome: string) =>
          this.requests.observe({ kind: request.kind, outcome }, Math.max(0, now() - since) / 1000);
        try {
          const answer = await engine.ask(request);
          took(answer.kind === "failed" ? "failed" : "answered");
          return answer;
        } catch (error) {
          took("failed");
          throw error;
        }
      },
    };
  }

  /** Once there is a member to look at. */
  watch(member: Measured): void {
    const { group, name, isReady } = this.setup;
    const isStrict = member.facts.leaseTtl !== null;
    const mode = isStrict ? "strict" : "probabilistic";
    this.gauge("info", "Which agent this is; always 1.", ["version", "group", "member", "mode", "profile"], (set) =>
      set(1, { version, group, member: name, mode, profile: member.facts.profile }),
    );
    this.gauge("ready", "1 where this agent is part of its group and its lease store answers.", [], (set) =>
      set(Number(isReady())),
    );
    this.gauge("members", "Members that this one knows, itself included.", ["state"], (set) => {
      for (const state of ["alive", "suspected"] as const) {
        set(member.members.filter((each) => each.state === state).length, { state });
      }
    });
    this.gauge("quorate", "1 where this side sees enough members to have a leader.", [], (set) =>
      set(Number(member.status().quorate)),
    );
    this.offices(member, "is_leader", "1 where this member leads.", ({ leader }) => Number(leader?.mine ?? false));
    this.offices(member, "has_leader", "1 where this member knows a leader that can be reached.", ({ leader }) =>
      Number(leader?.state === "live"),
    );
    this.offices(member, "term", "The highest term seen.", ({ term }) => term);
    if (isStrict) this.watchLeases(member);
    // So that the first one of each is a change, and not the beginning of what is counted.
    for (const office of Object.keys(member.status().offices)) {
      for (const metric of [this.elections, this.changes, this.conflicts, this.losses]) metric.inc({ office }, 0);
    }
    this.watchTraffic(member);
  }

  private watchLeases(member: Measured): void {
    this.offices(member, "token", "The fencing token of the leader that this member knows.", ({ leader }) =>
      leader === null || leader.token === null ? null : Number(leader.token),
    );
    this.offices(
      member,
      "lease_remaining_seconds",
      "Until this member's own lease ends unless renewed; 0: none.",
      ({ office }) => member.leaseLeft(office) / 1000,
    );
    this.gauge("engine_up", "1 where the lease store answered last time; missing before it was asked.", [], (set) => {
      const { state } = member.status().engine;
      if (state !== "none") set(Number(state === "answers"));
    });
  }

  private watchTraffic({ counters }: Measured): void {
    const looked = (name: string, help: string, value: () => number) => {
      this.counter(name, help, [], (add) => add(value()));
    };
    looked("datagrams_sent_total", "Datagrams handed to the network.", () => counters.datagrams);
    looked("sent_bytes_total", "Bytes of datagrams handed to the network.", () => counters.bytesSent);
    looked("datagrams_received_total", "Datagrams that came in, acted on or not.", () => counters.received);
    looked("received_bytes_total", "Bytes of datagrams that came in.", () => counters.bytesReceived);
    this.counter("datagrams_dropped_total", "Datagrams and messages that were not acted on.", ["reason"], (add) => {
      for (const [reason, count] of Object.entries(counters.drops)) add(count, { reason });
    });
  }

  private offices(
    member: Measured,
    name: string,
    help: string,
    value: (office: MeasuredOffice) => number | null,
  ): void {
    this.gauge(name, help, ["office"], (set) => {
      for (const office of Object.values(member.status().offices)) {
        const now = value(office);
        if (now !== null) set(now, { office: office.office });
      }
    });
  }

  private gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    look: (set: (value: number, labels?: Record<string, string>) => void) => void,
  ): void {
    const metric: Gauge = new Gauge({
      name: `sortition_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect() {
        metric.reset();
        // What has no labels would be 0 otherwise where nothing is known.
        if (labelNames.length === 0) metric.remove();
        look((value, labels) => (labels === undefined ? metric.set(value) : metric.set(labels, value)));
      },
    });
  }

  /** `look`: where something else counts. */
  private counter(
    name: string,
    help: string,
    labelNames: readonly string[] = [],
    look?: (add: (value: number, labels?: Record<string, string>) => void) => void,
  ): Counter {
    const metric: Counter = new Counter({
      name: `sortition_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      ...(look && {
        collect() {
          metric.reset();
          look((value, labels) => (labels === undefined ? metric.inc(value) : metric.inc(labels, value)));
        },
      }),
    });
    return metric;
  }
}

// How long offices were without a leader, as one member sees it: from the end of a known one to the beginning of the next.

export class FailOvers {
  private readonly world: Pick<World, "now">;
  private readonly over: (office: string, ms: number) => void;
  private readonly leaders = new Map<string, string>();
  private readonly since = new Map<string, number>();

  /** `over`: of each, when the next leader is known. */
  constructor(world: Pick<World, "now">, over: (office: string, ms: number) => void) {
    this.world = world;
    this.over = over;
  }

  told(event: MemberEvent): void {
    if (event.event === "failed" || event.event === "left") {
      for (const [office, leader] of this.leaders) if (leader === event.member) this.gone(office);
    } else if (event.event === "leaderless" || event.event === "unreachable") this.gone(event.office);
    else if (event.event === "leader") this.leads(event.office, event.leader);
  }

  private gone(office: string): void {
    // Before the first one nobody has failed.
    if (this.leaders.delete(office)) this.since.set(office, this.world.now());
  }

  private leads(office: string, leader: string): void {
    const since = this.since.get(office);
    this.since.delete(office);
    this.leaders.set(office, leader);
    if (since !== undefined) this.over(office, this.world.now() - since);
  }
}
