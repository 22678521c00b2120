/** Promises as a user writes them, for tests of `--property-file`. */
import { eventually, type Property, timeBound } from "../../src/properties/properties.ts";

export const silent: Property = {
  name: "node-0-never-leads",
  about: "node 0 does not lead",
  when: "always",
  violated: (view) => (view.verdict(0).status === "elected" ? "node 0 leads" : null),
};

export const settled = eventually("settled", "everybody has decided", (view) =>
  Array.from({ length: view.size }, (_, node) => view.verdict(node)).every(({ status }) => status !== "undecided"),
);

export const bounds = [timeBound(100)];
