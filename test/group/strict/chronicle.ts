/** What happened in a run of strict mode, line by line, for people: who led, what the engine did, what was done to it. */
import type { LeaseAnswer, LeaseRequest } from "../../../src/protocols/lease/messages.ts";
import type { MakeRule } from "../watch.ts";

export interface Line {
  readonly time: number;
  readonly text: string;
}

/** A rule that nothing breaks, and that writes down what it is told. */
export function chronicle(lines: Line[]): MakeRule {
  return (truth) => {
    const tell = (text: string) => void lines.push({ time: truth.now, text });
    return {
      name: "chronicle",
      started: (node) => tell(`m${node} starts${truth.forgets(node) ? " without what it had saved" : ""}`),
      stalled: (node) => tell(truth.isPaused(node) ? `m${node} stands still` : `m${node} goes on`),
      changed(node, before, now) {
        if (now === null) tell(`m${node} ends`);
        for (const office in now?.offices) {
          const [was, is] = [before?.offices[office], now.offices[office]];
          const said = [was, is].map(
            (seat) => seat && `${seat.mine ? "leads" : `follows ${seat.leader}`} in term ${seat.term}`,
          );
          if (said[0] !== said[1]) tell(`m${node} ${said[1]}, ${office}, token ${is.token ?? "none"}`);
        }
        return null;
      },
      asks(node, request) {
        tell(`m${node} asks: ${wordsOf(request)}`);
        return null;
      },
      carriedOut({ request, answer }) {
        tell(`engine: ${wordsOf(request)}: ${answerOf(answer)}`);
        return null;
      },
      wrote({ seat, token, taken }) {
        tell(`resource: a write of ${seat} with token ${token} ${taken ? "is taken" : "is refused"}`);
        return null;
      },
    };
  };
}

function wordsOf(request: LeaseRequest): string {
  const { kind, id } = request;
  const about =
    "seat" in request ? ` ${request.seat} ${request.lease}` : "session" in request ? ` ${request.session}` : "";
  return `${kind} #${id}${about}`;
}

function answerOf(answer: LeaseAnswer): string {
  if (answer.kind === "denied")
    return `denied, ${answer.why}${answer.holder ? ` by ${answer.holder.lease}` : ""}, wait ${answer.wait}`;
  if (answer.kind === "granted") return `granted, token ${answer.token}`;
  if (answer.kind === "renewed")
    return `renewed ${answer.leases.map(({ seat, frozen }) => seat + (frozen ? " (frozen)" : "")).join(", ")}`;
  if (answer.kind === "released") return answer.was ? "released" : "was not there";
  return answer.kind;
}
