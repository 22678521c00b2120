/**
 * What a member says about datagrams that it could not open, and about members that cannot open its own: enough to find a wrong key, not a
 * line for each. A datagram names its key by the last two digits of its id; if those are of one key that somebody here has or
 * had, it is named in full.
 */

import { placeText } from "../net/address.ts";
import { WIRE_VERSION } from "../net/datagram.ts";
import type { RefusedDatagram } from "../net/endpoint.ts";
import { keyIdText } from "../net/keyring.ts";
import type { World } from "../world.ts";

/** Milliseconds between two lines of one kind, and lines of all kinds in that time: strangers can send any key's mark. */
const SELDOM = 60_000;
const MOST_LINES = 4;

/** Somebody with keys, by their ids; null where it does not say. */
export interface Keyed {
  readonly name: string;
  readonly address: unknown;
  readonly keys: readonly number[] | null;
}

export interface Acquaintance {
  /** Ids of this member's keys, the one that it seals with first. */
  own(): readonly number[];
  /** Ids of all keys that members have told of. */
  told(): Iterable<number>;
}

export class Strangers {
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
    const where = from === null ? "" : ` from ${placeText(from)}`;
    if (reason === "unauthentic" || mark === null) {
      this.tell(`${what}${where} could not be opened: another key, another group, or no member at all`);
      return;
    }
    const key = this.keyOf(mark);
    this.tell(
      `${what}${where} came sealed with ${key}, which this member does not have (it has ${shown(this.knows.own())}): give that member, or this one, the group's present keys, if it is one at all`,
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

  /** Members of whom something new is known: those that cannot hear this one, or that it cannot hear, are named. */
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
