/**
 * Servers that are built from their sources by Go, once for each version, into the cache folder of the user: the Go module proxy has
 * them, Debian and npm do not, or not the present versions. `node test/support/go-program.ts` builds what is missing.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface GoProgram {
  readonly name: string;
  /** The folder of its go.mod, which names the version of everything. */
  readonly folder: string;
  /** Of the command. */
  readonly package: string;
  /** Whose version it has. */
  readonly module: string;
  /** The linker puts its version into these variables: the whole text, the first number and the second. */
  readonly stamps?: readonly [whole: string, major: string, minor: string];
}

const folder = (name: string) => fileURLToPath(new URL(`./go/${name}/`, import.meta.url));
const stamp = "k8s.io/component-base/version";
const ofKubernetes = {
  folder: folder("kubernetes"),
  module: "k8s.io/kubernetes",
  stamps: [`${stamp}.gitVersion`, `${stamp}.gitMajor`, `${stamp}.gitMinor`],
} as const;

export const GO_ETCD: GoProgram = {
  name: "etcd",
  folder: folder("etcd"),
  package: "go.etcd.io/etcd/server/v3",
  module: "go.etcd.io/etcd/server/v3",
};
export const GO_NATS: GoProgram = {
  name: "nats-server",
  folder: folder("nats"),
  package: "github.com/nats-io/nats-server/v2",
  module: "github.com/nats-io/nats-server/v2",
};
export const KUBECTL: GoProgram = {
  ...ofKubernetes,
  name: "kubectl",
  package: "k8s.io/kubernetes/cmd/kubectl",
};
/** Takes a quarter of an hour of two processors, and 4 GB of memory. */
export const API_SERVER: GoProgram = {
  ...ofKubernetes,
  name: "kube-apiserver",
  package: "k8s.io/kubernetes/cmd/kube-apiserver",
};
export const GO_PROGRAMS: readonly GoProgram[] = [GO_NATS, GO_ETCD, KUBECTL, API_SERVER];

/** Such as 1.36.3. */
export function versionOf({ folder, module }: GoProgram): string {
  const text = readFileSync(join(folder, "go.mod"), "utf8");
  const line = text.split("\n").find((each) => each.trim().replace("require ", "").startsWith(`${module} v`));
  if (line === undefined) throw new Error(`${folder}go.mod does not require ${module}`);
  return line.trim().replace("require ", "").split(" ")[1].slice(1);
}

/** What was built stays there, also if the project's folder is removed. */
export function goFolder(): string {
  const cache = process.env.XDG_CACHE_HOME ?? "";
  return join(cache === "" ? join(homedir(), ".cache") : cache, "sortition", "servers");
}

const fileOf = (program: GoProgram): string => join(goFolder(), `${program.name}-${versionOf(program)}`);

/** The program, if it was built. Nothing is built. */
export function findGoProgram(program: GoProgram): string | null {
  const file = fileOf(program);
  return existsSync(file) ? file : null;
}

/** Only one process may build at a time. Returns null, or why there is no program. */
export function buildGoProgram(program: GoProgram): string | null {
  if (findGoProgram(program) !== null) return null;
  const file = fileOf(program);
  mkdirSync(goFolder(), { recursive: true });
  const why = goBuild(program.folder, program.package, file, stampsOf(program));
  return why === null ? null : `it cannot be built: ${why}`;
}

function stampsOf(program: GoProgram): readonly string[] {
  const { stamps } = program;
  if (stamps === undefined) return [];
  const version = versionOf(program);
  const [major, minor] = version.split(".");
  const values = [`v${version}`, major, minor];
  return ["-ldflags", stamps.map((variable, index) => `-X ${variable}=${values[index]}`).join(" ")];
}

/** Builds a command into that file, or says why not. A reader finds the whole file or none. */
export function goBuild(folder: string, what: string, file: string, more: readonly string[] = []): string | null {
  const partial = `${file}.${process.pid}`;
  const done = spawnSync("go", ["build", "-p", "2", "-trimpath", ...more, "-o", partial, what], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, CGO_ENABLED: "0", GOTOOLCHAIN: "local" },
  });
  if (done.error !== undefined) return "there is no Go on this machine (1.26 or newer)";
  if (done.status !== 0) return done.stderr.trim().split("\n").slice(-3).join(" ");
  renameSync(partial, file);
  return null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const program of GO_PROGRAMS) {
    const named = `${program.name} ${versionOf(program)}`;
    if (findGoProgram(program) === null) process.stdout.write(`Building ${named}.\n`);
    const why = buildGoProgram(program);
    process.stdout.write(`${named}: ${why ?? fileOf(program)}\n`);
    if (why !== null) process.exitCode = 2;
  }
}
