/** A member of a live group: an endpoint, and the elections that it takes part in, one after another or side by side. */

import { InputError } from "../errors.ts";
import type { Id } from "../protocol.ts";
import { findProtocol, type ProtocolChoice } from "../protocols/registry.ts";
import { readOrNull } from "../wire/bytes.ts";
import { Counters } from "./counters.ts";
import { Election } from "./election.ts";
import type { ElectionSetup } from "./election-setup.ts";
import { Endpoint } from "./endpoint.ts";
import { readElection, readFrame } from "./frames.ts";
import { type Impairment, impaired } from "./impaired.ts";
import type { Keyring } from "./keyring.ts";
import type { Member } from "./members.ts";
import { type MemberOutcome, since, snapshot } from "./outcome.ts";
import { realWorld } from "./real-world.ts";
import type { Sealing } from "./sealing.ts";
import { Tidings, type TidingsOptions } from "./tidings.ts";
import { attentive, type Cancel, type Transport, type World } from "./world.ts";

/**
 * A neighbour that has left cannot acknowledge any more: after so many lingers its silence is taken for that; but not before
 * so many milliseconds, in which a message can be sent again ten times.
 */
const PATIENT_LINGERS = 5;
const LEAST_PATIENCE = 5000;

/** Milliseconds that an election may take beyond what its protocol waits for. */
const PATIENCE = 30_000;

const MOST_REMEMBERED = 64;

/** Who this member is, whom it may talk to, and how. */
export interface MemberSetup {
  readonly self: Id;
  /** Everybody that this member may ever talk to. */
  readonly members: readonly Member[];
  readonly keyring: Keyring;
  readonly transport: Transport;
  readonly impairment?: Omit<Impairment, "member">;
  /** Clock, timers and randomness: those of the machine, unless it is a virtual one. */
  readonly world?: World;
  readonly sealing?: Sealing;
}

/** One election: its protocol and members, and how long to wait. */
export interface ElectOptions extends Omit<ElectionSetup, "protocol">, TidingsOptions {
  readonly protocol: ProtocolChoice;
  /**
   * Milliseconds after which a member without a verdict gives up; null: half a minute after the start, and as much longer
   * as the protocol itself waits.
   */
  readonly timeout: number | null;
  /** Milliseconds of silence, after the verdict, during which a member goes on serving the others. */
  readonly linger: number;
  readonly signal?: AbortSignal;
}

/** This process as a member of a group: it takes part in elections until it is closed. */
export class LiveMember {
  readonly counters = new Counters();
  readonly endpoint: Endpoint;
  private readonly world: World;
  /** Elections that are over here, and what to answer to somebody who wants to begin them again. */
  private readonly ended = new Map<string, Uint8Array>();
  private readonly elections = new Map<string, { readonly name: string; readonly election: Election }>();

  constructor({ self, members, keyring, transport, impairment, world = realWorld, sealing }: MemberSetup) {
    const { counters } = this;
    this.world = attentive(world, () => this.look());
    const carried =
      impairment === undefined ? transport : impaired(this.world, transport, { ...impairment, member: self }, counters);
    const heeded: Transport = {
      ...carried,
      listen: (receive) =>
        carried.listen((datagram, from) => {
          this.look();
          receive(datagram, from);
        }),
    };
    const extra = sealing === undefined ? {} : { sealing };
    this.endpoint = new Endpoint({ self, members, keyring, world: this.world, transport: heeded, counters, ...extra });
    this.endpoint.receiver = {
      payload: (from, life, payload) => this.receive(from, life, payload),
      met: (member, life) => {
        for (const { election } of [...this.elections.values()]) election.met(member, life);
        for (const answer of this.ended.values()) this.endpoint.send(member, answer, "gathering");
      },
    };
  }

  /** Resolves with this member's outcome, verdict or not; rejects where the protocol cannot run. */
  elect(options: ElectOptions): Promise<MemberOutcome> {
    return new Promise((resolve, reject) => {
      const { timeout, linger, signal } = options;
      const { protocol } = findProtocol(options.protocol);
      const { world } = this;
      const before = snapshot(this.counters);
      const tidings = new Tidings(options, world);
      let check: Cancel = () => {};

      const election = new Election({ ...options, protocol }, world, this.endpoint, {
        begun: () => tidings.begun(),
        late: () => end("no leader known: the election has begun without this member"),
        reported: (verdict, report) => tidings.reported(verdict, report),
        released: () => tidings.released(),
        failed: (error) => {
          leave();
          reject(error);
        },
      });

      if (this.elections.has(election.id)) {
        election.close();
        throw new InputError(`election ${options.name} already runs here: give the next one another name`);
      }
      let hasLeft = false;
      const leave = () => {
        hasLeft = true;
        limit();
        check();
        signal?.removeEventListener("abort", interrupted);
        election.close();
        this.elections.delete(election.id);
        this.remember(election);
      };
      const end = (reason: string) => {
        if (hasLeft) return;
        leave();
        resolve(this.outcome(election, { ...options, protocol }, tidings, reason, before));
      };
      const interrupted = () => end("no leader known: interrupted");
      const patience = linger === 0 ? 0 : Math.max(PATIENT_LINGERS * linger, LEAST_PATIENCE);
      const quiet = () => {
        const silence = world.now() - Math.max(election.lastActive, tidings.decidedAt ?? Infinity);
        if (silence >= linger && (election.idle || silence >= patience)) end("");
        else check = world.set(silence > 0 ? Math.max(5, linger - silence) : linger, quiet);
      };

      const opened = world.now();
      const lasts = () =>
        timeout ?? (tidings.begunAt ?? opened + 2 * options.gather) + election.waits + PATIENCE - opened;
      const giveUp = () => {
        const left = opened + lasts() - world.now();
        if (left > 0) limit = world.set(left, giveUp);
        else end(`no leader known: no verdict within ${Math.round(lasts()) / 1000} s`);
      };
      let limit = world.set(lasts(), giveUp);
      check = world.set(linger, quiet);
      if (signal?.aborted) return end("no leader known: interrupted");
      signal?.addEventListener("abort", interrupted);
      this.elections.set(election.id, { name: options.name, election });
      this.ended.delete(election.id);
      election.open();
    });
  }

  /** A user's command to the node of a running election, which gets it like a message from itself. */
  command(command: unknown, name = "1"): void {
    const running = [...this.elections.values()].filter((each) => each.name === name);
    if (running.length === 0)
      throw new Error(`no election named ${name} runs here: give the name that it was started with`);
    for (const { election } of running) election.command(command);
  }

  rekey(keyring: Keyring): void {
    this.endpoint.rekey(keyring);
  }

  async close(): Promise<void> {
    for (const { election } of this.elections.values()) election.close();
    await this.endpoint.close();
  }

  /** Before anything else happens: whether this process stood still, and what is overdue. */
  private look(): void {
    for (const { election } of this.elections.values()) election.node.look();
  }

  private receive(from: Id, life: number, payload: Uint8Array): void {
    const parts = readOrNull(() => readElection(payload));
    const found = parts === null ? undefined : this.elections.get(parts.election);
    if (parts === null) this.counters.drop("malformed");
    else if (found !== undefined) found.election.receive(from, life, parts.rest);
    else {
      const answer = this.ended.get(parts.election);
      const asks = answer !== undefined && readOrNull(() => readFrame(parts.rest))?.kind === "ready";
      if (asks) this.endpoint.send(from, answer, "gathering");
      else this.counters.drop("other-election");
    }
  }

  /** A member that restarts after the others are done would otherwise find nobody who knows, and begin anew. */
  private remember({ id, answer }: Election): void {
    if (answer === null) return;
    this.ended.set(id, answer);
    if (this.ended.size > MOST_REMEMBERED) this.ended.delete(this.ended.keys().next().value!);
  }

  private outcome(
    { id, node, heard }: Election,
    { protocol, membership }: ElectionSetup,
    { seconds }: Tidings,
    reason: string,
    before: ReturnType<typeof snapshot>,
  ): MemberOutcome {
    const { status, leader, term } = node.verdict;
    const members = membership.members.length;
    const isAlone = heard === 0 && members > 1;
    const alone = `none of the other ${members - 1} members was heard`;
    return {
      protocol: protocol.name,
      election: id,
      self: this.endpoint.self,
      members,
      heard,
      status,
      leader,
      term,
      reason: status === "undecided" ? reason : isAlone ? alone : null,
      seconds,
      messages: node.messages,
      bits: node.bits,
      measures: { ...node.measures },
      ...since(before, snapshot(this.counters)),
      stalls: node.stalls,
    };
  }
}
