/** Every protocol, as data: what the CLI lists, the conformance suite runs and the planner chooses from. */
import { didYouMean, InputError } from "../errors.ts";
import type { AnyProtocol } from "../protocol.ts";
import { councilBasic } from "./council/basic.ts";
import { councilChoice } from "./council/choice.ts";
import { councilContinuous } from "./council/continuous.ts";
import { councilHistory } from "./council/history.ts";
import { councilMasks } from "./council/masks.ts";
import { councilNaive } from "./council/naive.ts";
import { councilSkipReset } from "./council/skip-reset.ts";
import { councilUnknown } from "./council/unknown.ts";
import { changRoberts } from "./ring/chang-roberts.ts";

export const catalogue: readonly AnyProtocol[] = [
  changRoberts,
  councilNaive,
  councilBasic,
  councilSkipReset,
  councilChoice,
  councilHistory,
  councilUnknown,
  councilMasks,
  councilContinuous,
];

export function protocolNamed(name: string): AnyProtocol {
  const found = catalogue.find((protocol) => protocol.name === name);
  if (found !== undefined) return found;
  const names = catalogue.map((protocol) => protocol.name);
  throw new InputError(`unknown protocol «${name}»${didYouMean(name, names) || `; choose one of ${names.join(", ")}`}`);
}
