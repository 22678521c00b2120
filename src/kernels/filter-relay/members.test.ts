import { expect, test } from "vitest";
import type { FilterRelayState } from "../../protocols/group/filter-relay-round.ts";
import { NodeStream } from "../../random/streams.ts";
import type { KernelSettings } from "../kernel.ts";
import { Members } from "./members.ts";

test.each(["increasing", "decreasing"])(
  "%s ids: a member that is asked for by its id is at the node that has it",
  (ids) => {
    const n = 5;
    const open = () => new Members({ n, ids } as KernelSettings, {} as FilterRelayState, new NodeStream(1, 0, 0));
    for (let id = 1; id <= n; id++) expect(open().nameNode(open().nameId(id).node).state.id).toBe(id);
  },
);
