/** What a node is told at its start: no more than its protocol assumes. */
import { InputError } from "../errors.ts";
import type { AnyProtocol, Self } from "../protocol.ts";

/** All that the starter of a node knows. */
export interface Facts extends Omit<Self, "candidate" | "role" | "n"> {
  readonly n: number;
  readonly role?: string | undefined;
}

/** What decides how much a node is told. */
type Told = Pick<AnyProtocol, "assumes" | "roles" | "candidacy">;

/** For hosts that start one node at a time, and for parents of a child: candidacy is a coin, tossed by those who start. */
export function tell(protocol: Told, params: unknown, facts: Facts, coin: (p: number) => boolean): Self {
  const { identity, knows } = protocol.assumes;
  const odds = facts.initiator ? protocol.candidacy?.(params, facts.n) : undefined;
  const ifKnown = <T>(what: "n" | "highest" | "election", value: T) => (knows.includes(what) ? value : null);
  return {
    ...facts,
    id: identity === "anonymous" ? null : facts.id,
    candidate: odds !== undefined && coin(odds),
    n: ifKnown("n", facts.n),
    highest: ifKnown("highest", facts.highest),
    election: ifKnown("election", facts.election),
    role: facts.role ?? firstRole(protocol),
  };
}

/** The role of a node of which nobody says what it plays. */
export const firstRole = ({ roles }: Pick<AnyProtocol, "roles">): string => roles?.[0] ?? "member";

/** One for each node, where any are given. */
export function checkRoles(
  { name, roles = ["member"] }: AnyProtocol,
  nodes: number,
  given: readonly string[] | undefined,
): void {
  if (given === undefined) return;
  if (given.length !== nodes) {
    throw new InputError(`${given.length} roles were given for ${nodes} nodes: give one for each`);
  }
  const odd = given.find((role) => !roles.includes(role));
  if (odd !== undefined) throw new InputError(`${name} has no role "${odd}"; it has ${roles.join(", ")}`);
}
