/** Seven members on a network of their own that is really cut in two, and heals. */
import { afterAll, describe, expect, test } from "vitest";
import type { Policy } from "../../src/elector/params.ts";
import { effort } from "../support/effort.ts";
import { GroupProcesses, lastWord } from "../support/group-processes.ts";
import { namespacesRefused, PartedNetwork } from "../support/namespaces.ts";
import { notTested } from "../support/not-tested.ts";

const large = ["a1", "a2", "a3", "a4"];
const small = ["b1", "b2", "b3"];
const refused = namespacesRefused();

if (refused !== null) {
  notTested("a group of real processes whose network is cut in two", refused);
} else {
  describe.each(effort<readonly Policy[]>(["majority"], ["majority", "available"]))("with policy %s", (policy) => {
    const network = new PartedNetwork();
    const hosts = new Map([...large, ...small].map((name) => [name, network.host(large.includes(name) ? 0 : 1)]));
    const group = new GroupProcesses({
      profile: "local",
      extra: ["--policy", policy],
      place(name) {
        const { through, address } = hosts.get(name)!;
        return { through, bind: `${address}:7001` };
      },
    });
    afterAll(async () => {
      await group.stop();
      network.remove();
    });
    const side = (names: readonly string[]) => names.map((name) => group.members.get(name)!);

    test("the larger side keeps a leader, the smaller one does what its policy says, and they agree when it has healed", async () => {
      const { term } = await group.start([...large, ...small]);
      network.part();
      const kept = await group.agree({ some: side(large), size: large.length });
      expect(large).toContain(kept.leader);
      if (policy === "available") {
        const own = await group.agree({ some: side(small), size: small.length });
        expect(small).toContain(own.leader);
      } else {
        for (const member of side(small)) {
          await member.line(({ event, members }) => event === "view" && members === small.length);
          await expect.poll(() => lastWord(member)?.leader, { timeout: 40_000 }).toBeNull();
        }
      }
      network.heal();
      const healed = await group.agree();
      expect(healed.term).toBeGreaterThanOrEqual(term);
    });
  });
}
