/** Starts the browser that all test files share: the one from npm, or the machine's own. */
import { execFile } from "node:child_process";
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BrowserServer, chromium as launcher } from "playwright-core";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MACHINE = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  // Root has no sandbox, and some machines allow none to other users.
  "--no-sandbox",
  "--no-zygote",
  // Without a graphics card, Chromium would emulate one. Painting without it takes less than half the time.
  "--disable-gpu",
  "--in-process-gpu",
  "--font-render-hinting=none",
];

/** Fails with the reasons where no browser starts. */
export async function startBrowser(): Promise<BrowserServer> {
  const problems: string[] = [];
  for (const candidate of [fromNpm, fromMachine]) {
    try {
      return await launcher.launchServer({
        executablePath: await candidate(),
        args: FLAGS,
        host: "127.0.0.1",
        // The run ends on these by itself; the browser would end the run before it has cleaned up.
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      });
    } catch (error) {
      problems.push(String(error).split("\n")[0]);
    }
  }
  throw new Error(`no browser starts here: ${problems.join("; ")}`);
}

function fromMachine(): string {
  const found = MACHINE.find(existsSync);
  if (found === undefined) throw new Error(`none of ${MACHINE.join(", ")} is there`);
  return found;
}

/** Unpacked once, into a folder that later runs find; for this run alone where that folder cannot be written. */
async function fromNpm(): Promise<string> {
  const description = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../package.json");
  const { version } = createRequire(import.meta.url)(description) as { version: string };
  const cache = join(root, "node_modules/.cache", `sortition-chromium-${version}`);
  if (isUsable(cache)) return join(cache, "chromium");
  try {
    mkdirSync(dirname(cache), { recursive: true });
    removeHalves(cache);
    return await unpack(cache);
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return unpack(join(tmpdir(), basename(cache)));
  }
}

/** Under another name first: a run that is killed leaves no half under this one. */
async function unpack(folder: string): Promise<string> {
  const half = `${folder}.${process.pid}`;
  mkdirSync(half);
  try {
    // In a process of its own, because the package unpacks into the temporary folder, under fixed names.
    await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "-e", 'await (await import("@sparticuz/chromium")).default.executablePath()'],
      { cwd: root, env: { ...process.env, TMPDIR: half } },
    );
    // The package lets only the user who unpacked it run it.
    chmodSync(join(half, "chromium"), 0o755);
    renameSync(half, folder);
  } catch (error) {
    // Another run may have been quicker.
    if (!isUsable(folder)) throw error;
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
  return join(folder, "chromium");
}

function isUsable(folder: string): boolean {
  try {
    accessSync(join(folder, "chromium"), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What runs that were killed have left behind; those that run still need theirs. */
function removeHalves(cache: string): void {
  for (const name of readdirSync(dirname(cache))) {
    const [whole, pid] = [name.slice(0, name.lastIndexOf(".")), name.slice(name.lastIndexOf(".") + 1)];
    if (whole === basename(cache) && !isRunning(Number(pid))) rmSync(join(dirname(cache), name), { recursive: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
