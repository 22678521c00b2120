/**
 * A setting of the explorer that a page quotes has teeth: of single faults that are planted into the text of its protocol it finds
 * nine of ten at least. (The settings of the lease client: lease-mutants.test.ts.)
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import { messageBound, promisesOf } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { peterson } from "../../src/protocols/ring/peterson.ts";
import { edited, type PlantedFault } from "../support/planted.ts";

const FILE = new URL("../../src/protocols/ring/peterson.ts", import.meta.url);
const FAULTS: Readonly<Record<string, readonly PlantedFault[]>> = {
  "peterson.ts": [
    ["a node keeps its own id", "    state.temporary = before;\n", ""],
    ["a node takes the id two before it", "state.temporary = before;", "state.temporary = beforeThat;"],
    ["only its own id is compared", "before > state.temporary && before > beforeThat", "before > state.temporary"],
    ["its own id is not compared", "before > state.temporary && before > beforeThat", "before > beforeThat"],
    ["one comparison is enough", "before > state.temporary && before", "before > state.temporary || before"],
    ["a loser stays active", ' else state.role = "relays";', ""],
    ["no second id is sent", '    ctx.send(NEXT, { kind: "second", id, phase });\n', ""],
    ["the second id is the sender's", 'kind: "second", id, phase', 'kind: "second", id: state.temporary, phase'],
    ["the first id is the node's own", "id: state.temporary, phase: state.phase", "id: state.id, phase: state.phase"],
    ["a relay swallows", "    ctx.send(NEXT, message);\n    return;", "    return;"],
    [
      "a relay sends twice",
      "    ctx.send(NEXT, message);\n",
      "    ctx.send(NEXT, message);\n    ctx.send(NEXT, message);\n",
    ],
    ["it waits for its own id", "id === state.temporary) win", "id === state.id) win"],
    ["nobody wins", "id === state.temporary) win", "id < 0) win"],
    ["the id of the last phase stays", "  state.before = null;\n", ""],
    ["the winner names the id that has won", "announce(state, state.id, ctx)", "announce(state, state.temporary, ctx)"],
    ["a node that contends stays idle", '  state.role = "contends";\n', ""],
    ["it compares with itself", "    state.before = id;", "    state.before = state.temporary;"],
    [
      "it is elected by the announcement of another",
      "message.id === state.id && state",
      "message.id !== state.id && state",
    ],
    ["a second id is taken for a first", 'kind === "second") compare', 'kind !== "second") compare'],
  ],
  "common.ts": [
    ["an announcement is not passed on", "  ctx.send(NEXT, message);\n", ""],
    ["each node that hears an announcement leads", '"not-elected", message', '"elected", message'],
    ["an announcement goes round for ever", 'if (state.status === "undecided") adopt', "adopt"],
    ["nobody notes who leads", "  state.leader = message.id;\n", ""],
    ["the winner does not lead", "  state.status = status;\n", '  state.status = "not-elected";\n'],
  ],
};

/** Somebody is elected all the same, with no more messages. */
const MISSED = ["a node keeps its own id", "a node takes the id two before it"];

/** As docs/explore.md has it: `explore peterson --n 4 --max-messages 24`. */
const QUOTED: ExploreRequest = { n: 4, properties: [...promisesOf(peterson), messageBound(24)] };

function complaint(protocol: AnyProtocol, request: ExploreRequest): string | null {
  try {
    const { violation, complete, states } = explore(protocol, { ...request, maxStates: 100_000 });
    return violation?.what ?? (complete ? null : `${states} configurations and more`);
  } catch (error) {
    return String(error);
  }
}

const faults = Object.entries(FAULTS).flatMap(([file, planted]) => planted.map((fault) => [...fault, file] as const));

test("the protocol as it is keeps every promise, and the page says what the setting finds", () => {
  expect(explore(peterson, QUOTED)).toMatchObject({ states: 408, verdict: "holds" });
  expect(faults.length).toBeGreaterThanOrEqual(20);
  expect(1 - MISSED.length / faults.length).toBeGreaterThanOrEqual(0.9);
  const page = readFileSync(new URL("../../docs/explore.md", import.meta.url), "utf8");
  expect(page).toContain(`finds ${faults.length - MISSED.length} of ${faults.length} faults`);
});

test.each(faults)("%s", async (mistake, was, becomes, file) => {
  const { peterson: faulty } = await edited(FILE, was, becomes, new URL(file, FILE));
  expect(complaint(faulty, QUOTED) === null).toBe(MISSED.includes(mistake));
});
