/** `sortition explore anonymous-ring`: the impossibility result of the lecture, by trying every small machine. */
import { InputError } from "../../../errors.ts";
import { IMPOSSIBILITY_COLUMNS, type ImpossibilityRow, impossibility } from "../../../explorer/anonymous-ring.ts";
import type { Io } from "../../io.ts";
import { figure } from "../../text/figures.ts";
import { table } from "../../text/table.ts";
import { painter, print } from "../../text/terminal.ts";

const LARGEST_N = 7;

export function showImpossibility(io: Io, n: number, json: boolean): void {
  if (n > LARGEST_N) throw new InputError(`n can be at most ${LARGEST_N} here: the number of schedules explodes`);
  const sizes = Array.from({ length: Math.max(1, n - 1) }, (_, i) => Math.min(n, i + 2));
  const rows = (["synchronous", "asynchronous"] as const).flatMap((timing) =>
    sizes.map((size) => impossibility(timing, size)),
  );
  if (json) {
    print(io, JSON.stringify({ protocol: "anonymous-ring", n, rows }));
    return;
  }
  const paint = painter(io.stdout);
  const broken = rows.some(({ n, asymmetric, oneLeader }) => n > 1 && asymmetric + oneLeader > 0);
  print(
    io,
    [
      "Every deterministic machine with three states and one kind of message, run by all nodes of an anonymous ring.",
      "Each ring size has machines of its own, so a machine may know n: it does not help.",
      "",
      table(
        IMPOSSIBILITY_COLUMNS.map(([title], i) => ({ title, align: i === 0 ? "left" : "right" })),
        rows.map(cells),
      ),
      "",
      broken
        ? paint("red", "✗ the symmetry was broken")
        : paint("green", "✓ every configuration looks the same from every node: nobody can be the only leader"),
      "The way out is randomness: sortition explore itai-rodeh --n 3 --limit phases=2 --param range=2",
    ].join("\n"),
  );
}

function cells(row: ImpossibilityRow): string[] {
  return IMPOSSIBILITY_COLUMNS.map(([, field]) => {
    const value = row[field];
    return value === null ? "-" : typeof value === "number" ? figure(value) : value;
  });
}
