/** How often loss alone makes two watchers declare a healthy holder dead. */
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { watched } from "../../../test/support/watched.ts";
import { letHandlersWrite } from "../../../test/support/writing-handlers.ts";
import { beatOf, doubtOf, WATCH_PROFILES, type WatchProfile, windowOf } from "./profiles.ts";

letHandlersWrite();

/**
 * Wrong verdicts a second on a holder with m watchers, each message lost with chance q: a watcher reports when all beats of a
 * window are lost and all its questions or their answers, once a tick; two such reports have to fall within about six ticks.
 */
function wrongVerdicts(profile: WatchProfile, m: number, q: number): number {
  const [beat, window] = [beatOf(profile, m), windowOf(profile, m)];
  const beats = Math.ceil(window / beat) - 1;
  const questions = window - doubtOf(profile, m);
  const wrong = q ** beats * (1 - (1 - q) ** 2) ** questions;
  const second = 1000 / profile.tick;
  const reports = ((1 - q) * wrong * second) / beat;
  return (m * (m - 1) * reports ** 2 * 6) / second;
}

const DAY = 86_400;

test("5% loss: one wrong verdict in a million years of a holder's life; 30% loss: one an hour", () => {
  expect(wrongVerdicts(WATCH_PROFILES.lan, 5, 0.05) * DAY).toBeLessThan(3e-9);
  expect(wrongVerdicts(WATCH_PROFILES.lan, 5, 0.3) * 3600).toBeCloseTo(1.1, 1);
});

test("the formula, where it can be measured: 40% loss, within a factor of three", () => {
  const seconds = effort(500, 3600);
  let found = 0;
  for (let seed = 1; seed <= effort(2, 8); seed++) {
    const { verdicts } = watched({ n: 6, seed, until: 1000 * seconds, faults: { loss: 0.4 } });
    let last = -Infinity;
    for (const { at } of verdicts.filter(({ what }) => what === "declared")) {
      if (at > last + 1500) found++;
      last = at;
    }
  }
  const expected = wrongVerdicts(WATCH_PROFILES.lan, 5, 0.4) * seconds * effort(2, 8);
  expect(found / expected).toBeGreaterThan(1 / 3);
  expect(found / expected).toBeLessThan(3);
});
