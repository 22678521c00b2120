/** Programs beside ours: compiled with the system's tools into a folder that is removed, or named where that cannot be. */
import { type ExecFileException, execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Measured } from "./measured.ts";

type Arguments = readonly (string | number)[];

/** A program, or why there is none. */
export type Program =
  | {
      readonly run: (...args: Arguments) => Measured;
      /** So many processes of it at once. */
      readonly together: (processes: number, ...args: Arguments) => Promise<Measured[]>;
    }
  | { readonly missing: string };

/** Of Debian, where a peer is missing and `--install` was given. */
interface Peer {
  readonly packages: readonly string[];
  readonly isThere: readonly string[];
}

const here = import.meta.dirname;

export class Programs {
  private readonly folder = mkdtempSync(join(tmpdir(), "sortition-bench-"));
  private readonly mayInstall: boolean;

  constructor(mayInstall: boolean) {
    this.mayInstall = mayInstall;
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }

  /** What a whole run needs and is not here. */
  lacking(): string[] {
    const needed: Readonly<Record<string, Program>> = {
      C: this.c("referees"),
      "ns-3": this.ns3("chang-roberts"),
      SimPy: this.simpy("chang-roberts"),
      SimGrid: this.simgrid("chang-roberts"),
    };
    return Object.entries(needed).flatMap(([name, program]) =>
      "missing" in program ? [`${name}: ${program.missing}`] : [],
    );
  }

  c(name: string): Program {
    return this.compiled("gcc", join(here, "c", `${name}.c`), ["-lm"]);
  }

  ns3(name: string): Program {
    const missing = this.missing({ packages: ["libns3-dev"], isThere: ["pkg-config", "--exists", "ns3-core"] });
    return missing ?? this.compiled("g++", join(here, "peers", `ns3-${name}.cc`), ["-lns3-core"]);
  }

  simgrid(name: string): Program {
    const missing = this.missing({
      packages: ["libsimgrid-dev"],
      isThere: ["test", "-e", "/usr/include/simgrid/s4u.hpp"],
    });
    return missing ?? this.compiled("g++", join(here, "peers", `simgrid-${name}.cc`), ["-lsimgrid"]);
  }

  simpy(name: string): Program {
    const python = "/usr/bin/python3";
    const missing = this.missing({ packages: ["python3-simpy3"], isThere: [python, "-c", "import simpy"] });
    return missing ?? programOf(python, join(here, "peers", `simpy-${name}.py`));
  }

  private missing({ packages, isThere: [test, ...args] }: Peer): { missing: string } | null {
    if (spawnSync(test, args).status === 0) return null;
    const line = `apt-get install -y --no-install-recommends ${packages.join(" ")}`;
    if (!this.mayInstall) return { missing: `not installed; with --install, or after: ${line}` };
    const [program, ...rest] = line.split(" ");
    const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
    return status === 0
      ? null
      : { missing: `cannot be installed: ${stderr?.trim().split("\n").at(-1) ?? "no apt-get"}` };
  }

  private compiled(compiler: string, source: string, libraries: readonly string[]): Program {
    const file = join(this.folder, source.replace(/\W/g, "-"));
    const made = spawnSync(compiler, ["-O3", "-march=native", "-o", file, source, ...libraries], { encoding: "utf8" });
    if (made.error !== undefined) return { missing: `no ${compiler} here` };
    if (made.status !== 0) return { missing: `does not compile: ${made.stderr.trim().split("\n")[0]}` };
    return programOf(file);
  }
}

/** Ours, in a process of its own, so that memory is its own too. */
export const ours = (order: object): Measured => execute(process.execPath, argumentsOf(order, 1));

/** The same as one of this many processes at a time, each of which is ended after this many milliseconds. */
export async function oursBeside(order: object, processes: number, patience: number): Promise<Measured> {
  try {
    const args = argumentsOf(order, processes);
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: patience });
    return JSON.parse(stdout);
  } catch (error) {
    const { killed, code, signal } = error as ExecFileException;
    throw killed === true ? overdue(patience) : new Error(`ended with ${code ?? signal}`);
  }
}

/** Node's own limit does not grow with the machine. */
const argumentsOf = (order: object, processes: number) => [
  `--max-old-space-size=${Math.floor((0.8 * totalmem()) / processes / 2 ** 20)}`,
  join(here, "ours.ts"),
  JSON.stringify(order),
];
const overdue = (patience: number) => new Error(`ended after ${patience / 1000} s`);

/** Milliseconds; what takes longer is not measured, and said to be so. */
const PATIENCE = 120_000;

const programOf = (file: string, ...first: readonly string[]): Program => ({
  run: (...args) => execute(file, [...first, ...args]),
  together: (processes, ...args) =>
    Promise.all(
      Array.from({ length: processes }, async () => {
        const { stdout } = await promisify(execFile)(file, [...first, ...args.map(String)]);
        return JSON.parse(stdout);
      }),
    ),
});

function execute(program: string, args: Arguments): Measured {
  const { status, signal, stdout, stderr } = spawnSync(program, args.map(String), {
    encoding: "utf8",
    timeout: PATIENCE,
  });
  if (signal !== null) throw overdue(PATIENCE);
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
