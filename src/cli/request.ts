/** From the options of `simulate` to a request. */
import "../campaign/graph-files.ts";
import type { CampaignOptions } from "../campaign/campaign.ts";
import { defaultTrials } from "../campaign/simulate.ts";
import { parseFaultFile } from "../host/fault-file.ts";
import type { FaultPlan } from "../host/faults.ts";
import type { ProtocolChoice } from "../protocols/registry.ts";
import type { Request } from "../simulation/settings.ts";
import { checkPrecision } from "../statistics/precision.ts";
import { bringsItsSize, networkOf } from "../topology/spec.ts";
import { readInput } from "./files.ts";
import { delayOf, idsOf, initiatorsOf, numberOf, paramsOf, probability, shareOf, wholeNumber } from "./values.ts";

/** As commander gives them: text, but for flags. */
export interface SimulateOptions {
  readonly protocolFile?: string;
  readonly n?: string;
  readonly trials?: string;
  readonly precision?: string;
  readonly seed: string;
  readonly topology?: string;
  readonly largestComponent?: true;
  readonly walk?: string;
  readonly ids: string;
  readonly initiators?: string;
  readonly host: "auto" | "lockstep" | "events";
  readonly kernel: "auto" | "off";
  readonly delay: string;
  readonly fifo: "true" | "false";
  readonly loss?: string;
  readonly multicastLoss?: string;
  readonly crash?: string;
  readonly faults?: string;
  readonly param?: readonly string[];
  readonly threads?: string;
  readonly out?: string;
  readonly trace?: string;
  readonly json?: true;
}

const DEFAULT_N = 100;

export function requestFrom(protocol: ProtocolChoice, options: SimulateOptions): Request {
  const ids = idsOf(options.ids);
  const listed = typeof ids === "string" ? DEFAULT_N : ids.length;
  const seed = numberOf(options.seed, "--seed", "a whole number from 0 to 2^53-1");
  const { topology, largestComponent = false } = options;
  const given = options.n === undefined ? null : wholeNumber(options.n, "--n", 1);
  const n = given ?? (topology !== undefined && bringsItsSize(topology) ? null : listed);
  // A share of the processes needs their number, which a file may have to tell.
  const size = n ?? networkOf({ spec: topology!, n, seed, largestComponent }).topology.size;
  return {
    protocol,
    n,
    seed,
    ...(topology === undefined ? {} : { topology }),
    largestComponent,
    walk: options.walk === undefined ? null : wholeNumber(options.walk, "--walk", 1),
    ids,
    ...(options.initiators === undefined ? {} : { initiators: initiatorsOf(options.initiators, size) }),
    host: options.host,
    kernel: options.kernel,
    delay: delayOf(options.delay),
    fifo: options.fifo === "true",
    faults: faultsOf(options),
    params: paramsOf(options.param ?? []),
  };
}

/** How many trials, or how precise a result. */
export function lengthFrom({ trials, precision }: SimulateOptions): Pick<CampaignOptions, "trials" | "precision"> {
  const target = precision === undefined ? undefined : checkPrecision(shareOf(precision, "--precision"));
  return {
    trials: trials === undefined ? defaultTrials(target) : wholeNumber(trials, "--trials", 1),
    precision: target,
  };
}

/** The plan of the file; a rate that is given as a flag wins over the file's. */
function faultsOf({ faults, loss, multicastLoss, crash }: SimulateOptions): Partial<FaultPlan> {
  return {
    ...(faults === undefined ? {} : readFaults(faults)),
    ...(loss === undefined ? {} : { loss: probability(loss, "--loss") }),
    ...(multicastLoss === undefined ? {} : { multicastLoss: probability(multicastLoss, "--multicast-loss") }),
    ...(crash === undefined ? {} : { crash: probability(crash, "--crash") }),
  };
}

const readFaults = (file: string): FaultPlan => parseFaultFile(readInput(file, "the fault file"), file);
