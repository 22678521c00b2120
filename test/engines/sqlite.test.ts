import { conformance } from "./conformance.ts";
import { sqlite } from "./sqlite-bench.ts";

conformance(sqlite);
