/**
 * Elections between real processes over UDP, sealed with a key that they share. Needs Node.
 *
 * @module sortition/live
 */
export { InputError, ProtocolError } from "../errors.ts";
export type { Counters, DatagramKind, DropReason } from "../live/net/counters.ts";
export type { Impairment } from "../live/net/impaired.ts";
export { insecureKeyring, type Key, type Keyring, loadKeyring, newKeyText, parseKeyring } from "../live/net/keyring.ts";
export { aesGcm, type Sealing, unsealed } from "../live/net/sealing.ts";
export { openUdp } from "../live/net/udp.ts";
export { LiveMember, type MemberSetup } from "../live/once/member.ts";
export { loadMembers, type Member, type Membership, parametersFor, parseMembers } from "../live/once/members.ts";
export type { ElectOptions, MemberOutcome } from "../live/once/part.ts";
export {
  VirtualGroup,
  type VirtualGroupSetup,
  type VirtualMember,
  type VirtualPart,
} from "../live/once/virtual-group.ts";
export { realWorld } from "../live/real-world.ts";
export type { StallReport } from "../live/stalls.ts";
export { fileStore, type Store } from "../live/store.ts";
export { type Conditions, VirtualMachine, VirtualNetwork } from "../live/virtual-world.ts";
export type { Address, Cancel, Transport, World } from "../live/world.ts";
export type { Source } from "../random/source.ts";
