/** A network that is really cut in two, and an engine that both sides reach: one leads, and the other side says that it cannot be reached. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { memoryFolder } from "../support/lease-disk.ts";
import { LeaseGroup, type Said } from "../support/lease-group.ts";
import { namespacesRefused, PartedNetwork } from "../support/namespaces.ts";
import { notTested } from "../support/not-tested.ts";
import { LEDGER } from "./lease-counter.ts";

const sides = [
  ["a1", "a2", "a3"],
  ["b1", "b2", "b3"],
];
const refused = namespacesRefused();

if (refused !== null) {
  notTested("a group with leases whose network is cut in two", refused);
} else {
  const folder = memoryFolder();
  const file = join(folder, "counter.db");
  const counter = new DatabaseSync(file);
  counter.exec(LEDGER);
  const network = new PartedNetwork();
  const hosts = new Map(sides.flatMap((names, side) => names.map((name) => [name, network.host(side as 0 | 1)])));
  const group = new LeaseGroup({
    folder,
    ttl: 1000,
    lease: () => `sqlite:${join(folder, "leases.db")}`,
    counter: { kind: "sqlite", file },
    place(name) {
      const { through, address } = hosts.get(name)!;
      return { through, bind: `${address}:7001` };
    },
  });
  afterAll(async () => {
    await group.end();
    counter.close();
    network.remove();
    rmSync(folder, { recursive: true });
  });

  test("the other side waits, and takes over once the leader has gone; when the network has healed all follow one", async () => {
    await group.start(sides.flat());
    const { self, token } = await group.leads();
    const [own, other] = sides[0].includes(self) ? sides : [sides[1], sides[0]];
    network.part();
    // A leader whose watchers are all on the other side gives up of itself; then there is nobody whom one cannot reach.
    const isOver = ({ event, token: later }: Said) => event === "begins" && later! > token!;
    const said = await group.hear(
      (each) => (each.event === "unreachable" && other.includes(each.self)) || isOver(each),
    );
    if (!isOver(said)) expect(said).toMatchObject({ leader: self, token });

    await group.kill(self);
    const next = await group.leads(token);
    network.heal();
    for (const name of [...own, ...other].filter((each) => each !== self)) {
      await group.hear((said) => said.self === name && said.event === "leader" && said.token! >= next.token!, 0);
    }
    await group.end();
    const counted = counter.prepare("SELECT number, token, lease FROM counted ORDER BY number").all();
    group.judge(counted as unknown as Parameters<typeof group.judge>[0]);
    expect(group.errors).toBe("");
  });
}
