/**
 * The watch alone, on the events host: members whose membership is an oracle (who lives, with which life, and what a test
 * says of it), holders named by the test, and rumours that everybody passes on. Time is in milliseconds.
 */

import * as councils from "../../src/elector/council/councils.ts";
import {
  isCouncilMessage,
  isWatchMessage,
  type SeatMessage,
  type WatchMessage,
} from "../../src/elector/council/messages.ts";
import { WATCH_PROFILES, type WatchProfile } from "../../src/elector/watch/profiles.ts";
import {
  expire,
  heard,
  hold,
  invitation,
  invited,
  leave,
  openWatch,
  receive,
  release,
  takeDeclared,
  takeReturned,
  type WatchCompany,
  type WatchState,
  type WatchTimer,
} from "../../src/elector/watch/watch.ts";
import { runEvents } from "../../src/host/events.ts";
import { type FaultPlan, NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { Observer } from "../../src/host/observer.ts";
import type { EventsSetup } from "../../src/host/setup.ts";
import type { Context, Machine } from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import { open } from "../../src/topology/topology.ts";
import { encodedSize } from "../../src/wire/codec.ts";

type Message =
  | WatchMessage
  | { readonly kind: "note"; readonly key: string; readonly number: number; readonly value: unknown }
  /** As a claim does. */
  | { readonly kind: "claim"; readonly invitation: unknown }
  /** Something of somebody, as a probe of the membership. */
  | { readonly kind: "probe"; readonly from: number }
  /** Commands. */
  | { readonly kind: "hold" }
  | { readonly kind: "release" }
  | { readonly kind: "keep"; readonly office: string; readonly L: number; readonly U: number }
  | { readonly kind: "give-up"; readonly office: string }
  /** Of the council of an office. */
  | { readonly kind: "council"; readonly message: SeatMessage };

export interface Watched {
  readonly name: string;
  readonly life: number;
  readonly watch: WatchState;
  readonly councils: councils.CouncilsState;
  readonly notes: Record<string, number>;
}

/** What the membership says: by name, the present life and whether it is taken to live. */
export interface Oracle {
  readonly members: Map<string, { life: number; live: boolean }>;
}

export interface Verdict {
  readonly at: number;
  readonly by: string;
  readonly what: "declared" | "returned";
  readonly name: string;
  readonly life: number;
}

export interface Scene {
  readonly n: number;
  readonly until: number;
  /** Nodes that hold an office from 0 on. */
  readonly holders?: readonly number[];
  readonly faults?: Partial<FaultPlan>;
  readonly profile?: WatchProfile;
  readonly delay?: EventsSetup["delay"];
  readonly seed?: number;
  /** Milliseconds after a crash at which the membership says so; missing: never. */
  readonly detection?: number;
  /** Every member probes somebody so often, at random; missing: nobody says anything but the watch. */
  readonly probes?: number;
  /** After every handler. */
  readonly look?: (time: number, node: number, state: Watched, company: WatchCompany) => void;
}

export interface Seen {
  readonly verdicts: readonly Verdict[];
  readonly states: readonly (Watched | undefined)[];
  readonly oracle: Oracle;
  /** Bytes of the watch, sealed, and how many datagrams, by sender. */
  readonly bytes: readonly number[];
  readonly datagrams: number;
  /** Of councils of offices, all together. */
  readonly councilBytes: number;
  /** Messages of the watch by kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** What a datagram adds to a message: header, tag and counter, and the sender's address in IPv4. */
export const SEALING = 31 + 7;

const nameOf = (node: number | string) => `m${node}`;

export function watched(scene: Scene): Seen {
  const { n, until, holders = [0], faults = {}, profile = WATCH_PROFILES.lan, seed = 1, detection, probes } = scene;
  const oracle: Oracle = { members: new Map() };
  const byLife = new Map<number, string>();
  let living = 0;
  const bury = (name: string) => {
    const member = oracle.members.get(name)!;
    if (member.live) living--;
    member.live = false;
  };

  const company = (state: Watched, ctx: Context<Message, string>): WatchCompany => ({
    name: state.name,
    life: state.life,
    profile,
    size: () => living,
    isLive: (name, life) => {
      const member = oracle.members.get(name);
      return member?.live === true && member.life === life;
    },
    nameOf: (life) => {
      const name = byLife.get(life);
      return name !== undefined && oracle.members.get(name)!.live ? name : null;
    },
    lifeOf: (name) => oracle.members.get(name)?.life ?? null,
    portTo: (name) => (oracle.members.get(name)?.live ? ctx.link(name.slice(1)) : null),
    send: (port, message) => ctx.send(port, message),
    publish: (key, number, value) => {
      state.notes[key] = number;
      toAll(state, ctx, { kind: "note", key, number, value });
    },
    noted: (key) => state.notes[key] ?? 0,
    arm: (timer, after) => ctx.arm(timer, after),
    deadline: (timer, after) => ctx.deadline(timer, after),
    disarm: (timer) => ctx.disarm(timer),
    choose: (k) => ctx.choose(k),
    coin: (p) => ctx.coin(p),
  });

  const councilCompany = (state: Watched, ctx: Context<Message, string>): councils.CouncilCompany => ({
    ...company(state, ctx),
    tick: 2000,
    send: (port, message) => ctx.send(port, { kind: "council", message }),
    arm: (timer, after) => ctx.arm(timer, after),
  });

  const toAll = (state: Watched, ctx: Context<Message, string>, message: Message) => {
    for (const [name, { live }] of oracle.members) {
      if (live && name !== state.name) ctx.send(ctx.link(name.slice(1)), message);
    }
  };

  const begin = (state: Watched, ctx: Context<Message, string>) => {
    hold(state.watch, company(state, ctx));
    toAll(state, ctx, { kind: "claim", invitation: invitation(state.watch) });
  };

  const machine: Machine<null, Watched, Message, string> = {
    name: "watched",
    assumes: {
      topology: "open",
      identity: "anonymous",
      timing: "partial",
      start: "common",
      knows: [],
      fifo: false,
      multicast: false,
      tolerates: ["loss", "crash", "pause", "partition"],
    },
    init(_params, { life }, _saved, ctx) {
      const node = ctx.address(-1);
      const state: Watched = {
        name: nameOf(node),
        life,
        watch: openWatch(),
        councils: councils.openCouncils(),
        notes: {},
      };
      if (!oracle.members.get(state.name)?.live) living++;
      oracle.members.set(state.name, { life, live: true });
      byLife.set(life, state.name);
      // At 1, when everybody has started.
      if (holders.includes(Number(node))) ctx.arm("begin", 1);
      if (probes !== undefined) ctx.arm("probe", probes, 2 * probes);
      return state;
    },
    receive(state, port, message, ctx) {
      const around = company(state, ctx);
      if (isWatchMessage(message)) receive(state.watch, port, message, around);
      else if (message.kind === "hold") begin(state, ctx);
      else if (message.kind === "release") release(state.watch, around);
      else if (message.kind === "claim") invited(state.watch, message.invitation, around);
      else if (message.kind === "keep") {
        councils.keepCouncil(state.councils, message.office, message, councilCompany(state, ctx));
      } else if (message.kind === "give-up") {
        councils.closeCouncil(state.councils, message.office, councilCompany(state, ctx));
      } else if (message.kind === "council") {
        councils.receive(state.councils, port, message.message, councilCompany(state, ctx));
      } else if (message.kind === "probe") heard(state.watch, message.from, around);
      else if (message.number > (state.notes[message.key] ?? 0)) {
        state.notes[message.key] = message.number;
        for (let i = 0; i < 3; i++) {
          const target = String(ctx.choose(n));
          if (nameOf(target) !== state.name) ctx.send(ctx.link(target), message);
        }
        if (councils.isCouncilNote(message.key)) {
          councils.hearNote(state.councils, message.value, () => true, councilCompany(state, ctx));
        } else invited(state.watch, message.value, around);
      }
    },
    expire(state, timer, ctx) {
      if (timer === "begin") begin(state, ctx);
      else if (timer === "probe") {
        const target = String(ctx.choose(n));
        if (nameOf(target) !== state.name) ctx.send(ctx.link(target), { kind: "probe", from: state.life });
        ctx.arm("probe", probes!, 2 * probes!);
      } else if (timer === councils.COUNCIL_TIMER) councils.expire(state.councils, councilCompany(state, ctx));
      else expire(state.watch, timer as WatchTimer, company(state, ctx));
    },
    leave: (state, ctx) => {
      leave(state.watch, company(state, ctx));
      councils.leave(state.councils, councilCompany(state, ctx));
      bury(state.name);
    },
    verdict: () => ({ status: "undecided", leader: null, term: 0 }),
    bits: () => 0,
  };

  const verdicts: Verdict[] = [];
  const states: Watched[] = [];
  const bytes = Array.from({ length: n }, () => 0);
  const kinds: Record<string, number> = {};
  let [datagrams, councilBytes] = [0, 0];
  const gone: { at: number; name: string; life: number }[] = [];
  const observer: Observer = {
    crashed(node, time) {
      const member = oracle.members.get(nameOf(node));
      if (detection !== undefined && member !== undefined) {
        gone.push({ at: time + detection, name: nameOf(node), life: member.life });
      }
    },
    sent(_flight, from, _to, message) {
      const { kind: wrapped, message: inner } = message as { kind?: string; message?: unknown };
      if (wrapped === "council" && isCouncilMessage(inner)) councilBytes += SEALING + encodedSize(message);
      if (!isWatchMessage(message)) return;
      bytes[from] += SEALING + encodedSize(message);
      datagrams++;
      const kind = Array.isArray(message) ? PULSES[message[0]] : (message as { kind: string }).kind;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    },
    settled(node, time, settledState) {
      const state = settledState as Watched;
      states[node] = state;
      for (; gone.length > 0 && gone[0].at <= time; gone.shift()) {
        if (oracle.members.get(gone[0].name)!.life === gone[0].life) bury(gone[0].name);
      }
      const taken = [
        ...takeDeclared(state.watch).map((lived) => ({ ...lived, what: "declared" as const })),
        ...takeReturned(state.watch).map((lived) => ({ ...lived, what: "returned" as const })),
      ];
      for (const verdict of taken) verdicts.push({ at: time, by: state.name, ...verdict });
      scene.look?.(time, node, state, company(state, null as never));
    },
  };
  runEvents({
    protocol: defineProtocol(machine),
    params: null,
    topology: open(n),
    ids: null,
    initiators: null,
    crashed: [],
    faults: { ...NO_FAULTS, ...faults },
    seed,
    trial: 0,
    fifo: false,
    until,
    observer,
    delay: scene.delay ?? { kind: "uniform", min: 0.2, max: 2 },
  });
  return { verdicts, states, oracle, bytes, datagrams, councilBytes, kinds };
}

const PULSES = ["beat", "exchange", "answer", "ask", "over"];
