/** Flight records, run again: every step of every process with what it sent and what its member told, ready to be put together. */
import { group } from "../elector/group.ts";
import type { GroupReport } from "../elector/report.ts";
import type { GroupState } from "../elector/state.ts";
import { InputError } from "../errors.ts";
import { canonicalText } from "../explorer/space/plain.ts";
import { type Address, type Port, SELF, type Verdict } from "../protocol.ts";
import type { FlightHead } from "./format.ts";
import { readRecord } from "./read.ts";
import { type MadeSending, type RunAgain, runAgain } from "./run-again.ts";
import type { TapedStep } from "./steps.ts";
import type { AnyMachine } from "./tape.ts";

/** A file, and what it is called. */
export interface FlightFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A message that a step sent. */
interface LivedSending {
  /** Null: to itself. */
  readonly to: Address | null;
  readonly message: unknown;
  /** The same for equal messages. */
  readonly content: string;
}

/** One step of a life. */
export interface LivedStep {
  readonly number: number;
  /** Milliseconds, by the clock that its process has. */
  readonly at: number;
  readonly step: TapedStep;
  /** Of a message: where it came from; null: from itself, or from its user. */
  readonly from: Address | null;
  /** Of a message: the same for equal ones. */
  readonly content: string;
  readonly sends: readonly LivedSending[];
  readonly verdict: Verdict | null;
  /** What its member reports after it; null where the machine is no group, and where the machine has failed. */
  readonly report: GroupReport | null;
}

/** One start of a process, run again. */
export interface Relived {
  readonly file: string;
  readonly head: FlightHead;
  readonly steps: readonly LivedStep[];
  readonly result: RunAgain;
  /** Names of members by address, as it knows them in the end. */
  readonly names: ReadonlyMap<Address, string>;
  readonly nameOfLife: ReadonlyMap<number, string>;
}

const NOBODY: Pick<Relived, "names" | "nameOfLife"> = { names: new Map(), nameOfLife: new Map() };

interface LivedRecord {
  readonly lives: readonly Relived[];
  /** What could not be read, a sentence each. */
  readonly notes: readonly string[];
}

/** With which machine records are run again, and whether it goes on after a difference. */
export interface LivingOptions {
  /** The machine that is run, where it is not a group. */
  readonly machine?: AnyMachine | undefined;
  /** Whether it is led on where it does something else than what was recorded (`RerunOptions.goesOn`). */
  readonly goesOn?: boolean;
}

/** Reads and runs them. Throws an InputError where a file is no record, or one of an unknown machine. */
export function liveAgain(files: readonly FlightFile[], options: LivingOptions = {}): LivedRecord {
  const records = files.map(({ name, bytes }) => readRecord(bytes, name));
  const lives = records.flatMap(({ name, lives }) =>
    lives.map((life) => {
      const machine = machineOf(life.head, name, options.machine);
      const isGroup = machine.name === "group";
      const steps: LivedStep[] = [];
      let last: unknown = null;
      const result = bounded(name, () =>
        runAgain(machine, life, {
          goesOn: options.goesOn ?? false,
          ran: ({ number, step, state, sends, address }) => {
            last = state;
            steps.push({
              number,
              at: step.at,
              step,
              ...heardIn(step, address),
              sends: sends.map(sentTo(address)),
              verdict: attempt(() => machine.verdict(state)),
              report: isGroup ? attempt(() => machine.report!(state) as GroupReport) : null,
            });
          },
        }),
      );
      const names = isGroup ? attempt(() => namesIn(last as GroupState)) : null;
      return { file: name, head: life.head, steps, result, ...(names ?? NOBODY) };
    }),
  );
  const seen = new Map<string, string>();
  for (const { file, head } of lives) {
    const key = `${head.member} ${head.life}`;
    const other = seen.get(key);
    if (other !== undefined && other !== file) {
      throw new InputError(`${other} and ${file} are records of the same process (${head.member}): give one of them`);
    }
    seen.set(key, file);
  }
  const several = records.length > 1;
  return {
    lives,
    notes: records.flatMap(({ name, notes }) => notes.map((note) => (several ? `${name}: ${note}` : note))),
  };
}

function machineOf({ machine }: FlightHead, file: string, own: AnyMachine | undefined): AnyMachine {
  if (own !== undefined && own.name === machine) return own;
  if (own !== undefined) throw new InputError(`${file} records the machine "${machine}", and "${own.name}" was given`);
  if (machine === "group") return group();
  throw new InputError(`${file} records the machine "${machine}", which is not known here: give it`);
}

/** Values within values until the stack is full; nothing that was recorded is like that. */
function bounded<T>(file: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError) throw new InputError(`${file} is damaged: ${error.message}`);
    throw error;
  }
}

/** A state that a damaged or foreign file has led to may have no report: then there is none. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function heardIn(step: TapedStep, address: (port: Port) => Address): Pick<LivedStep, "from" | "content"> {
  if (step.do !== "receive") return { from: null, content: "" };
  return { from: step.port === SELF ? null : address(step.port), content: canonicalText(step.message) };
}

/** One message to several is put into words once. */
function sentTo(address: (port: Port) => Address): (sending: MadeSending) => LivedSending {
  let last: Pick<LivedSending, "message" | "content"> | null = null;
  return ({ to, message }) => {
    if (last === null || last.message !== message) last = { message, content: canonicalText(message) };
    return { to: to === SELF ? null : address(to), ...last };
  };
}

function namesIn({ members, name, life }: GroupState): Pick<Relived, "names" | "nameOfLife"> {
  // A forged state may call members anything.
  const known = [...members.members.values()].filter((member) => typeof member.name === "string");
  return {
    names: new Map(known.filter((member) => member.name !== name).map((member) => [member.address, member.name])),
    nameOfLife: new Map([[life, name], ...known.map((member) => [member.life, member.name] as const)]),
  };
}
