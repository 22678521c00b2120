/**
 * The contract between an algorithm and the world that runs it, what one needs to write a protocol, and the protocols that
 * are there already. Needs no Node.
 *
 * @module sortition/protocol
 */
export { InputError } from "../errors.ts";
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
export { catalogue, protocolNamed } from "../protocols/catalogue.ts";
export { type AnyGivenProtocol, defineProtocol, type GivenProtocol } from "../protocols/check.ts";
export { byAttribute, type Choice, defineChoice } from "../protocols/group/choice.ts";
export { type Params, resolveParameters } from "../protocols/parameters.ts";
export type { ModuleSource, ProtocolChoice } from "../protocols/registry.ts";
export { type SynchroniserOptions, synchronise } from "../protocols/synchroniser.ts";
