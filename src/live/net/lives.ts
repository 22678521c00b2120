/**
 * Who has been heard: for each life of a sender its key, and which of its datagrams have come. An entry is made only by a
 * datagram that opened, so a process without a key makes none, and there are never more than so many.
 *
 * Where the entry of a living sender had to make room, or this process has restarted, recorded datagrams open once more:
 * machines on such a host must bear that (they name the life they are for, or say the same again).
 */
import type { KeyObject } from "node:crypto";
import type { Key } from "./keyring.ts";
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

  /** The key of a life under one of the group's keys. Of a life that is not known nothing is kept. */
  keyOf(salt: Uint8Array, groupKey: Key): KeyObject {
    const name = nameOf(salt);
    const life = this.known.get(name);
    if (life?.keyId === groupKey.id) return life.key;
    return this.heardHere.get(this.sharedName(name, groupKey)) ?? this.sealing.lifeKey(groupKey, this.group, salt);
  }

  /** A datagram of that life has opened under that key: is it a new one? */
  accept(salt: Uint8Array, groupKey: Key, key: KeyObject, counter: number): boolean {
    const name = nameOf(salt);
    let life = this.known.get(name);
    if (life === undefined) {
      life = { keyId: groupKey.id, key, window: new ReplayWindow() };
      this.known.set(name, life);
      this.heardHere.set(this.sharedName(name, groupKey), key);
    }
    life.keyId = groupKey.id;
    life.key = key;
    return life.window.accept(counter);
  }

  private sharedName(name: string, { print }: Key): string {
    return `${name}${print}${this.group}`;
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

const nameOf = (salt: Uint8Array): string => String.fromCharCode.apply(null, salt as unknown as number[]);

/** Which counters of one session have been seen: a window below the highest one, as in IPsec (RFC 4303, section 3.4.3). */
export const WINDOW = 1024;

export class ReplayWindow {
  private highest = -1;
  /** A bit for each of the last counters. */
  private readonly seen = new Uint32Array(WINDOW / 32).fill(0xffffffff);

  /** True once for each counter; false for one that was seen before or lies so far back that nobody can tell. */
  accept(counter: number): boolean {
    if (counter > this.highest) {
      const cleared = Math.min(counter - this.highest, WINDOW);
      for (let i = 0; i < cleared; i++) this.seen[wordOf(counter - i)] &= ~bitOf(counter - i);
      this.highest = counter;
    } else if (counter <= this.highest - WINDOW || (this.seen[wordOf(counter)] & bitOf(counter)) !== 0) return false;
    this.seen[wordOf(counter)] |= bitOf(counter);
    return true;
  }
}

const wordOf = (counter: number): number => Math.floor((counter % WINDOW) / 32);
const bitOf = (counter: number): number => 1 << (counter % 32);

/**
 * A map that holds so many entries. Two generations: what is used is in the younger one, or moves there; when that is full, the
 * older one makes room. So whatever was used among the last half as many is kept, and a use of a young entry costs one look.
 */
export class Recent<K, V> {
  private readonly half: number;
  private young = new Map<K, V>();
  private old = new Map<K, V>();

  constructor(most: number) {
    this.half = most >> 1;
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  /** Counts as a use. */
  get(key: K): V | undefined {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const older = this.old.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    this.old.delete(key);
    if (this.young.size >= this.half && !this.young.has(key)) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }
}
