/**
 * Elections between real processes over UDP, sealed with a key that they share. Needs Node.
 *
 * @module sortition/live
 */
export { InputError, ProtocolError } from "../errors.ts";
export { insecureKeyring, type Keyring, loadKeyring, newKeyText, parseKeyring } from "../live/keyring.ts";
export { type ElectOptions, LiveMember, type MemberSetup } from "../live/member.ts";
export { loadMembers, type Member, type Membership, parseMembers } from "../live/members.ts";
export { parametersFor } from "../live/network.ts";
export type { Outcome } from "../live/outcome.ts";
export { fileStore, type Store } from "../live/store.ts";
export { openUdp } from "../live/udp.ts";
export type { Address, Transport, World } from "../live/world.ts";
