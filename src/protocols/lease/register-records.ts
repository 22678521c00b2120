/**
 * An engine's records of jobs: for each key whether its work is done, by which member, and how often it has failed. An attempt begins only
 * under a held lease. Its end counts if no later attempt has begun, even if the lease is over by then, since the work was done.
 */
import type { JobRecord, LeaseAnswer, LeaseRequest, RecordVerdict } from "./messages.ts";
import type { RegisterClock } from "./register-clock.ts";
import { isOver, type RecordRow, type Rows } from "./register-rows.ts";

type Begin = Extract<LeaseRequest, { kind: "begin" }>;
type Finish = Extract<LeaseRequest, { kind: "finish" }>;

/** Milliseconds before a failed job may be tried again: doubled after each failure, up to the longest. */
export const FIRST_RETRY = 1000;
export const LONGEST_RETRY = 60_000;

export function beginAttempt(rows: Rows, asked: Begin, isHeld: boolean, { stamp }: RegisterClock): LeaseAnswer {
  const { key, attempt, repeat } = asked;
  const known = remembered(rows, key, stamp);
  const answer = (verdict: RecordVerdict, record: RecordRow | null, wait = 0) =>
    recordAnswer(asked, verdict, record, stamp, wait);
  if (!isHeld) return answer("refused", known);
  // The first answer was lost.
  if (known !== null && known.attempt === attempt) return answer("begun", known);
  if (known === null && asked.noted) return answer("noted", write(rows, key, noted(asked, stamp)));
  if (known !== null && repeat === null && known.occurrence > asked.occurrence) return answer("later", known);
  const isSame = known !== null && (repeat !== null || known.occurrence === asked.occurrence);
  const isFinal = isSame && (known.state === "done" || known.state === "noted" || hasFailed(known, asked.attempts));
  if (isFinal && repeat === null) return answer(known.state === "failed" ? "failed" : "done", known);
  const pause = isFinal ? repeat! : isSame && known.state === "failed" ? retryAfter(known.failures) : 0;
  // Never more than the pause, even if the clock was set back.
  const wait = pause === 0 ? 0 : Math.min(known!.at + pause - stamp, pause);
  if (wait > 0) return answer("wait", known, wait);
  rows.pruneRecords(stamp, key);
  const isNext = !isSame || isFinal;
  const row: RecordRow = {
    occurrence: repeat === null ? asked.occurrence : isNext ? stamp : known!.occurrence,
    attempt,
    attempts: isNext ? 1 : known!.attempts + 1,
    failures: isNext ? 0 : known!.failures,
    state: "running",
    name: asked.name,
    token: asked.token,
    status: null,
    at: stamp,
    keep: asked.keep,
  };
  return answer("begun", write(rows, key, row));
}

export function finishAttempt(rows: Rows, asked: Finish, { stamp }: RegisterClock): LeaseAnswer {
  const { key, attempt, occurrence, outcome, status, name, token, keep } = asked;
  const known = remembered(rows, key, stamp);
  const isOther = known !== null && known.attempt !== attempt && known.occurrence >= occurrence;
  if (isOther) return recordAnswer(asked, "superseded", known, stamp);
  // A repeated request: the first answer was lost.
  if (known?.attempt === attempt && known.state !== "running") return recordAnswer(asked, "recorded", known, stamp);
  const isOwn = known?.attempt === attempt;
  const row: RecordRow = {
    occurrence,
    attempt,
    attempts: isOwn ? known.attempts : 1,
    failures: (isOwn ? known.failures : 0) + (outcome === "failed" ? 1 : 0),
    state: outcome,
    name,
    token,
    status,
    at: stamp,
    keep,
  };
  return recordAnswer(asked, "recorded", write(rows, key, row), stamp);
}

export const recall = (
  rows: Rows,
  asked: Extract<LeaseRequest, { kind: "recall" }>,
  { stamp }: RegisterClock,
): LeaseAnswer => recordAnswer(asked, "seen", remembered(rows, asked.key, stamp), stamp);

/** The record of a key; null if there is none, or if it has been kept for its time. */
function remembered(rows: Rows, key: string, stamp: number): RecordRow | null {
  const row = rows.record(key);
  return row !== null && isOver(row, stamp) ? null : row;
}

/** The first record of a schedule: from here on, missed occurrences are known. */
const noted = ({ occurrence, name, token, keep }: Begin, stamp: number): RecordRow => ({
  occurrence,
  attempt: "",
  attempts: 0,
  failures: 0,
  state: "noted",
  name,
  token,
  status: null,
  at: stamp,
  keep,
});

const hasFailed = ({ state, failures }: RecordRow, attempts: number): boolean =>
  state === "failed" && failures >= attempts;

const retryAfter = (failures: number): number => Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(30, failures - 1));

function write(rows: Rows, key: string, row: RecordRow): RecordRow {
  rows.setRecord(key, row);
  return row;
}

function recordAnswer(
  { id, life, key }: Extract<LeaseRequest, { kind: "begin" | "finish" | "recall" }>,
  verdict: RecordVerdict,
  row: RecordRow | null,
  stamp: number,
  wait = 0,
): LeaseAnswer {
  return { kind: "record", id, to: life, key, verdict, wait, record: row && seen(key, row, stamp) };
}

function seen(key: string, { keep: _, attempt: __, ...row }: RecordRow, stamp: number): JobRecord {
  return { key, ...row, ago: Math.max(0, stamp - row.at) };
}
