/** A member of a live group: an endpoint, and the elections that it takes part in, one after another or side by side. */
import type { Id, Verdict } from "../protocol.ts";
import { readOrNull } from "../wire/bytes.ts";
import { Counters } from "./counters.ts";
import { Election, type ElectionSetup } from "./election.ts";
import { Endpoint } from "./endpoint.ts";
import { readElection } from "./frames.ts";
import { type Impairment, impaired } from "./impaired.ts";
import type { Keyring } from "./keyring.ts";
import type { Member } from "./members.ts";
import { type Outcome, since, snapshot } from "./outcome.ts";
import type { Transport } from "./udp.ts";

/** A neighbour that has left cannot acknowledge any more: after so many lingers its silence is taken for that. */
const PATIENT_LINGERS = 5;

/** Who this member is, whom it may talk to, and how. */
export interface MemberSetup {
  readonly self: Id;
  /** Everybody that this member may ever talk to. */
  readonly members: readonly Member[];
  readonly keyring: Keyring;
  readonly transport: Transport;
  readonly impairment?: Omit<Impairment, "member">;
}

/** One election: its protocol and members, and how long to wait. */
export interface ElectOptions extends ElectionSetup {
  /** Milliseconds after which a member without a verdict gives up. */
  readonly timeout: number;
  /** Milliseconds of silence, after the verdict, during which a member goes on serving the others. */
  readonly linger: number;
  /** Told of every change of the verdict, as it happens. */
  readonly onVerdict?: (verdict: Verdict) => void;
  readonly onBegin?: () => void;
  readonly signal?: AbortSignal;
}

/** This process as a member of a group: it takes part in elections until it is closed. */
export class LiveMember {
  readonly counters = new Counters();
  readonly endpoint: Endpoint;
  private readonly elections = new Map<string, Election>();

  constructor({ self, members, keyring, transport, impairment }: MemberSetup) {
    const { counters } = this;
    const carried =
      impairment === undefined ? transport : impaired(transport, { ...impairment, member: self }, counters);
    this.endpoint = new Endpoint({ self, members, keyring, transport: carried, counters });
    this.endpoint.receiver = {
      payload: (from, life, newest, payload) => this.receive(from, life, newest, payload),
      restarted: (member) => {
        for (const election of this.elections.values()) election.restarted(member);
      },
    };
  }

  /** Resolves with this member's outcome, verdict or not; rejects where the protocol cannot run. */
  elect(options: ElectOptions): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const { timeout, linger, signal } = options;
      const before = snapshot(this.counters);
      let begun: number | null = null;
      let decided: number | null = null;
      let told = "";

      const election = new Election(options, this.endpoint, {
        begun: () => {
          begun = performance.now();
          options.onBegin?.();
        },
        settled: (verdict) => {
          decided = verdict.status === "undecided" ? null : (decided ?? performance.now());
          const text = JSON.stringify(verdict);
          if (text !== told) options.onVerdict?.(verdict);
          told = text;
        },
        failed: (error) => {
          leave();
          reject(error);
        },
      });

      const leave = () => {
        clearTimeout(limit);
        clearTimeout(check);
        signal?.removeEventListener("abort", interrupted);
        election.close();
        this.elections.delete(election.id);
      };
      const end = (reason: string) => {
        leave();
        resolve(this.outcome(election, options, begun, decided, reason, before));
      };
      const interrupted = () => end("no leader known: interrupted");
      const quiet = () => {
        const silence = performance.now() - Math.max(election.lastActive, decided ?? Infinity);
        if (silence >= linger && (election.idle || silence >= PATIENT_LINGERS * linger)) end("");
        else check = setTimeout(quiet, silence > 0 ? Math.max(5, linger - silence) : linger);
      };

      const limit = setTimeout(() => end(`no leader known: no verdict within ${timeout / 1000} s`), timeout);
      let check = setTimeout(quiet, linger);
      if (signal?.aborted) {
        end("no leader known: interrupted");
        return;
      }
      signal?.addEventListener("abort", interrupted);
      this.elections.set(election.id, election);
      election.open();
    });
  }

  rekey(keyring: Keyring): void {
    this.endpoint.rekey(keyring);
  }

  async close(): Promise<void> {
    for (const election of this.elections.values()) election.close();
    await this.endpoint.close();
  }

  private receive(from: Id, life: number, newest: boolean, payload: Uint8Array): void {
    const parts = readOrNull(() => readElection(payload));
    const election = parts === null ? undefined : this.elections.get(parts.election);
    if (parts === null) this.counters.drop("malformed");
    else if (election === undefined) this.counters.drop("other-election");
    else election.receive(from, life, newest, parts.rest);
  }

  private outcome(
    { id, node }: Election,
    { protocol, membership }: ElectOptions,
    begun: number | null,
    decided: number | null,
    reason: string,
    before: ReturnType<typeof snapshot>,
  ): Outcome {
    const { status, leader, term } = node.verdict;
    return {
      protocol: protocol.name,
      election: id,
      self: this.endpoint.self,
      members: membership.members.length,
      status,
      leader,
      term,
      reason: status === "undecided" ? reason : null,
      seconds: begun === null || decided === null ? null : Math.round(decided - begun) / 1000,
      messages: node.messages,
      bits: node.bits,
      measures: { ...node.measures },
      ...since(before, snapshot(this.counters)),
      stalls: node.stalls,
    };
  }
}
