/**
 * The keys that a member seals and opens with: fences for guards, how keys are replaced while the member runs, and warnings about datagrams
 * and members with other keys.
 */
import { keysIn } from "../../elector/election/choice.ts";
import type { GroupReport } from "../../elector/report.ts";
import type { GroupState } from "../../elector/state.ts";
import { departed, live, memberNamed } from "../../protocols/membership/parent.ts";
import { isLiveStatus, type KnownMember } from "../../protocols/membership/records.ts";
import { fenceOf } from "../guards/fence.ts";
import { guardKeys } from "../guards/keys.ts";
import type { HeldLeadership } from "../leading/scope.ts";
import { WIRE_VERSION } from "../net/datagram.ts";
import type { RefusedDatagram } from "../net/endpoint.ts";
import { idsOf, type Keyring, keyIdText } from "../net/keyring.ts";
import { addressText } from "../net/udp.ts";
import type { World } from "../world.ts";
import type { OpenNode } from "./host.ts";

export interface GroupKeysSetup {
  /** This member's name. */
  readonly name: string;
  readonly group: string;
  readonly keyring: Keyring;
  readonly node: Pick<OpenNode<GroupState>, "world" | "state" | "rekey" | "command">;
  /** Warns about datagrams, or members, with other keys. */
  dropped(why: string): void;
}

export class GroupKeys {
  private readonly setup: GroupKeysSetup;
  private readonly strangers: Strangers;
  private keyring: Keyring;

  constructor(setup: GroupKeysSetup) {
    this.setup = setup;
    this.keyring = setup.keyring;
    this.strangers = new Strangers(setup.node.world, setup.dropped, {
      own: () => this.ids,
      told: () => this.told(),
    });
  }

  /** The ids of its keys, the one that it seals with first. */
  get ids(): readonly number[] {
    return idsOf(this.keyring);
  }

  /** The fence of a leadership; null without a lease. */
  fence({ seat, token, lease }: HeldLeadership): string | null {
    if (token === null || lease === null) return null;
    return fenceOf(guardKeys(this.keyring, this.setup.group), { seat, token, lease });
  }

  /** A datagram was not acted on. */
  refused(refusal: RefusedDatagram): void {
    this.strangers.refused(refusal);
  }

  /** Follows a report: checks the keys of members that have joined. Warnings come once all messages have left. */
  follow({ news }: GroupReport): void {
    const joined = news.flatMap(({ event, member }) =>
      event === "joined" && member !== this.setup.name ? [member] : [],
    );
    if (joined.length === 0) return;
    this.setup.node.world.soon(() => {
      const { members } = this.setup.node.state;
      // Members are looked up by name: in a large group members join all the time, and the whole list is long.
      const met = joined.map((name) => memberNamed(members, name!)).filter((member) => member !== undefined);
      this.strangers.meet(met.filter(({ status }) => isLiveStatus(status)).map(keyed));
    });
  }

  /** From now on this member seals with the first of these, opens with all of them, and tells the others. */
  replace(keyring: Keyring): void {
    const { node } = this.setup;
    const before = this.ids;
    this.keyring = keyring;
    node.rekey(keyring);
    node.command({ kind: "keys", keys: this.ids });
    this.strangers.rekeyed(before, this.others());
  }

  private others(): readonly Keyed[] {
    return live(this.setup.node.state.members)
      .filter(({ name }) => name !== this.setup.name)
      .map(keyed);
  }

  /** Ids of keys that members have told of, those that have failed or left included. */
  private told(): readonly number[] {
    const { members } = this.setup.node.state;
    const known = [...live(members), ...departed(members).map(({ member }) => member)];
    return known.flatMap(({ meta }) => keysIn(meta) ?? []);
  }
}

// Warnings about datagrams that this member could not open, and about members that cannot open its own: enough to find a wrong key, not a
// line for each. A datagram names its key by the last two digits of the key's id. If a known key has these digits, the warning has the
// full id.

/** Milliseconds between two lines of one kind. Lines of all kinds are limited too, because anybody can send the digits of any key. */
const SELDOM = 60_000;
const MOST_LINES = 4;

/** A member and the ids of its keys; null if it does not tell them. */
interface Keyed {
  readonly name: string;
  readonly address: unknown;
  readonly keys: readonly number[] | null;
}

const keyed = ({ name, address, meta }: KnownMember): Keyed => ({ name, address, keys: keysIn(meta) });

interface Acquaintance {
  /** Ids of this member's keys, the one that it seals with first. */
  own(): readonly number[];
  /** Ids of all keys that members have told of. */
  told(): Iterable<number>;
}

class Strangers {
  private readonly world: Pick<World, "now">;
  private readonly tell: (why: string) => void;
  private readonly knows: Acquaintance;
  /** Keys that this member had before. */
  private readonly former = new Set<number>();
  private readonly said = new Map<string, number>();
  private counts = new Map<string, number>();
  private saidVersion = false;

  constructor(world: Pick<World, "now">, tell: (why: string) => void, knows: Acquaintance) {
    this.world = world;
    this.tell = tell;
    this.knows = knows;
  }

  refused({ reason, version, mark, from }: RefusedDatagram): void {
    if (version !== null && !this.saidVersion) {
      this.saidVersion = true;
      this.tell(
        `datagrams of version ${version} come in, but this program speaks ${WIRE_VERSION}: bring all members to one version`,
      );
    }
    if (reason !== "unknown-key" && reason !== "unauthentic") return;
    const kind = `${reason} ${mark}`;
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    if (!this.mayTell(kind)) return;
    this.counts.delete(kind);
    const what = count === 1 ? "a datagram" : `${count} datagrams`;
    const where = from === null ? "" : ` from ${addressText(from)}`;
    if (reason === "unauthentic" || mark === null) {
      this.tell(`${what}${where} could not be opened: another key, another group, or no member at all`);
      return;
    }
    const key = this.keyOf(mark);
    this.tell(
      `${what}${where} came sealed with ${key}, which this member does not have (it has ${shown(this.knows.own())}): if the sender is a member, give it, or this member, the group's present keys`,
    );
  }

  /** This member's keys were replaced. `members`: all others. */
  rekeyed(before: readonly number[], members: readonly Keyed[]): void {
    const own = this.knows.own();
    for (const id of before) if (!own.includes(id)) this.former.add(id);
    for (const id of own) this.former.delete(id);
    if (own[0] === before[0] && before.length <= own.length) return;
    this.meet(members);
  }

  /** Warns about those of these members that cannot open this member's datagrams, or the other way round. */
  meet(members: readonly Keyed[]): void {
    const [seals, ...others] = this.knows.own();
    const opens = [seals, ...others];
    const deaf = members.filter(({ keys }) => keys !== null && !keys.includes(seals));
    const unheard = members.filter(({ keys }) => keys !== null && !opens.includes(keys[0]));
    if (deaf.length > 0 && this.mayTell(`deaf ${namesOf(deaf)}`)) {
      const [{ keys }] = deaf;
      this.tell(
        `${namesOf(deaf)} cannot hear this member, which seals with key ${keyIdText(seals)}: known there is ${shown(keys!)}; replace keys in the order of docs/security.md`,
      );
    }
    if (unheard.length > 0 && this.mayTell(`unheard ${namesOf(unheard)}`)) {
      const [{ keys }] = unheard;
      this.tell(
        `this member cannot hear ${namesOf(unheard)}, sealed with key ${keyIdText(keys![0])}: known here is ${shown(opens)}; replace keys in the order of docs/security.md`,
      );
    }
  }

  private keyOf(mark: number): string {
    const known = [...new Set([...this.former, ...this.knows.told()])].filter((id) => (id & 255) === mark);
    if (known.length === 1) return `key ${keyIdText(known[0])}`;
    return `a key whose id ends in ${mark.toString(16).padStart(2, "0")}`;
  }

  private mayTell(kind: string): boolean {
    const now = this.world.now();
    for (const [each, at] of this.said) if (now - at >= SELDOM) this.said.delete(each);
    if (this.said.has(kind) || this.said.size >= MOST_LINES) return false;
    this.said.set(kind, now);
    return true;
  }
}

const shown = (ids: readonly number[]): string => ids.map(keyIdText).join(", ");

const MOST_NAMES = 8;

function namesOf(members: readonly Keyed[]): string {
  const names = members.slice(0, MOST_NAMES).map(({ name, address }) => `${name} at ${address}`);
  return `${names.join(", ")}${members.length > MOST_NAMES ? ` and ${members.length - MOST_NAMES} more` : ""}`;
}
