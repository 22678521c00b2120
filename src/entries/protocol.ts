/**
 * The contract between an algorithm and the world that runs it, what one needs to write a protocol, and the protocols that
 * are there already. Needs no Node.
 *
 * @module sortition/protocol
 */
export { InputError, ProtocolError } from "../errors.ts";
export type { Held, Narrate, Part, Scene, Seen, Telling } from "../narrator.ts";
export {
  type Address,
  type AnyProtocol,
  type Assumptions,
  type Census,
  type Context,
  type Experiment,
  type GraphFacts,
  type Id,
  type Machine,
  type NetworkFacts,
  type Outcome,
  type Parameter,
  type ParameterValue,
  type Port,
  type Protocol,
  SELF,
  type Self,
  type Verdict,
  type WakeSchedule,
} from "../protocol.ts";
export { byRole } from "../protocols/by-role.ts";
export { catalogue, protocolNamed } from "../protocols/catalogue.ts";
export {
  type AnyGivenProtocol,
  defineProtocol,
  type GivenAssumptions,
  type GivenProtocol,
} from "../protocols/check.ts";
export { childMeasures, childPort, childTimer, type Embedding, embed } from "../protocols/embed.ts";
export { byAttribute, type Choice, defineChoice } from "../protocols/group/choice.ts";
export { ordered } from "../protocols/ordered.ts";
export { type Params, resolveParameters } from "../protocols/parameters.ts";
export type { ModuleSource, ProtocolChoice } from "../protocols/registry.ts";
export { type ReliableOptions, reliable } from "../protocols/reliable.ts";
export { hasShape, isCount } from "../protocols/shape.ts";
export { type SynchroniserOptions, synchronise } from "../protocols/synchroniser.ts";
export { type Facts, tell } from "../protocols/told.ts";
export { type Inner, type Wrapping, wrapper } from "../protocols/wrapper.ts";
export { encodedSize } from "../wire/codec.ts";
