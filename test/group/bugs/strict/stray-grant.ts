import { answered, type StrictBug } from "./bug.ts";

export const strayGrant: StrictBug = {
  name: "stray-grant",
  mistake:
    "a lease whose grant was lost on the way is renewed along with the others of its session, and nobody ever gets its seat",
  mix: "engine-lossy+resign",
  wanted: { offices: ["a", "b", "c", "d", "e", "f", "g", "h"], policy: "available", members: 2 },
  runs: 60,
  breaks: ["settles"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: answered(group, (answer, { lease }) => {
      const seats = lease!.seats;
      const isOurs = (seat: string, id: string) => (seats.get(seat) as { lease?: string } | undefined)?.lease === id;
      if (answer.kind === "renewed") {
        return { ...answer, leases: answer.leases.filter((one) => isOurs(one.seat, one.lease)) };
      }
      return answer;
    }),
  }),
};
