/**
 * Who has been heard: for each life of a sender its key, and which of its datagrams have come. An entry is made only by a
 * datagram that opened, so whoever has no key makes none, and there are never more than so many.
 *
 * Where the entry of a living sender had to make room, or this process has restarted, recorded datagrams open once more:
 * machines on such a host must bear that (they name the life they are for, or say the same again).
 */
import type { KeyObject } from "node:crypto";
import type { Key } from "./keyring.ts";
import { Recent } from "./recent.ts";
import { ReplayWindow } from "./replay-window.ts";
import type { Sealing } from "./sealing.ts";

/** Some hundred bytes each. Groups have up to about a thousand members, and each restart is a life. */
export const MOST_LIVES = 4096;

interface Life {
  keyId: number;
  key: KeyObject;
  readonly window: ReplayWindow;
}

export class Lives {
  private readonly sealing: Sealing;
  private readonly group: string;
  private readonly known = new Recent<string, Life>(MOST_LIVES);

  constructor(sealing: Sealing, group: string) {
    this.sealing = sealing;
    this.group = group;
  }

  get size(): number {
    return this.known.size;
  }

  /** The key of a life under one of the group's keys. Of a life that is not known nothing is kept. */
  keyOf(salt: Uint8Array, groupKey: Key): KeyObject {
    const life = this.known.get(nameOf(salt));
    return life?.keyId === groupKey.id ? life.key : this.sealing.lifeKey(groupKey, this.group, salt);
  }

  /** A datagram of that life has opened under that key: is it a new one? */
  accept(salt: Uint8Array, { id: keyId }: Key, key: KeyObject, counter: number): boolean {
    const name = nameOf(salt);
    let life = this.known.get(name);
    if (life === undefined) {
      life = { keyId, key, window: new ReplayWindow() };
      this.known.set(name, life);
    }
    life.keyId = keyId;
    life.key = key;
    return life.window.accept(counter);
  }
}

const nameOf = (salt: Uint8Array): string => String.fromCharCode(...salt);
