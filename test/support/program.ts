/** A server's program, from Debian's package or built by Go. */
import { type DebianProgram, findProgram, programEnvironment } from "./debian.ts";
import { findGoProgram, type GoProgram } from "./go-program.ts";

export type Program = DebianProgram | GoProgram;

const isBuilt = (program: Program): program is GoProgram => "module" in program;

/** Null where this machine does not have it. */
export const programFile = (program: Program): string | null =>
  isBuilt(program) ? findGoProgram(program) : findProgram(program);

export const environmentOf = (program: Program): NodeJS.ProcessEnv =>
  isBuilt(program) ? process.env : programEnvironment(program);
