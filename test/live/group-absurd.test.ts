/**
 * What a holder of the key could say by accident, such as a member of another version: messages of the right shape with absurd
 * values. No handler may throw, run for long or let memory grow without bound.
 */
import { expect, test } from "vitest";
import { electionId } from "../../src/elector/election/election.ts";
import { group } from "../../src/elector/group.ts";
import { groupParams } from "../../src/elector/params.ts";
import type { GroupReport } from "../../src/elector/report.ts";
import type { GroupState } from "../../src/elector/state.ts";
import type { ElectionSetting } from "../../src/elector/talk/messages.ts";
import { VirtualOpenGroup } from "../../src/live/group/virtual.ts";
import { markOf, sealDatagram } from "../../src/live/net/datagram.ts";
import { insecureKeyring } from "../../src/live/net/keyring.ts";
import { aesGcm } from "../../src/live/net/sealing.ts";
import type { ParameterValue } from "../../src/protocol.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { HostStream } from "../../src/random/streams.ts";
import { encode } from "../../src/wire/codec.ts";
import { effort } from "../support/effort.ts";

const NAMES = ["a", "b", "c", "d"];
const OFFICES = ["leader", "shards:2", "audit:2..3"];

function scene(seed: number) {
  const world = new VirtualOpenGroup({
    seed,
    machine: group(),
    params: (name) => groupParams({ name, profile: "local", offices: OFFICES }),
  });
  for (const name of NAMES) world.start(name);
  const reports = () => world.peers.map(({ report }) => report as GroupReport);
  const agree = () => new Set(reports().map(({ offices }) => offices.leader.leader)).size === 1;
  const leads = () => world.peers.length > 0 && reports()[0].offices.leader?.leader != null && agree();
  expect(world.until(leads, 10_000)).toBe(true);
  world.run(2000);
  return { world, reports, leads };
}

/** Draws messages of a group, of the right shape more often than not. */
class Absurd {
  private readonly draws: HostStream;
  private readonly lives: readonly number[];
  constructor(draws: HostStream, lives: readonly number[]) {
    this.draws = draws;
    this.lives = lives;
  }

  one<T>(...from: readonly T[]): T {
    return from[this.draws.choose(from.length)];
  }

  number(): number {
    return this.one(0, 1, 2, 3, 7, 64, 1000, 1e9, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 47, 2 ** 53 - 1);
  }

  life(): number {
    return this.draws.coin(0.8) ? this.one(...this.lives) : this.number();
  }

  name(): string {
    return this.one(
      ...NAMES,
      "e",
      "x".repeat(64),
      "__proto__",
      "constructor",
      "toString",
      "\u0000",
      "a/b",
      "é".repeat(32),
    );
  }

  office(): string {
    return this.one("leader", "shards#1", "shards#2", "shards#99", "audit", "constructor", "#", "x#1", "y".repeat(80));
  }

  value(): ParameterValue {
    return this.one<ParameterValue>(
      true,
      "",
      "log",
      -1,
      0.5,
      Number.NaN,
      Infinity,
      this.number(),
      this.number(),
      "1e9",
    );
  }

  setting(): ElectionSetting {
    const protocol = this.one(...catalogue);
    const { name } = protocol;
    const params: Record<string, ParameterValue> = {};
    for (const parameter of protocol.parameters) if (this.draws.coin(0.5)) params[parameter.name] = this.value();
    if (this.draws.coin(0.1)) params.nonsense = this.value();
    return {
      protocol: this.draws.coin(0.9) ? name : this.one("auto", "none", "constructor", this.name()),
      params,
      n: this.one(0, 1, 2, 4, 64, 1000, 2 ** 16, 1e9),
      loss: this.one(0, 1, 0.5),
      lossLow: 0,
      lossFrom: "measured" as const,
      epsilon: null,
    };
  }

  invitation(council = this.one("watch", "", this.office())): unknown {
    return {
      council,
      centre: this.name(),
      life: this.life(),
      number: this.number(),
      seated: this.number(),
      wanted: this.one(0, 1, 1e300, Infinity),
      members: this.many(3, () => this.name()),
    };
  }

  many<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.draws.choose(most + 1) }, make);
  }

  claim(): unknown {
    return {
      office: this.office(),
      term: this.term(),
      number: this.number(),
      holder: this.one(null, this.name()),
      life: this.life(),
      former: this.one(null, this.name()),
      heir: this.one(null, this.name()),
      setting: this.one(null, this.setting()),
      invitation: this.one(null, this.invitation()),
    };
  }

  /** Not so high that nothing could follow. */
  term(): number {
    return this.one(0, 1, 2, 3, 4, 5, 8, 16, 2 ** 31, 2 ** 32, 2 ** 40);
  }

  entry(): unknown {
    const status = this.draws.choose(4);
    return [
      ...[this.name(), this.life(), this.number(), this.one("10.0.0.1:7001", "10.0.0.9:7001", "", "no address", "h:1")],
      ...[status, this.one<unknown>(null, {}, { priority: 1e308, weight: 1e-308, zone: 7 }, [[[]]])],
      ...(status === 1 ? [this.many(5, () => this.life())] : []),
    ];
  }

  note(): unknown {
    const value = this.one<unknown>(
      ...[null, "x".repeat(500), [this.name(), this.life(), null, null], this.invitation()],
      ...[
        { life: this.life(), setting: this.setting() },
        [this.one(null, this.name()), this.life(), null, this.name()],
      ],
    );
    const key = this.one("office/", "office/", "setting/", "watch/", "council/", "");
    return [key + this.one(this.name(), this.office()), this.term(), this.number(), value];
  }

  gossip(): object {
    return { members: this.many(4, () => this.entry()), notes: this.many(3, () => this.note()) };
  }

  membership(): unknown {
    const [seq, from] = [this.draws.coin(0.5) ? this.draws.choose(70_000) : this.number(), this.life()];
    const sums = Array.from({ length: 32 }, () => this.draws.choose(2 ** 32));
    return this.one<() => unknown>(
      () => ({ kind: "ping", seq, to: this.life(), from, about: this.entry(), ...this.gossip() }),
      () => ({ kind: "ack", seq, from, me: this.entry(), about: this.entry(), who: true, ...this.gossip() }),
      () => ({ kind: "ack", seq, from, via: true }),
      () => ({ kind: "ask", seq, life: this.life(), address: this.one("10.0.0.1:7001", "?", "h:1") }),
      () => ({ kind: "nack", seq }),
      () => ({ kind: "gossip", from, ...this.gossip() }),
      () => ({ kind: "digest", name: this.name(), life: from, sums, me: this.entry() }),
      () => ({ kind: "digest", name: this.name(), life: from, sums }),
      () => ({ kind: "answer", from, you: this.entry(), want: this.draws.choose(2 ** 32), ...this.gossip() }),
      () => ({ kind: "answer", from, joining: this.entry(), young: true, part: true }),
    )();
  }

  /** Also of the election that runs, whose id the sender knows. */
  elector(state: GroupState): unknown {
    const running = [...state.offices.values()].find(({ election }) => election !== null);
    const isRunning = running !== undefined && this.draws.coin(0.7);
    const [office, term, setting] = isRunning
      ? [running.name, running.election!.term, running.election!.setting]
      : this.draws.coin(0.5)
        ? [`o${this.draws.choose(9)}`, (state.offices.get("o1")?.term ?? 0) + this.draws.choose(4), this.setting()]
        : [this.office(), this.term(), this.setting()];
    const id = this.draws.coin(0.9) ? electionId(office, term, setting) : this.number();
    const about = { office, term, id, setting };
    const between = { from: this.life(), to: state.life };
    const message = this.one<unknown>(
      null,
      [],
      {},
      { kind: "request", rank: Number.NaN },
      [0, 1, { kind: "x" }],
      this.value(),
    );
    return this.one<() => unknown>(
      () => ({ kind: "stand", ...about, position: this.number(), over: this.life(), ...between }),
      () => ({ kind: "open", ...about, ...between }),
      () => ({ kind: "child", ...about, message, port: this.value(), ...between }),
      () => ({ kind: "child", ...about, message, ...between }),
      () => ({
        kind: "list",
        ...about,
        lives: this.many(9, () => this.life()),
        final: this.one(true, false),
        ...between,
      }),
      () => ({ kind: "listed", ...about, ...between }),
      () => ({ kind: "claim", claim: this.claim(), passes: this.draws.choose(9), ...between }),
      () => ({ kind: "term", ...about, ...between }),
    )();
  }

  watch(state: GroupState): unknown {
    const between = { from: this.life(), to: state.life };
    const pass = this.one(this.number(), ...state.watch.seats.held.keys(), ...(state.watch.centre?.seats.keys() ?? []));
    const council = this.one("watch", "", "audit", this.name());
    const fellows = this.many(4, () => this.name());
    const version = this.number();
    const word = this.one<unknown>(
      ...[[this.draws.choose(6), pass, version], { kind: "offer", council, pass, ...between }],
      { kind: "seat", council, pass, version, fellows, ...between },
      { kind: "report", life: this.life(), silent: this.number(), ...between },
    );
    return this.draws.coin(0.3) ? { kind: "council", message: word } : word;
  }

  /** Some members hear of elections alone: absurd words about members make others unheard soon. */
  message(state: GroupState, about: "members" | "offices" | "all"): unknown {
    const what = this.draws.choose(10);
    if (about === "offices") return what < 8 ? this.elector(state) : this.watch(state);
    if (about === "members" || what < 4) return { kind: "members", message: this.membership() };
    return what < 8 ? this.elector(state) : this.watch(state);
  }
}

test.each(["members", "offices", "all"] as const)("absurd values in messages about %s make nobody fail", (about) => {
  const { sealing } = insecureKeyring();
  const salt = Buffer.alloc(8, 9);
  const key = aesGcm.lifeKey(sealing, "virtual", salt);
  for (let seed = 1; seed <= effort(2, 40); seed++) {
    const { world } = scene(seed);
    const draws = new HostStream(seed, 0, "losses");
    const absurd = new Absurd(
      draws,
      world.peers.map(({ node }) => node.life),
    );
    for (let counter = 0; counter < 300; counter++) {
      const peer = world.peers[draws.choose(world.peers.length)];
      const messages = encode(absurd.message(peer.node.state as GroupState, about));
      const address = { host: draws.coin(0.5) ? "10.0.9.9" : `10.0.0.${1 + draws.choose(4)}`, port: 7001 };
      if (messages.length < 1300) {
        peer.machine.arrive(
          sealDatagram(...([aesGcm, key, { mark: markOf(sealing), salt, counter }] as const), {
            address,
            token: null,
            echo: null,
            messages,
          }),
        );
      }
      if (draws.coin(0.2)) world.run(draws.choose(40));
    }
    world.run(3000);
  }
});
