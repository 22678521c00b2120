/**
 * Guards: what a resource does so that only the newest leader can write to it. Needs Node; databases and web servers are yours, and
 * are passed in.
 *
 * @module sortition/guards
 */
export { FENCE_HEADER, type Fence, fenceOf, readFence } from "../live/guards/fence.ts";
export { type GuardKeys, guardKeys, guardKeyText, loadGuardKeys, parseGuardKeys } from "../live/guards/keys.ts";
export { FenceRefused, type Refusal } from "../live/guards/refused.ts";
export { isNews, type Newest } from "../live/guards/rule.ts";
export { insecureKeyring, type Key, type Keyring, loadKeyring, parseKeyring } from "../live/keyring.ts";
