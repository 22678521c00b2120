/** Members as they ship on one virtual network, each with keys of its own, which can be replaced while they run. */
import type { AnyMemberEvent } from "../../src/events/events.ts";
import { type RunningMember, startMember } from "../../src/live/group/member.ts";
import type { MemberOptions } from "../../src/live/group/setup.ts";
import { type Keyring, keyringOf } from "../../src/live/net/keyring.ts";
import { memoryStore } from "../../src/live/store.ts";
import { type Conditions, type VirtualMachine, VirtualNetwork } from "../../src/live/virtual-world.ts";
import { readAll } from "../../src/setting.ts";
import { MEMBER } from "../../src/settings/member.ts";

/** A key by number: the first byte is it, the others are nought. */
export const secret = (number: number): Uint8Array => new Uint8Array(32).fill(number);
export const ring = (...numbers: readonly number[]): Keyring => keyringOf(numbers.map(secret));
export const idOf = (number: number): number => ring(number).sealing.id;

export interface Actor {
  readonly name: string;
  readonly member: RunningMember;
  readonly machine: VirtualMachine;
  readonly events: AnyMemberEvent[];
  /** In the words of its events of that kind. */
  said(event: string): readonly string[];
}

export function keyScene(seed: number, conditions: Partial<Conditions> = {}) {
  const network = new VirtualNetwork(seed, conditions);
  const addresses = new Map<string, { readonly host: string; readonly port: number }>();
  const running = new Map<string, Actor>();
  const addressOf = (name: string) => {
    let address = addresses.get(name);
    if (address === undefined) {
      address = { host: `10.0.0.${addresses.size + 1}`, port: 7001 };
      addresses.set(name, address);
    }
    return address;
  };
  return {
    network,
    get actors(): readonly Actor[] {
      return [...running.values()];
    },
    start(name: string, keyring: Keyring, given: Partial<MemberOptions> = {}): Actor {
      const seeds = [...addresses].slice(0, 2).map(([, { host, port }]) => `${host}:${port}`);
      const address = addressOf(name);
      const machine = network.machine(address);
      const events: AnyMemberEvent[] = [];
      const options: MemberOptions = {
        ...readAll(MEMBER, { group: "g", seeds, profile: "local", stallMs: 0 }),
        name,
        keyring,
        onEvent: (event) => events.push(event),
        ...given,
      };
      const { world, transport } = machine;
      const resolve = (_host: string, done: (hosts: string[], why: string) => void) => done([], "nobody knows it");
      const member = startMember(options, { world, transport, resolve, store: memoryStore(), reached: address });
      const said = (kind: string) => events.filter(({ event }) => event === kind).map(({ why = "" }) => why);
      const actor = { name, member, machine, events, said };
      running.set(name, actor);
      return actor;
    },
    kill(name: string): void {
      running.get(name)!.machine.crash();
      running.delete(name);
    },
    /** Runs until something is so; false where it was not within this many milliseconds. */
    until(isSo: () => boolean, within: number): boolean {
      const end = network.now + within;
      while (!isSo()) {
        if (network.now >= end) return false;
        network.runFor(10);
      }
      return true;
    },
  };
}
