/**
 * Who has been heard: for each life of a sender its key, and which of its datagrams have come. An entry is made only by a
 * datagram that opened, so a process without a key makes none, and there are never more than this many.
 *
 * Where the entry of a living sender had to make room, or this process has restarted, recorded datagrams open once more:
 * machines on such a host must bear that (they name the life they are for, or say the same again).
 */
import type { KeyObject } from "node:crypto";
import type { Key } from "./keyring.ts";
import { Recent } from "./recent.ts";
import type { Sealing } from "./sealing.ts";

/** Some hundred bytes each. Groups have up to about a thousand members, and each restart is a life. */
const MOST_LIVES = 8192;

interface Life {
  keyId: number;
  key: KeyObject;
  readonly window: ReplayWindow;
}

export class Lives {
  private readonly sealing: Sealing;
  private readonly group: string;
  private readonly known = new Recent<string, Life>(MOST_LIVES);
  private readonly heardHere: Recent<string, KeyObject>;

  constructor(sealing: Sealing, group: string) {
    this.sealing = sealing;
    this.group = group;
    this.heardHere = heardBy(sealing);
  }

  get size(): number {
    return this.known.size;
  }

  /** The key of the life with that salt under one of the group's keys. Of a life that is not known nothing is kept. */
  keyOf(salt: string, groupKey: Key): KeyObject {
    const life = this.known.get(salt);
    if (life?.keyId === groupKey.id) return life.key;
    return (
      this.heardHere.get(this.sharedName(salt, groupKey)) ??
      this.sealing.lifeKey(groupKey, this.group, Buffer.from(salt, "latin1"))
    );
  }

  /** A datagram of that life has opened under that key: is it a new one? */
  accept(salt: string, groupKey: Key, key: KeyObject, counter: number): boolean {
    let life = this.known.get(salt);
    if (life === undefined) {
      life = { keyId: groupKey.id, key, window: new ReplayWindow() };
      this.known.set(salt, life);
      this.heardHere.set(this.sharedName(salt, groupKey), key);
    }
    life.keyId = groupKey.id;
    life.key = key;
    return life.window.accept(counter);
  }

  private sharedName(salt: string, { print }: Key): string {
    return `${salt}${print}${this.group}`;
  }
}

/**
 * Keys of lives that any member of this process has heard. To derive one costs as much as ten datagrams, and each of many
 * members in a process hears the same lives.
 */
const heardInProcess = new WeakMap<Sealing, Recent<string, KeyObject>>();

function heardBy(sealing: Sealing): Recent<string, KeyObject> {
  const known = heardInProcess.get(sealing) ?? new Recent<string, KeyObject>(MOST_LIVES);
  heardInProcess.set(sealing, known);
  return known;
}

/** Which counters of one session have been seen: a window below the highest one, as in IPsec (RFC 4303, section 3.4.3). */
export const WINDOW = 1024;

/**
 * A sender counts what it sends to anybody, so in a large group few counters of the window come to one receiver: they are listed. A
 * bit for each would take more memory than all else that a member knows of another one.
 */
export class ReplayWindow {
  /** Ascending. */
  private seen: number[] = [];

  /** True once for each counter; false for one that was seen before or lies so far back that nobody can tell. */
  accept(counter: number): boolean {
    const { seen } = this;
    const highest = seen.length === 0 ? -Infinity : seen[seen.length - 1];
    if (counter <= highest - WINDOW) return false;
    if (counter - WINDOW >= highest) {
      this.seen = [counter];
      return true;
    }
    let place = seen.length;
    while (place > 0 && seen[place - 1] > counter) place--;
    if (place > 0 && seen[place - 1] === counter) return false;
    if (place === seen.length) seen.push(counter);
    else seen.splice(place, 0, counter);
    let gone = 0;
    while (seen[gone] <= seen[seen.length - 1] - WINDOW) gone++;
    if (gone > 0) seen.splice(0, gone);
    return true;
  }
}
