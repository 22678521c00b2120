/**
 * Whether a history of concurrent requests is linearizable: whether each request can be given one moment between its invocation and
 * its answer so that the register, asked in the order of those moments, answers the same. Requests without an answer have happened
 * at some time after their invocation, or never.
 *
 * J. M. Wing, C. Gong: Testing and verifying concurrent objects, 1993; with the memory of G. Lowe: Testing for linearizability,
 * 2017: a set of requests that has led to a state once is not tried in another order if it leads to the same state.
 */
import { isDeepStrictEqual } from "node:util";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { carryOut } from "../../src/protocols/lease/register.ts";
import { oneClock } from "../../src/protocols/lease/register-clock.ts";
import { copyOfRows, noRows, type PlainRows, rowsOf } from "../../src/protocols/lease/register-rows.ts";

export type Doing =
  | LeaseRequest
  /** The test's clock is turned. */
  | { readonly kind: "turn"; readonly by: number }
  /** The server has ended and started again. */
  | { readonly kind: "restart" };

/** Times are of one clock. */
export interface Step {
  readonly doing: Doing;
  readonly from: number;
  /** Without an answer: until when it may have happened, or Infinity. */
  readonly to: number;
  readonly answer: LeaseAnswer | null;
  /** What the clock said when the request was carried out, where that is known; otherwise what the turns before it say. */
  readonly now?: number;
}

interface State {
  readonly rows: PlainRows;
  readonly now: number;
  readonly starts: number;
}

export type Verdict =
  | { readonly isLinear: true; readonly order: readonly Step[] }
  /** The longest order that was found, and what could come next in it but was answered otherwise. */
  | {
      readonly isLinear: false;
      readonly order: readonly Step[];
      readonly stuck: readonly { readonly step: Step; readonly expected: LeaseAnswer | null }[];
    };

const MOST_TRIED = 3_000_000;

export function judge(history: readonly Step[], now: number): Verdict {
  const steps = history.toSorted((a, b) => a.from - b.from);
  const isDone = steps.map(() => false);
  const order: number[] = [];
  const known = new Set<string>();
  let best: { order: number[]; state: State } = { order: [], state: { rows: noRows(), now, starts: 0 } };
  let tried = 0;

  /** Those that may be next: none of the others was over before they began. */
  function candidates(): number[] {
    let [firstEnd, lastBegin] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [index, { from, to }] of steps.entries()) {
      if (isDone[index]) lastBegin = Math.max(lastBegin, from);
      else if (!isOptional(steps[index])) firstEnd = Math.min(firstEnd, to);
    }
    const able: number[] = [];
    for (const [index, { from, to }] of steps.entries()) {
      if (from > firstEnd) break;
      if (!isDone[index] && to >= lastBegin) able.push(index);
    }
    // What was answered first probably happened first; what was not comes last.
    const late = (index: number) => (isOptional(steps[index]) ? Number.POSITIVE_INFINITY : steps[index].to);
    return able.sort((a, b) => (late(a) < late(b) ? -1 : 1));
  }

  function search(state: State, fingerprint: string): boolean {
    if (steps.every((step, index) => isDone[index] || isOptional(step))) return true;
    for (const index of candidates()) {
      const { doing, answer, now } = steps[index];
      if (++tried > MOST_TRIED) throw new Error("too many orders to try: record a shorter history");
      const next = apply(state, doing, now);
      const optional = isOptional(steps[index]);
      if (!optional && next.answer !== null && !isDeepStrictEqual(next.answer, answer)) continue;
      const nextPrint = printOf(next.state);
      if (optional && nextPrint === fingerprint) continue;
      isDone[index] = true;
      order.push(index);
      if (order.length > best.order.length) best = { order: [...order], state: next.state };
      const key = `${isDone.map(Number).join("")} ${nextPrint}`;
      if (!known.has(key)) {
        known.add(key);
        if (search(next.state, nextPrint)) return true;
      }
      order.pop();
      isDone[index] = false;
    }
    return false;
  }

  const isLinear = search(best.state, printOf(best.state));
  const inOrder = (isLinear ? order : best.order).map((index) => steps[index]);
  if (isLinear) return { isLinear, order: inOrder };
  isDone.fill(false);
  for (const index of best.order) isDone[index] = true;
  const stuck = candidates().map((index) => ({
    step: steps[index],
    expected: apply(best.state, steps[index].doing, steps[index].now).answer,
  }));
  return { isLinear, order: inOrder, stuck };
}

export const isOptional = ({ doing: { kind }, answer }: Step): boolean =>
  answer === null && kind !== "turn" && kind !== "restart";

function apply(
  { rows, now, starts }: State,
  doing: Doing,
  reading = now,
): { state: State; answer: LeaseAnswer | null } {
  if (doing.kind === "turn") return { state: { rows, now: now + doing.by, starts }, answer: null };
  if (doing.kind === "restart") return { state: { rows, now, starts: starts + 1 }, answer: null };
  // Rows are replaced, never changed: copies of the maps are enough.
  const copy = copyOfRows(rows);
  const answer = carryOut(rowsOf(copy), doing, oneClock(reading, reading, String(starts)));
  return { state: { rows: copy, now, starts }, answer };
}

function printOf({ rows, now, starts }: State): string {
  const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([now, starts, rows.group, sorted(rows.sessions), sorted(rows.seats), sorted(rows.records)]);
}

/** A history that is not linearizable, for people. */
export function tell(verdict: Verdict): string {
  const line = ({ doing, from, to, answer }: Step) =>
    `${from.toFixed(2)}..${to.toFixed(2)} ${JSON.stringify(doing)} -> ${JSON.stringify(answer)}`;
  const stuck = verdict.isLinear ? [] : verdict.stuck;
  return [
    ...verdict.order.map(line),
    ...stuck.map(({ step, expected }) => `STUCK ${line(step)}\n   the register would say ${JSON.stringify(expected)}`),
  ].join("\n");
}
