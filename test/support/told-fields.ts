/** Whether events that were told have the fields of the table, all that are always there and no others. */
import { expect, onTestFinished } from "vitest";
import type { AnyMemberEvent } from "../../src/events/events.ts";
import { readSpec } from "../../src/events/fields.ts";
import { EVENTS } from "../../src/events/table.ts";

/** When the test has finished: a listener that throws stops nothing. */
export function checkFields(told: readonly AnyMemberEvent[]): void {
  onTestFinished(() => expect(told.filter((event) => !isAsDescribed(event))).toEqual([]));
}

function isAsDescribed({ event, ...fields }: AnyMemberEvent): boolean {
  const uses = EVENTS[event].fields.map(readSpec);
  const given = new Map<string, unknown>(Object.entries(fields));
  return (
    uses.every(
      ({ name, use }) => use === "optional" || (given.has(name) && (use !== "null" || given.get(name) === null)),
    ) && [...given.keys()].every((name) => uses.some((each) => each.name === name))
  );
}
