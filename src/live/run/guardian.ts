/**
 * The guardian: a process that only holds a command and ends it at its deadline. It leads a session of its own, so that signals of the
 * terminal to `sortition run` (Ctrl-C, Ctrl-Z, a hang-up) do not reach it. Descriptors 0, 1 and 2 are the command's. Descriptor 3 is the
 * pipe of its orders, whose end shows that `run` is gone. Descriptor 4 is the pipe of its messages.
 */
import { spawn, spawnSync } from "node:child_process";
import { Socket } from "node:net";
import { realWorld } from "../real-world.ts";
import { startInside } from "./cgroup.ts";
import { systemEnding } from "./ending.ts";
import { type GuardianOrder, type GuardianWord, lineReader, type StartOrder } from "./guardian-link.ts";
import { findProgram } from "./processes.ts";
import { CommandWatch, marked, type Started } from "./watch.ts";

const ORDERS = 3;
const WORDS = 4;
/** Milliseconds for writing the last messages, since `run` may be gone. */
const LAST_WORDS = 100;

/** Whether setpriv has this option: that of util-linux on Linux has, that of BusyBox has not. */
const bound =
  process.platform === "linux" &&
  spawnSync("setpriv", ["--pdeathsig", "KILL", "--", "true"], { stdio: "ignore" }).status === 0;

const orders = new Socket({ fd: ORDERS, readable: true, writable: false });
const words = new Socket({ fd: WORDS, readable: false, writable: true });
const say = (word: GuardianWord) => void (words.writable && words.write(`${JSON.stringify(word)}\n`));

function start(order: StartOrder): Started | { status: number; why: string } {
  const { file, args } = order;
  const env = marked(order);
  const found = findProgram(file, env.PATH);
  if ("why" in found) return found;
  // SIGKILL, because when this process dies, no other may know the deadline, and a command that ignores SIGTERM would go on.
  const line = bound ? ["setpriv", "--pdeathsig", "KILL", "--", file, ...args] : [file, ...args];
  const { child, isInside } = startInside(order.cgroup, () =>
    spawn(line[0], line.slice(1), { env, stdio: "inherit", detached: true }),
  );
  return { child, bound, inCgroup: isInside };
}

/** Not by exit(), at which Node can hang for ever on a busy machine (nodejs/node#54918); nobody asks for the status of this process. */
const end = () => process.kill(process.pid, "SIGKILL");

const watch = new CommandWatch({
  ...systemEnding,
  say,
  start,
  self: process.pid,
  over() {
    words.end(end);
    realWorld.set(LAST_WORDS, end);
  },
});

const heard = lineReader<GuardianOrder>((order) => watch.obey(order));
orders.setEncoding("utf8").on("data", (chunk: string) => heard(chunk));
orders.on("close", () => watch.orphaned());
// An error of a pipe means that `run` is gone. The end of the orders shows that too.
for (const pipe of [orders, words]) pipe.on("error", () => {});
process.on("SIGTERM", () => watch.told());
for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const) process.on(signal, () => {});
// A fault of the guardian must not leave the command running.
process.on("uncaughtException", (error) => {
  process.stderr.write(`sortition: its guardian has failed, and ends the command: ${error.stack}\n`);
  watch.kill();
});
say({ said: "ready" });
