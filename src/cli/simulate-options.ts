/** The options of `simulate`, as its help shows them: units and defaults included. */
import { Option } from "commander";
import { protocolFileOption } from "./protocol-file.ts";

/** The default is shown as it would be typed. */
const option = (flags: string, about: string, value: string): Option => new Option(flags, about).default(value, value);

const choice = (flags: string, about: string, choices: readonly string[]): Option =>
  option(flags, about, choices[0]).choices(choices);

const repeated = (value: string, before: readonly string[] = []): string[] => [...before, value];

export const simulateOptions = (): Option[] => [
  protocolFileOption(),
  new Option("--n <count>", "number of processes (default: 100, or as many as --ids lists)"),
  new Option("--trials <count>", "number of elections (default: 100; with --precision at most 1000000)"),
  new Option("--precision <share>", "run until the 95% intervals of messages and success are within ±, such as 1%"),
  option("--seed <number>", "0 to 2^53-1; neighbouring seeds are independent", "1"),
  new Option(
    "--topology <spec>",
    "network, as `sortition graph` takes it (default: the one that the protocol assumes)",
  ),
  new Option("--largest-component", "take the largest component of a network that is not connected"),
  new Option("--walk <steps>", "length of the walks that find random processes (default: the network's mixing time)"),
  option("--ids <order>", "random, increasing or decreasing in the direction of messages, or a list: 7,3,12", "random"),
  new Option(
    "--initiators <who>",
    "who starts unasked: all, a number of processes, or a share such as 10% (default: all; one where the protocol needs one)",
  ),
  choice("--host <name>", "auto takes lockstep for synchronous protocols, else events", ["auto", "lockstep", "events"]),
  choice("--kernel <choice>", "auto takes a fast path where there is one", ["auto", "off"]),
  option("--delay <model>", "events host: fixed:1, uniform:0.5..1.5 or exp:1 (the mean), in virtual time", "fixed:1"),
  choice("--fifo <choice>", "events host: links keep the order of messages", ["true", "false"]),
  new Option("--loss <p>", "probability, 0 to 1, that a unicast is lost (default: 0)"),
  new Option("--multicast-loss <p>", "probability, 0 to 1, that a receiver misses a multicast (default: 0)"),
  new Option("--crash <p>", "probability, 0 to 1, that a process crashed before the start (default: 0)"),
  new Option("--faults <file>", "JSON plan of losses, crashes, pauses, partitions; the three flags above override it"),
  new Option("--param <key=value>", "a parameter of the protocol; may be repeated").argParser(repeated),
  new Option("--threads <count>", "worker threads (default: one for each core)"),
  new Option("--out <file>", "also write a row for each trial, as .csv, .jsonl or .parquet"),
  new Option("--trace <file>", "also record the first trial, event by event, for «sortition trace»"),
  new Option("--json", "print one JSON object instead of tables"),
];
