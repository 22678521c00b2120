/** `sortition demo --protocols`: real processes elect leaders with every protocol, also while datagrams are lost and processes killed. */
import { InputError } from "../../../errors.ts";
import { newKeyText } from "../../../live/net/keyring.ts";
import { parametersFor } from "../../../live/once/members.ts";
import { type GroupResult, ProcessGroup } from "../../../live/once/process-group.ts";
import type { AnyProtocol } from "../../../protocol.ts";
import { catalogue, protocolNamed } from "../../../protocols/catalogue.ts";
import type { Params } from "../../../protocols/parameters.ts";
import { entryOf, predict } from "../../../registry/all.ts";
import { type Request, resolve } from "../../../simulation/settings.ts";
import { runTrial } from "../../../simulation/trial.ts";
import { LOSSLESS, type Prediction } from "../../../theory/prediction.ts";
import { onInterrupt } from "../../interrupt.ts";
import type { Io } from "../../io.ts";
import { stallLimitFor } from "../../options/elect.ts";
import { figure, plural } from "../../text/figures.ts";
import { type Column, table } from "../../text/table.ts";
import { painter, print, terminalWidth } from "../../text/terminal.ts";

const TAU = 50;
const LOSS = 0.05;
/**
 * Where processes are killed, milliseconds that datagrams are held back: else the quick elections would be over before. Tau
 * must be longer than a message takes, so it is longer as well.
 */
const SLOW = 100;
const SLOW_TAU = 250;
const KILL_AFTER = 60;
/** Milliseconds after which those who are left give up: a ring is broken for good, others would have decided. */
const BROKEN = 4000;

const COLUMNS: readonly Column[] = [
  { title: "network" },
  { title: "protocol" },
  ...["members", "leader", "time", "messages", "simulated", "theory", "most", "bytes", "datagrams"].map(
    (title): Column => ({ title, align: "right" }),
  ),
];

/** `name`: of one protocol, or auto for all that run on such a group. */
export async function demonstrateProtocols(io: Io, n: number, name: string): Promise<void> {
  const chosen = name === "auto" ? catalogue : [protocolNamed(name)];
  const protocols = onlyOneCouncil(chosen.filter((protocol) => showable(protocol, n)));
  if (protocols.length === 0) {
    throw new InputError(`${name} does not run among ${n} members: choose another, or another number`);
  }
  const interrupt = onInterrupt(io);
  const group = new ProcessGroup(n);
  // Once asked to end there is nothing to wait for: the elections that run fail with their processes.
  interrupt.signal.addEventListener("abort", () => io.exit(130));
  try {
    await show(io, group, n, protocols);
  } finally {
    await group.stop();
    interrupt.stop();
  }
}

/** A demonstration of leaders: of the councils, which are many, the first will do. */
function onlyOneCouncil(protocols: readonly AnyProtocol[]): AnyProtocol[] {
  const council = protocols.find(({ assumes }) => assumes.topology === "star");
  return protocols.filter((protocol) => protocol.assumes.topology !== "star" || protocol === council);
}

async function show(io: Io, group: ProcessGroup, n: number, protocols: readonly AnyProtocol[]): Promise<void> {
  const bold = (text: string) => painter(io.stdout)("bold", text);
  const ids = Array.from({ length: n }, (_, i) => i + 1);
  const key = newKeyText();
  const rows: ProtocolRow[] = [];
  print(io, `${plural(n, "process", "processes")} on loopback, datagrams sealed with AES-256-GCM, tau = ${TAU} ms`);

  await group.join(ids, { key });
  const act = async (network: string, protocol: AnyProtocol, election: () => Promise<GroupResult>) => {
    progress(io, `${network}: ${protocol.name}`);
    rows.push(row(network, protocol, await election()));
    progress(io, "");
  };
  for (const protocol of protocols) await act("undisturbed", protocol, () => elect(group, protocol, "1"));
  await group.leave();

  await group.join(ids, { key, impairment: { loss: LOSS, delay: 0, seed: 1 } });
  for (const protocol of protocols) await act("5% lost", protocol, () => elect(group, protocol, "2"));
  await group.leave();

  // One third is killed once, in the middle of elections with all protocols, side by side on the same sockets.
  await group.join(ids, { key, impairment: { loss: 0, delay: SLOW, seed: 1 } });
  const victims = ids.filter((id) => id % 3 === 0);
  progress(io, `${victims.length} killed: all protocols at once`);
  const broken = await electAndKill(group, protocols, victims);
  progress(io, "");
  for (const [i, protocol] of protocols.entries())
    rows.push(row(`${victims.length} killed`, protocol, broken[i], true));
  await group.leave();

  const survivors = ids.filter((id) => !victims.includes(id));
  await group.join(survivors, { key });
  for (const protocol of protocols.filter((each) => showable(each, survivors.length))) {
    await act("survivors", protocol, () => elect(group, protocol, "4"));
  }

  const options = { width: terminalWidth(io), indent: 2, heading: bold };
  print(
    io,
    `\n${table(
      COLUMNS,
      rows.map(({ cells }) => cells),
      options,
    )}\n`,
  );
  print(
    io,
    explanation(
      victims,
      rows.some(({ missed }) => missed),
    ),
  );
  const unsafe = rows.flatMap(({ unsafe }) => unsafe ?? []);
  if (unsafe.length > 0) throw new Error(`two leaders of one election: ${unsafe.join("; ")}`);
}

/** What is going on, on the last line of a terminal; nothing if there is none. */
function progress(io: Io, text: string): void {
  if (io.stderr.isTTY) io.stderr.write(`\r\x1b[2K${text}`);
}

/** Those who are members now elect; in the ring of the survivors the dead have no place. */
function elect(group: ProcessGroup, protocol: AnyProtocol, name: string): Promise<GroupResult> {
  // A lasting council has a verdict from the start, and sends messages over its whole horizon: 18 s of its own time.
  const timeout = protocol.assumes.topology === "star" ? null : 10_000;
  return group.elect(electionOf(group, protocol, name, TAU, timeout));
}

/** Nobody tells the survivors: they notice that no verdict comes within the time-out. */
function electAndKill(
  group: ProcessGroup,
  protocols: readonly AnyProtocol[],
  victims: readonly number[],
): Promise<GroupResult[]> {
  let waiting = protocols.length;
  const begun = () => {
    if (--waiting > 0) return;
    setTimeout(() => {
      for (const id of victims) group.signal(id, "SIGKILL");
    }, KILL_AFTER);
  };
  return Promise.all(
    protocols.map((protocol) =>
      group.elect(electionOf(group, protocol, `3 ${protocol.name}`, SLOW_TAU, BROKEN), { begun }),
    ),
  );
}

function electionOf(group: ProcessGroup, protocol: AnyProtocol, name: string, tau: number, timeout: number | null) {
  return {
    protocol: protocol.name,
    params: parametersOf(protocol),
    members: group.members,
    name,
    tau,
    gather: 5000,
    timeout,
    linger: 300,
    multicast: "auto",
    stallLimit: stallLimitFor(tau),
  } as const;
}

function explanation(victims: readonly number[], missed: boolean): string {
  return [
    "time        from the common start until the last member knew the outcome",
    "messages    what the members sent in all; simulated: the mean of the simulator for the same order of ids",
    "theory      the mean for ids in random order (here they ascend along the ring); most: no ring election costs more",
    "datagrams   what that took on the network: messages, acknowledgements, retransmissions and the gathering",
    `killed      ${victims.join(", ")} by SIGKILL in the middle; the rest wait for the timeout, then elect among themselves`,
    ...(missed
      ? ["none        not killed: lots that fell badly, or messages later than tau, as happens on a busy machine"]
      : []),
  ].join("\n");
}

// One election of the demonstration as a row of its table.

const SIMULATIONS = 50;

const parametersOf = (protocol: AnyProtocol): Params => entryOf(protocol)?.demonstration ?? {};

interface ProtocolRow {
  readonly cells: readonly string[];
  readonly unsafe: string | null;
  /** Nobody was elected, although everybody was there. */
  readonly missed: boolean;
}

/** Whether the protocol can run, with its defaults, among n members without a given graph. */
function showable(protocol: AnyProtocol, n: number): boolean {
  try {
    parametersFor(protocol, parametersOf(protocol), group(Array.from({ length: n }, (_, i) => i + 1)));
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** `shared`: others were held at the same time on the same sockets, so nobody can tell whose a datagram was. */
export function row(network: string, protocol: AnyProtocol, result: GroupResult, shared = false): ProtocolRow {
  const { outcomes, unsafe } = result;
  const leaders = outcomes.filter(({ status }) => status === "elected").map(({ self }) => self);
  const n = outcomes.length;
  const total = (of: (outcome: GroupResult["outcomes"][number]) => number) =>
    outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  const times = outcomes.map(({ seconds }) => seconds);
  const decided = outcomes.every(({ status }) => status !== "undecided");
  const complete = outcomes[0]?.members === n;
  const ids = outcomes.map(({ self }) => self);
  const expected = complete ? theory(protocol, ids) : null;
  return {
    cells: [
      network,
      protocol.name,
      String(n),
      leaders.length === 0 ? "none" : leaders.length > 2 ? `${leaders.length} of them` : leaders.join(" and "),
      decided ? `${Math.round(1000 * Math.max(...times.map((time) => time ?? 0)))} ms` : "timeout",
      figure(total(({ messages }) => messages)),
      complete ? figure(simulated(protocol, ids)) : "-",
      complete ? figure(expected?.messages ?? null) : "-",
      complete ? figure(expected?.factors?.worst ?? null) : "-",
      shared ? "-" : figure(total(({ bytes }) => bytes)),
      shared
        ? "-"
        : figure(total(({ datagrams: { received: _, ...sent } }) => Object.values(sent).reduce((a, b) => a + b, 0))),
    ],
    missed: complete && leaders.length === 0,
    // Ring protocols promise one leader; others one with high probability, or a council.
    unsafe: unsafe === null || protocol.assumes.topology !== "ring" ? null : `${protocol.name}, ${network}: ${unsafe}`,
  };
}

const group = (ids: readonly number[]) => ({
  members: ids.map((id) => ({ id, host: "127.0.0.1", port: 1 })),
  edges: [],
});

/** What theory expects, for ids in random order. */
function theory(protocol: AnyProtocol, ids: readonly number[]): Prediction | null {
  const isStar = protocol.assumes.topology === "star";
  const n = isStar ? ids.length - 1 : ids.length;
  const params = parametersFor(protocol, parametersOf(protocol), group(ids));
  const { initiators = n } = protocol;
  return predict({ protocol, n, params, initiators, ...LOSSLESS });
}

/** The mean number of messages in the simulator, on the same ring. */
function simulated(protocol: AnyProtocol, ids: readonly number[]): number | null {
  const { topology, identity } = protocol.assumes;
  const placed = topology === "ring" && identity === "ids";
  const n = topology === "star" ? ids.length - 1 : ids.length;
  const request: Request = { protocol: protocol.name, n, params: parametersOf(protocol), ...(placed ? { ids } : {}) };
  try {
    const settings = resolve(request);
    const trials = Array.from({ length: SIMULATIONS }, (_, trial) => runTrial(settings, trial).messages);
    return trials.reduce((a, b) => a + b) / SIMULATIONS;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
