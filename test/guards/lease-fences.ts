/** The keys of the guards in tests, and fences made with them. */
import { fenceOf } from "../../src/live/guards/fence.ts";
import { guardKeys } from "../../src/live/guards/keys.ts";
import { keyringOf } from "../../src/live/net/keyring.ts";

export const keys = guardKeys(keyringOf([Buffer.alloc(32, 7)]), "jobs");
export const guarding = { keys, seat: "leader" };

export interface Lease {
  readonly token: number;
  readonly lease: string;
}

export const fence = ({ token, lease }: Lease): string => fenceOf(keys, { seat: "leader", token, lease });
