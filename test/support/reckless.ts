/** A protocol under which one term can have several winners. */

/** A member that is asked to stand wins, whatever the others say. */
export const reckless = {
  name: "reckless",
  assumes: { topology: "complete", timing: "partial", knows: [], tolerates: ["loss"] },
  init: (_params: object, { initiator }: { initiator: boolean }) => ({ initiator }),
  receive() {},
  verdict: ({ initiator }: { initiator: boolean }) => ({
    status: initiator ? "elected" : "not-elected",
    leader: null,
    term: 0,
  }),
} as const;
