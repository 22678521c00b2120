/** The options of `simulate`, and what they ask for. */
import { Option } from "commander";
import { parseFaultFile } from "../../host/faults/fault-file.ts";
import type { ProtocolChoice } from "../../protocols/registry.ts";
import { type Given, pick } from "../../setting.ts";
import { LENGTH, SETTINGS } from "../../settings/simulation.ts";
import type { Request } from "../../simulation/settings.ts";
import { readInput } from "../files.ts";
import type { Io } from "../io.ts";
import type { NatsFlags } from "./nats.ts";
import { paramsOf } from "./options.ts";

/** As commander gives them: values of the tables are read already. */
export interface SimulateOptions extends Given<typeof SETTINGS>, Given<typeof LENGTH>, NatsFlags {
  readonly protocolFile?: string;
  readonly faults?: string;
  readonly param?: readonly string[];
  readonly out?: string;
  readonly trace?: string;
  readonly shard?: string;
  readonly force?: true;
  readonly json?: true;
}

export const ALL_SETTINGS = { ...SETTINGS, ...LENGTH };

export const faultsOption = (): Option =>
  new Option("--faults <file>", "JSON plan of faults; rates that are given as flags win over it");

export const requestFrom = (protocol: ProtocolChoice, options: SimulateOptions): Request => ({
  protocol,
  ...pick(SETTINGS, options),
  ...(options.faults === undefined
    ? {}
    : { faults: parseFaultFile(readInput(options.faults, "the fault file"), options.faults) }),
  params: paramsOf(options.param),
});

/** Worker threads: one for each core by default. */
export const threadsOf = (io: Io, { threads }: Given<typeof LENGTH>): number => threads ?? io.threads;
