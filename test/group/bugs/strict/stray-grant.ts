import { answered, type StrictBug } from "./bug.ts";

export const strayGrant: StrictBug = {
  name: "stray-grant",
  mistake:
    "a lease whose grant was lost on the way is renewed along with the others of its session, and nobody ever gets its seat",
  mix: "reshuffle",
  // Most grants are lost on the way.
  wanted: {
    members: 2,
    offices: ["a", "b", "c", "d"],
    policy: "available",
    lease: { ttl: 2000, preemptible: false },
    faults: { losses: [0, 1].map((to) => ({ rate: 0.5, kind: "both", link: [2, to], from: 5000, to: 29_000 })) },
  },
  runs: 10,
  breaks: ["settles"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: answered(group, (answer, { lease, name }) => {
      const isOurs = (seat: string, id: string) => (lease!.seats.get(seat) as { lease?: string })?.lease === id;
      if (answer.kind === "renewed") {
        return { ...answer, leases: answer.leases.filter((one) => isOurs(one.seat, one.lease)) };
      }
      // Nor does it know its own lease when it stands in its way.
      const isOwn = answer.kind === "denied" && answer.holder?.name === name;
      return isOwn ? { ...answer, holder: { ...answer.holder!, life: -1 } } : answer;
    }),
  }),
};
