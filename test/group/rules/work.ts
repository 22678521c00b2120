/** Leading is a scope: nothing is released while its work runs, and no new work begins before the former has settled. */
import type { MakeRule } from "../watch.ts";

export const settledFirst: MakeRule = (truth) => ({
  name: "settled-first",
  asks(node, request) {
    if (request.kind !== "release") return null;
    const { seat, token, lease } = request;
    const runs = [...truth.works[node].values()].some(
      (work) => work.office === seat && work.token === token && work.lease === lease,
    );
    return runs ? `m${node} releases ${seat} with token ${token} while its work there has not settled` : null;
  },
  changed(node) {
    const offices = Array.from(truth.works[node].values(), ({ office }) => office);
    const twice = offices.find((office, i) => offices.indexOf(office) < i);
    return twice === undefined ? null : `m${node} begins to work for ${twice} again before its former work has settled`;
  },
});
