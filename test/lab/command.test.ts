/** The commands that the page shows run as they stand, and give its numbers: for settings drawn at random, of every protocol. */
import { describe, expect, test, vi } from "vitest";
import type { Fields } from "../../lab/run/types.ts";
import { LargeRun } from "../../lab/worker/large.ts";
import { OpenedRun } from "../../lab/worker/opened.ts";
import { RunningSweep } from "../../lab/worker/sweep.ts";
import { createProgram } from "../../src/cli/program.ts";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { HostStream } from "../../src/random/streams.ts";
import { effort } from "../support/effort.ts";

/** Of `simulate` and of `sweep`. */
interface Answer {
  readonly n: number;
  readonly kernel: string | null;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly messages: unknown;
  readonly rounds: unknown;
  readonly bits: unknown;
  readonly measures: Readonly<Record<string, { readonly mean: number }>>;
  readonly points: readonly { labels: Record<string, unknown>; values: unknown }[];
}

/** What the command line answers, in this process. */
async function answerOf(command: string): Promise<Answer> {
  const [name, ...args] = command.split(" ").map((word) => word.replace(/^'(.*)'$/, "$1"));
  expect(name).toBe("sortition");
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((part) => {
    text += part;
    return true;
  });
  try {
    const line = [...args, "--threads", "0", "--json"];
    await (await createProgram(line)).parseAsync(line, { from: "user" });
  } finally {
    write.mockRestore();
  }
  return JSON.parse(text);
}

/** Few that are wrong, since those say less. */
function drawnFields(protocol: (typeof catalogue)[number], trial: number): Fields {
  const draws = new HostStream(20_261_116, trial, protocol.name as never);
  const one = <T>(of: readonly T[]): T => of[draws.choose(of.length)];
  const fields: Record<string, string> = {
    protocol: protocol.name,
    n: one(["2", "3", "8", "16", "27"]),
    seed: String(draws.choose(2 ** 31)),
  };
  const maybe = (name: string, ...values: string[]) => {
    if (draws.choose(4) === 0) fields[name] = one(values);
  };
  const { topology, identity, timing } = protocol.assumes;
  if (identity !== "anonymous") maybe("ids", "increasing", "decreasing");
  if (topology !== "star") maybe("initiators", "1", "50%");
  if (topology === "complete" || topology === "connected") maybe("topology", "er:60%", "ring", "star");
  maybe("largest-component", "true", "false");
  maybe("loss", "0.1", "5%");
  maybe("crash", "0.1");
  maybe("until", "3", "7.5", "100");
  maybe("kernel", "auto", "off");
  maybe("duplicate", "0.1");
  if (timing !== "synchronous") maybe("delay", "fixed:0.5", "uniform:0.5..1.5", "exp:1");
  for (const { name, type } of protocol.parameters) {
    if (typeof type === "object" && draws.choose(8) === 0) fields[`param.${name}`] = one(type);
  }
  return fields;
}

const MOST_EVENTS = 20_000;

describe.each(catalogue.map((protocol) => [protocol.name, protocol] as const))("%s", (_, protocol) => {
  test("at drawn settings: what is watched is what the shown command says", async () => {
    for (let trial = 0; trial < effort(2, 20); trial++) {
      const run = new OpenedRun(drawnFields(protocol, trial), [], 0);
      if ([...run.events(MOST_EVENTS)].length === MOST_EVENTS) continue;
      const { outcome, messages, rounds, bits, measures } = run.ending(null).trial!;
      const answer = await answerOf(run.facts.command);
      const means = Object.entries(answer.measures).map(([name, { mean }]) => [name, mean]);
      expect([run.facts.command, answer.outcomes[outcome], answer.messages, answer.rounds, answer.bits]).toEqual([
        run.facts.command,
        1,
        expect.objectContaining({ mean: messages }),
        expect.objectContaining({ mean: rounds }),
        expect.objectContaining({ mean: bits }),
      ]);
      for (const [name, mean] of means) expect([name, mean]).toEqual([name, measures[name]]);
    }
  });
});

test.each([
  [{ ids: "7,3,12" }, 3],
  [{ ids: "7" }, 1],
  [{ protocol: "random-walks", topology: "torus:3x4" }, 12],
  [{ protocol: "random-walks", topology: "torus:4x5" }, 20],
  [{ protocol: "referees", topology: "er:50%", n: "500", walk: "3" }, 500],
])("%j has the size that it says, here and there", async (fields: Fields, n) => {
  const run = new OpenedRun(fields, [], 0);
  expect([run.problems, run.facts.n]).toEqual([[], n]);
  expect((await answerOf(run.facts.command)).n).toBe(n);
});

test.each(["chang-roberts", "referees", "council-skip-reset"])(
  "%s with too many to draw: the kernel is taken in both places",
  async (protocol) => {
    const run = new OpenedRun({ protocol, n: "12000", seed: "11" }, [{ event: 3, action: { crash: 1 } }], 0);
    const large = new LargeRun(run.settings, 0);
    for (const _ of large.run());
    const answer = await answerOf(run.facts.command);
    expect(run.facts.kernel).toBe(answer.kernel);
    expect(new OpenedRun({ protocol, n: "30" }, [], 0).facts.kernel).toBe(null);
    expect([answer.messages, answer.rounds]).toEqual([
      expect.objectContaining({ mean: large.trial!.messages }),
      expect.objectContaining({ mean: large.trial!.rounds }),
    ]);
    // Nobody can click at what is not drawn.
    expect(run.problems).toEqual([expect.objectContaining({ field: "fault" })]);
  },
);

describe("sweeps", () => {
  const sweepOf = (protocols: readonly string[], vary: string, fields: Fields = {}, trials = 5) =>
    new RunningSweep({ protocols, vary, trials, fields });

  test.each([
    [["chang-roberts", "council-basic"], "loss=0,0.1", { n: "9", "largest-component": "true" }],
    [["random-walks", "referees"], "topology=torus:3x4,complete", { seed: "77" }],
    [["peterson"], "fifo=true,false", { ids: "5,3,9,1", delay: "exp:1" }],
    // Some of these cannot be: what is left out is left out of the commands.
    [["random-walks", "chang-roberts"], "topology=ring,complete", {}],
    [["chang-roberts", "referees"], "n=4,2000000", {}],
  ] as [string[], string, Fields][])("%j over %s: every digit is the command's", async (protocols, vary, fields) => {
    const sweep = sweepOf(protocols, vary, fields);
    for (const _ of sweep.run());
    const points: { labels: Record<string, unknown>; values: unknown }[] = [];
    for (const command of sweep.command.split(" && ")) points.push(...(await answerOf(command)).points);
    const axis = vary.split("=")[0];
    const theirs = new Map(points.map(({ labels, values }) => [`${labels.protocol} ${labels[axis]}`, values]));
    const ours = new Map(sweep.soFar().map(({ protocol, x, values }) => [`${protocol} ${x}`, values]));
    expect(ours.size).toBeGreaterThan(0);
    expect(ours).toEqual(theirs);
  });

  test.each([
    ["n=1..1000000:1000000", {}, 5, /from 2 to 1000/],
    [`n=${"1,".repeat(5_000)}`, {}, 5, /too long/],
    ["n=1..1000:1000", {}, 5, /at most 200/],
    ["n=4,8", { n: "5" }, 5, /varied and given as well/],
    ["n=4,8", {}, 1e6, /from 2 to 100000/],
    ["n=4,8", {}, Number.NaN, /from 2/],
    ["__proto__=1", {}, 5, /cannot vary/],
  ] as [string, Fields, number, RegExp][])(
    "%.30s with %j, %d elections is refused in words",
    (vary, fields, trials, words) => {
      expect(() => sweepOf(["peterson"], vary, fields, trials)).toThrow(words);
    },
  );
});
