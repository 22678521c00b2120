/** For protocols whose quorums may miss each other: two may lead, but not where one process could have told them. */
import type { Property } from "../../src/properties/properties.ts";

/** Of machines whose leaders show whom they asked, as bits in place of the leader: bit i is the i-th process after it. */
export const leadersAreApart: Property = {
  name: "leaders-are-apart",
  about: "two lead only where nobody was asked by both",
  when: "always",
  violated({ size, verdict }) {
    const taken = new Map<number, number>();
    for (let node = 0; node < size; node++) {
      const { status, leader } = verdict(node);
      for (let i = 0; status === "elected" && i < size; i++) {
        if (((leader! >> i) & 1) === 0) continue;
        const asked = (node + i) % size;
        if (taken.has(asked)) return `nodes ${taken.get(asked)} and ${node} lead, and both asked ${asked}`;
        taken.set(asked, node);
      }
    }
    return null;
  },
};
