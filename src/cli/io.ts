/** All that a command has of its process: streams, environment, status, signals. Tests pass their own, and start no process. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** A stream for text; `isTTY` says that a terminal is behind it. */
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /** All of the standard input. */
  readInput(): string;
  readonly env: NodeJS.ProcessEnv;
  /** Threads beside this one for work that is divided, where the user names no number. */
  readonly threads: number;
  /** The status with which the process ends when nothing is left to do. */
  exitCode: number | undefined;
  /** Ends at once; without a status, with the one that is set. */
  exit(status?: number): never;
  on<S extends NodeJS.Signals>(event: S, listener: (signal: S) => void): Io;
  /** However it ends, but for a signal that nobody listens to. */
  on(event: "exit", listener: () => void): Io;
  once<S extends NodeJS.Signals>(event: S, listener: (signal: S) => void): Io;
  off<S extends NodeJS.Signals>(event: S, listener: (signal: S) => void): Io;
  off(event: "exit", listener: () => void): Io;
}

/** What `exit` throws where it must not end the process; `main` makes it the status. */
export class Exit {
  readonly status: number;

  constructor(status: number) {
    this.status = status;
  }
}

/** Of the process itself. Its streams are opened when somebody asks for them. */
export const realIo: Io = {
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  readInput: () => readFileSync(process.stdin.fd, "utf8"),
  env: process.env,
  threads: availableParallelism(),
  get exitCode() {
    return process.exitCode as number | undefined;
  },
  set exitCode(status) {
    process.exitCode = status;
  },
  exit: (...status) => process.exit(...status),
  on(event: string, listener: (...args: never[]) => void) {
    process.on(event, listener as () => void);
    return this;
  },
  once(event: string, listener: (...args: never[]) => void) {
    process.once(event, listener as () => void);
    return this;
  },
  off(event: string, listener: (...args: never[]) => void) {
    process.off(event, listener as () => void);
    return this;
  },
};
