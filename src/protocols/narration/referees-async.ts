/** What happens among candidates and referees that wait a while, in words. */
import { count, type Narrate, namesOrCount, type Part, type Telling } from "../../narrator.ts";
import { SELF } from "../../protocol.ts";
import type { RefereesAsyncMessage, RefereesAsyncState } from "../complete/referees-async.ts";

type Words = Narrate<RefereesAsyncState, RefereesAsyncMessage>;
type Event = Parameters<Words>[1];
type Scene = Parameters<Words>[3];

const partOf = ({ status, candidate }: RefereesAsyncState): Part =>
  status === "elected" ? "leads" : status === "undecided" ? "contends" : candidate ? "out" : "idle";

export const narrateRefereesAsync: Words = (before, event, after, scene) => {
  const told = tell(before, event, after, scene);
  const decided = before?.status === "undecided" && after.status !== "undecided" ? outcome(after) : null;
  if (decided === null) return told;
  return { ...told, says: `${told.says}; it ${decided.says}`, brief: decided.brief, part: partOf(after) };
};

function tell(before: RefereesAsyncState | null, event: Event, after: RefereesAsyncState, scene: Scene): Telling {
  const part = partOf(after);
  const asks = event.sent.filter(({ message }) => message.kind === "request").length;
  switch (event.do) {
    case "deliver": {
      const { from, message } = event;
      if (message.kind === "request") return asked(before, event, after, scene);
      const { bid } = after;
      const so =
        message.kind === "endorsed"
          ? `${bid?.endorsed ?? 0} of ${bid?.needed ?? 0} that it needs`
          : `${bid?.refused ?? 0} refused`;
      if (before?.status !== "undecided")
        return { says: `is told by referee ${from} what changes nothing any more`, brief: null, part, about: [from] };
      return {
        says: `is ${message.kind} by referee ${from}: ${so}`,
        brief: message.kind === "endorsed" ? `${bid?.endorsed} of ${bid?.needed}` : "refused",
        part,
        about: [from],
      };
    }
    case "timer":
      if (event.timer === "window") return endorses(event, after, scene);
      if (event.timer === "answers")
        return asks > 0
          ? { says: `asks ${count(asks, "silent referee")} again`, brief: `asks ${asks} again`, part }
          : { says: "has waited long enough for answers", brief: null, part };
      return stands(asks, after);
    default:
      if (!after.candidate) return { says: "is no candidate", brief: null, part: "idle" };
      return after.bid === null
        ? { says: "is a candidate and will stand soon", brief: null, part }
        : stands(asks, after);
  }
}

function stands(asks: number, after: RefereesAsyncState): Telling {
  const own = after.bid!.asked > asks ? " and its own" : "";
  return {
    says: `stands with a random rank and asks ${count(asks, "referee")}${own}`,
    brief: `asks ${asks}`,
    part: partOf(after),
  };
}

function asked(before: RefereesAsyncState | null, event: Event, after: RefereesAsyncState, scene: Scene): Telling {
  const { from } = event as Event & { from: number };
  const as = `referee ${event.node}`;
  const node = scene.name(from);
  const about = [from];
  if (before?.hearing?.open === false) {
    const same = event.sent.some(({ message }) => message.kind === "endorsed");
    return same
      ? { says: `tells ${node} once more that it endorses it`, brief: "endorses it", as, part: "referee", about }
      : { says: `refuses ${node}: it endorses somebody only once`, brief: "refuses", as, part: "referee", about };
  }
  if (after.hearing?.open === false) return endorses(event, after, scene);
  return before?.hearing == null
    ? { says: `is asked by ${node} and waits for others`, brief: "waits", as, part: "referee", about }
    : { says: `is asked by ${node} too`, brief: null, as, part: "referee", about };
}

function endorses({ node }: Event, { hearing }: RefereesAsyncState, scene: Scene): Telling {
  const askers = [...hearing!.heard].map((port) => scene.behind(node, port));
  const best = scene.behind(node, hearing!.best.port);
  const candidate = hearing!.best.port === SELF ? "itself" : scene.name(best);
  const others = askers.filter((asker) => asker !== best).map((asker) => scene.name(asker));
  const refused = others.length === 0 ? "nobody else asked" : `and refuses ${namesOrCount(others, "node")}`;
  return {
    says: `endorses ${candidate}${others.length === 0 ? ":" : ""} ${refused}`,
    brief: `endorses ${best}`,
    as: `referee ${node}`,
    part: "referee",
    about: askers,
  };
}

function outcome({ status, bid }: RefereesAsyncState): { says: string; brief: string } {
  const { endorsed, refused, asked } = bid!;
  if (status === "elected")
    return { says: `leads: ${endorsed} of ${count(asked, "referee")} endorse it`, brief: "leads" };
  return refused > 0
    ? { says: `is out: ${count(refused, "referee")} refused it`, brief: "is out" }
    : { says: `is out: only ${endorsed} of ${count(asked, "referee")} endorse it`, brief: "is out" };
}
