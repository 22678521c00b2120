/** The guardian as a process: orders go to it, its words come back in whole lines, and its end is told once. */
import { expect, onTestFinished, test } from "vitest";
import { newMarker } from "./ending.ts";
import { type GuardianWord, lineReader, openGuardian } from "./guardian-link.ts";

test("words are heard in whole lines, however they are cut; a line that breaks off is not heard", () => {
  const heard: unknown[] = [];
  const read = lineReader((word) => heard.push(word));
  for (const chunk of ['{"a":1}\n{"b":', "2}", '\n{"c":3}\n{"d"']) read(chunk);
  expect(heard).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
});

function opened() {
  const words: GuardianWord[] = [];
  let closes = 0;
  let look = () => {};
  const link = openGuardian(process.env as Record<string, string>, {
    heard: (word) => {
      words.push(word);
      look();
    },
    closed: () => {
      closes++;
      look();
    },
  });
  onTestFinished(() => link.kill());
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => isSo() && resolve();
      look();
    });
  return { link, words, until, closes: () => closes };
}

test("a guardian starts its command, answers orders, and says how the command ended; its end is told once", async () => {
  const { link, words, until, closes } = opened();
  const start = {
    file: "sh",
    args: ["-c", "exit 3"],
    env: process.env as Record<string, string>,
    marker: newMarker({ group: "g", name: "a", office: "leader" }),
    grace: 1000,
    cgroup: null,
  };
  link.send({ order: "start", number: 1, start, deadline: null });
  await until(() => closes() > 0);
  expect(words.map(({ said }) => said).sort()).toEqual(["ending", "exit", "gone", "known", "ready", "started"]);
  expect(words).toContainEqual({ said: "exit", code: 3, signal: null });
  link.send({ order: "ask", number: 2 });
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(closes()).toBe(1);
});

test("a guardian that is killed has ended, and says nothing more", async () => {
  const { link, words, until, closes } = opened();
  await until(() => words.length > 0);
  link.kill();
  await until(() => closes() > 0);
  expect(words).toEqual([{ said: "ready" }]);
});
