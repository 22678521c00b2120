/** What the demo shows, chapter by chapter. Every number is of this run. */
import type { AgentSeat, AgentSelf } from "../../../api/client.ts";
import { statedTimes } from "../../../elector/times.ts";
import { InputError } from "../../../errors.ts";
import { resolveParameters } from "../../../protocols/parameters.ts";
import { findProtocol } from "../../../protocols/registry.ts";
import { predict } from "../../../registry/all.ts";
import { LOSSLESS } from "../../../theory/prediction.ts";
import type { Io } from "../../io.ts";
import { figure, plural } from "../../text/figures.ts";
import { wrap } from "../../text/table.ts";
import { painter, print, terminalWidth } from "../../text/terminal.ts";
import type { Led } from "./observatory.ts";
import type { DemoAgent } from "./processes.ts";
import { type DemoStage, TTL } from "./stage.ts";

/** Milliseconds for anything that takes a lease or two, on a machine that is busy with other things. */
const PATIENCE = 25_000;

export async function tellDemo(stage: DemoStage, n: number, teller: DemoTeller): Promise<void> {
  await gather(stage, n, teller);
  const elected = await election(stage, n, teller);
  const next = await killed(stage, elected, teller);
  const after = await paused(stage, next, teller);
  await transferred(stage, n, after, teller);
}

async function gather(stage: DemoStage, n: number, { chapter, say, fact, waiting }: DemoTeller): Promise<void> {
  chapter("A group");
  const since = Date.now();
  const started = async (name: string) => {
    const agent = await stage.start(name);
    waiting(`${stage.processes.running.length} of ${n} run`);
    return agent;
  };
  waiting(`${n} agents start`);
  const first = await started("m1");
  await Promise.all(Array.from({ length: n - 1 }, (_, i) => started(`m${i + 2}`)));
  const led = await agreed(stage, n);
  say(`${n} agents run, each a process with its own HTTP API on loopback; ${first.name} came first and leads.`);
  fact("time", `${took(led.knownAt - since)} from the first start until all ${n} knew each other and the leader`);
  fact("sealed", "datagrams between them, with a key of this run (AES-256-GCM)");
  fact("strict", `the leader holds a lease of ${took(TTL)} in SQLite, with a token larger than all before it`);
}

/** The leader resigns, so that all of them elect. */
async function election(stage: DemoStage, n: number, { chapter, say, fact }: DemoTeller): Promise<Led> {
  chapter("An election");
  const before = await agreed(stage, n);
  const messages = await electionMessages(stage);
  const since = Date.now();
  await stage.client(agentOf(stage, before.leader)).post("/v1/resign", {});
  const led = await agreed(stage, n, before);
  await rest(150);
  const spent = (await electionMessages(stage)) - messages;
  const { election } = await stage.client(agentOf(stage, led.leader)).get<AgentSeat>("/v1/leader");
  say(`${before.leader} resigns, ${n} members elect: ${led.leader} leads in term ${led.term} with token ${led.token}.`);
  if (election !== null) fact("protocol", election.protocol);
  fact("messages", `${figure(spent)}${theory(election?.protocol, n - 1)}`);
  fact("time", `${took(led.ledAt - since)} until it led, ${took(led.knownAt - since)} until all knew it`);
  fact("bound", `${took(statedTimes("local", n, TTL).settle)}, stated for the worst runs under faults`);
  if (election?.epsilon != null) {
    const words = "if two did win, the lease store would give one of them the lease";
    fact("epsilon", `${figure(election.epsilon)}: ${election.caveat}; ${words}`);
  }
  return led;
}

async function killed(stage: DemoStage, before: Led, { chapter, say, fact, waiting }: DemoTeller): Promise<Led> {
  chapter("kill -9 of the leader");
  stage.beginToWrite(before);
  await written(stage, before);
  const victim = agentOf(stage, before.leader);
  say(
    `${victim.name}, process ${victim.pid}, leads, and the program beside it writes to a guarded counter. It is killed.`,
  );
  const since = Date.now();
  await stage.processes.kill(victim.name);
  waiting("its lease runs out");
  const led = await agreed(stage, null, before);
  say(`${led.leader} leads in term ${led.term} with token ${led.token}.`);
  fact(
    "fail-over",
    `${took(led.ledAt - since)} until it led, ${took(led.knownAt - since)} until all ${stage.processes.running.length} knew it`,
  );
  fact("promised", `when the lease of the killed leader has expired: at most ${took(TTL)} after its last renewal`);
  waiting(`${victim.name} is started again`);
  await stage.start(victim.name);
  say(`${victim.name} is started again, and follows.`);
  return led;
}

/** The leader and the program beside it are paused, in the middle of a write, for longer than the lease. */
async function paused(stage: DemoStage, before: Led, { chapter, say, fact, waiting }: DemoTeller): Promise<Led> {
  chapter("A paused leader");
  const { processes, observatory } = stage;
  const { name } = agentOf(stage, before.leader);
  await written(stage, before);
  processes.stopClerkBeforeWrite(name);
  await observatory.until(() => said(stage, name, "stops"), PATIENCE, "the program beside the leader did not stop");
  const since = Date.now();
  await processes.pause(name);
  say(`${name} and the program beside it are stopped (SIGSTOP), between its check of the lease and its write.`);
  waiting("its lease runs out");
  const led = await agreed(stage, null, before);
  await written(stage, led);
  say(
    `${led.leader} leads after ${took(led.ledAt - since)} with token ${led.token}; its program has written to the counter.`,
  );
  processes.resume(name);
  processes.resumeClerk(name);
  const refusal = await observatory.until(
    () => said(stage, name, "refused"),
    PATIENCE,
    "the late write was not refused",
  );
  say(`Both continue (SIGCONT). The write that had begun arrives ${took(Date.now() - since)} late. The guard:`);
  fact("refused", refusal.news === "refused" ? refusal.why : "");
  const all = stage.told.flatMap(({ news }) => (news.news === "wrote" ? [news] : []));
  const isGrowing = all.every(
    ({ token, value }, i) => i === 0 || (value > all[i - 1].value && BigInt(token) >= BigInt(all[i - 1].token)),
  );
  if (!isGrowing) throw new Error("the guarded counter has gone backwards, or took a write with an old token");
  const leaders = new Set(all.map(({ token }) => token)).size;
  fact(
    "counter",
    `${plural(all.length, "write")} by ${plural(leaders, "leader")}; it never went back, and took no old token`,
  );
  return led;
}

async function transferred(
  stage: DemoStage,
  n: number,
  before: Led,
  { chapter, say, fact }: DemoTeller,
): Promise<void> {
  chapter("A hand-over");
  // Who was paused is a member again.
  await agreed(stage, n);
  const to = stage.processes.running.find(({ name }) => name !== before.leader)!;
  const since = Date.now();
  await stage.client(agentOf(stage, before.leader)).post("/v1/transfer", { to: to.name });
  const led = await agreed(stage, null, before);
  say(`${before.leader} is asked to hand over to ${to.name}: ${led.leader} leads with token ${led.token}.`);
  fact(
    "time",
    `${took(led.ledAt - since)} until it led, ${took(led.knownAt - since)} until all knew it; no lease had to expire`,
  );
  fact("kept", "first what the program beside it was promised (validForMs, at most 45% of the lease)");
}

/** Everybody that runs believes in the same leader; `n`: and sees so many members. */
function agreed(stage: DemoStage, n: number | null, before: Led | null = null): Promise<Led> {
  const { observatory } = stage;
  const but = before?.token ?? null;
  const find = () => (n === null || observatory.fewestMembers >= n ? observatory.agreement({ but }) : null);
  return observatory.until(find, PATIENCE, "the agents did not agree on a leader");
}

/** The leader's program has written with its token. */
function written(stage: DemoStage, { leader, token }: Led): Promise<true> {
  const find = () =>
    stage.told.some(({ name, news }) => name === leader && news.news === "wrote" && news.token === token) || null;
  return stage.observatory.until(find, PATIENCE, `the program beside ${leader} did not write`);
}

const said = (stage: DemoStage, of: string, what: string) =>
  stage.told.find(({ name, news }) => name === of && news.news === what)?.news ?? null;

function agentOf(stage: DemoStage, name: string): DemoAgent {
  const agent = stage.processes.named(name);
  if (agent === null || agent.state === "dead") throw new InputError(`${name} of the demo has ended`);
  return agent;
}

/** What all agents have sent in elections so far. */
async function electionMessages(stage: DemoStage): Promise<number> {
  const answers = await Promise.all(
    stage.processes.running.map((agent) => stage.client(agent).get<AgentSelf>("/v1/self")),
  );
  return answers.reduce((sum, { traffic }) => sum + traffic.electionMessages, 0);
}

/** What formulas say of one candidate among n, where they do. Elections are set up by the leader before, for those without it. */
function theory(name: string | undefined, n: number): string {
  if (name === undefined) return "";
  const { protocol } = findProtocol(name);
  const params = resolveParameters(protocol, { candidates: n }, n);
  const one = predict({ protocol, n, params, initiators: 1, ...LOSSLESS })?.messages;
  return one == null ? "" : ` (theory: ${figure(one)} for one candidate)`;
}

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// How the demo speaks: chapters with a number, sentences, and facts with a name.

interface DemoTeller {
  chapter(title: string): void;
  say(sentence: string): void;
  /** `name`: of at most ten letters. */
  fact(name: string, words: string): void;
  /** What is going on, on the last line of a terminal until something else is said; nothing if there is none. */
  waiting(words: string): void;
}

const INDENT = "   ";
const NAME = 11;
/** Some terminals do not say how wide they are. */
const NARROWEST = 40;

export function createTeller(io: Io): DemoTeller {
  const paint = painter(io.stdout);
  const { isTTY } = io.stdout;
  let number = 0;
  const clear = () => {
    if (isTTY) io.stdout.write("\r\x1b[2K");
  };
  const lines = (first: string, name: string, words: string) => {
    clear();
    const width = Math.max(NARROWEST, terminalWidth(io) ?? Number.POSITIVE_INFINITY);
    const [head, ...rest] = wrap(words, width - name.length);
    print(io, [`${first}${head}`, ...rest.map((line) => `${" ".repeat(name.length)}${line}`)].join("\n"));
  };
  return {
    chapter(title) {
      clear();
      print(io, `\n${paint("bold", `${++number}  ${title}`)}`);
    },
    say: (sentence) => lines(INDENT, INDENT, sentence),
    fact(name, words) {
      const padded = name.padEnd(NAME);
      lines(`${INDENT}${paint("dim", padded)}`, `${INDENT}${padded}`, words);
    },
    waiting(words) {
      clear();
      if (isTTY) io.stdout.write(`${INDENT}${paint("dim", `${words} ...`)}`);
    },
  };
}

/** Milliseconds for people. */
export const took = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 9950 ? 2 : 1).replace(/\.?0+$/, "")} s`;
