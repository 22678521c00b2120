/** Every protocol, as data: what the CLI lists, the conformance suite runs and the planner chooses from. */
import { didYouMean, InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { epidemicMulticast } from "./group/epidemic-multicast.ts";
import { filterRelay } from "./group/filter-relay.ts";
import { changRoberts } from "./ring/chang-roberts.ts";

export const catalogue: readonly AnyProtocol[] = [changRoberts, filterRelay, epidemicMulticast];

export function protocolNamed(name: string): AnyProtocol {
  const found = catalogue.find((protocol) => protocol.name === name);
  if (found !== undefined) return found;
  const names = catalogue.map((protocol) => protocol.name);
  throw new InputError(`unknown protocol «${name}»${didYouMean(name, names) || `; choose one of ${names.join(", ")}`}`);
}
