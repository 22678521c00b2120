import { conformance } from "./conformance.ts";
import { rowBench } from "./row-bench.ts";
import { forEachStore } from "./stores.ts";

await forEachStore("the conformance of leases", ({ name, open }) =>
  conformance(rowBench({ name, open: () => open("g") })),
);
