import type { LeaseAnswer, LeaseRequest, Named } from "../../../../src/protocols/lease/messages.ts";
import { answered, asking, type StrictBug } from "./bug.ts";

/** "ab12.3.m0" of this life is "0.3.m0" to the engine. */
const withoutLife = (id: string): string => id.replace(/^[^.]*/, "0");
const withLife = (id: string, life: number): string => id.replace(/^[^.]*/, life.toString(36));

function strip(request: LeaseRequest): LeaseRequest {
  const named = (list: readonly Named[]) => list.map(({ seat, lease }) => ({ seat, lease: withoutLife(lease) }));
  return {
    ...request,
    life: 0,
    ...("session" in request && { session: withoutLife(request.session) }),
    ...("lease" in request && { lease: withoutLife(request.lease) }),
    ...(request.kind === "renew" && { keeps: named(request.keeps), gives: named(request.gives) }),
  } as LeaseRequest;
}

function add(answer: LeaseAnswer, life: number, name: string): LeaseAnswer {
  const own = <T extends Named>(list: readonly T[]) =>
    list.map((one) => ({ ...one, lease: withLife(one.lease, life) }));
  return {
    ...answer,
    to: life,
    ...("lease" in answer && { lease: withLife(answer.lease, life) }),
    ...("leases" in answer && { leases: own(answer.leases) }),
    ...("lost" in answer && { lost: own(answer.lost) }),
    ...(answer.kind === "denied" && answer.holder?.name === name && { holder: { ...answer.holder, life } }),
  } as LeaseAnswer;
}

export const formerLife: StrictBug = {
  name: "former-life",
  mistake:
    "a member's sessions and leases are told by its name alone: what its former life sent, late, counts for the present one",
  mix: "engine-late+crash+resign+engine-twice",
  runs: 60,
  breaks: ["ends-in-time", "one-holder-per-token", "renewals-are-true"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: answered(
      asking(group, (request) => strip(request)),
      (answer, { life, name }) => add(answer, life, name),
    ),
  }),
};
