import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { API_SERVER, GO_ETCD, GO_NATS, versionOf } from "./go-program.ts";

test("the page names the versions of the servers that the long tests build", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/leases.md"), "utf8");
  expect(page).toContain(`\`kube-apiserver\` ${versionOf(API_SERVER)} on etcd ${versionOf(GO_ETCD)}`);
  expect(page).toContain(`on NATS ${versionOf(GO_NATS)}`);
});
