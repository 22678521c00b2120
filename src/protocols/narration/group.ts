/** What happens in filter-relay and in epidemic-multicast, in words. */
import { count, type Narrate, type Part, type Telling } from "../../narrator.ts";
import type { EpidemicMessage, EpidemicState } from "../group/epidemic-multicast.ts";
import type { FilterRelayMessage, FilterRelayState } from "../group/filter-relay-round.ts";

type Relay = Narrate<FilterRelayState, FilterRelayMessage>;

function partOf({ phase, leader, id }: FilterRelayState): Part {
  if (leader !== null) return leader === id ? "leads" : "informed";
  return phase === "relaying" ? "relay" : "idle";
}

/** What a member does when its round begins: the filter has spoken. */
function begins(after: FilterRelayState, sent: number): Telling {
  const { round, phase, best } = after;
  if (phase === "relaying") {
    const told = sent > 0 ? ` and tells ${count(sent, "other relay")}` : "";
    return {
      says: `becomes a relay of round ${round}: the hash admits it; it prefers id ${best}${told}`,
      brief: `relay: prefers ${best}`,
      part: "relay",
    };
  }
  return {
    says: `only listens in round ${round}: the hash does not admit it as a relay`,
    brief: null,
    part: partOf(after),
  };
}

type Told = (says: string, brief: string | null) => Telling;
type Before = FilterRelayState | null;

export const narrateFilterRelay: Relay = (before, event, after, scene) => {
  const part = partOf(after);
  const as = after.phase === "relaying" ? `relay ${event.node}` : undefined;
  const told: Told = (says, brief) => ({ says, brief, part, ...(as === undefined ? {} : { as }) });
  if (event.do === "deliver") return hears(before, event, after, scene, told);
  const initiates = event.sent.some(({ message }) => message.kind === "initiate");
  if (event.do === "timer") return timeIsUp(before, event, after, initiates, told);
  if (initiates) return told(`starts round ${after.round} by a multicast`, `starts round ${after.round}`);
  return told("waits for a round to begin", null);
};

type RelayEvent = Parameters<Relay>[1];

function hears(
  before: Before,
  event: Extract<RelayEvent, { do: "deliver" }>,
  after: FilterRelayState,
  scene: Parameters<Relay>[3],
  told: Told,
): Telling {
  const { from, message } = event;
  const node = scene.name(from);
  if (message.round < (before?.round ?? 0))
    return told(`ignores ${node}: round ${message.round} is over`, "ignores it");
  if (message.kind === "initiate") {
    if (after.phase === "waiting")
      return told(`hears from ${node} that round ${message.round} is about to begin`, `round ${message.round} is near`);
    if (before?.initiated && before.round === message.round)
      return told(`knows already that round ${message.round} has begun`, null);
    return begins(after, event.sent.length);
  }
  if (message.kind === "final") return hearsFinal(before, message.leader, after, told);
  if (message.round > (before?.round ?? 0))
    return told(`hears of round ${message.round} too late to be a relay`, "too late to relay");
  if (before?.phase !== "relaying") return told(`does not mind what ${node} prefers: it is not a relay`, null);
  if (message.leader === before.best)
    return told(`agrees with relay ${from} on id ${after.best}`, `agrees: ${after.best}`);
  if (after.best === message.leader)
    return told(
      `now prefers id ${after.best} to id ${before.best}, and tells ${count(event.sent.length, "other relay")}`,
      `now prefers ${after.best}`,
    );
  return told(
    `puts relay ${from} right: id ${after.best} is better than id ${message.leader}`,
    `answers: ${after.best}`,
  );
}

function timeIsUp(
  before: Before,
  event: Extract<RelayEvent, { do: "timer" }>,
  after: FilterRelayState,
  initiates: boolean,
  told: Told,
): Telling {
  if (initiates)
    return told(
      `starts round ${after.round}: it has seen ${before?.several ? "several leaders" : "no leader"}`,
      `starts round ${after.round}`,
    );
  if (before?.phase === "waiting") return begins(after, event.sent.length);
  if (before?.phase === "relaying") {
    return {
      says: `tells everybody its final choice, id ${before.best}`,
      brief: `final: ${before.best}`,
      as: `relay ${event.node}`,
      part: "relay",
    };
  }
  if (after.phase === "deciding") {
    return after.heard !== null && !after.several
      ? told(`has seen one leader, id ${after.heard}, and waits for objections`, `one leader: ${after.heard}`)
      : told(
          `has seen ${after.several ? "several leaders" : "no leader"}`,
          after.several ? "several leaders" : "no leader",
        );
  }
  return after.leader === null
    ? told("declares no leader: it has seen none or several", "no leader")
    : told(
        `takes id ${after.leader} for the leader: nobody has objected`,
        after.leader === after.id ? "leads" : `${after.leader} leads`,
      );
}

function hearsFinal(before: Before, leader: number, after: FilterRelayState, told: Told): Telling {
  if (before !== null && (before.phase === "deciding" || before.phase === "done") && before.round === after.round) {
    return told(`hears the final choice id ${leader} too late`, "too late");
  }
  if (before?.heard == null || before.round !== after.round)
    return told(`hears the first final choice: id ${leader}`, `hears ${leader}`);
  if (leader === after.heard) return told(`hears the same final choice again: id ${leader}`, null);
  return told(`hears another final choice, id ${leader}, besides id ${after.heard}`, `also ${leader}`);
}

type Epidemic = Narrate<EpidemicState, EpidemicMessage>;

export const narrateEpidemicMulticast: Epidemic = (before, event, after, scene) => {
  const part: Part = after.origin === null ? "idle" : after.origin === after.id ? "leads" : "informed";
  const told = (says: string, brief: string | null): Telling => ({ says, brief, part });
  const offers = event.sent.filter(({ message }) => message.kind === "offer").length;
  const offering = `offers it to ${count(offers, "other member")}`;
  switch (event.do) {
    case "deliver": {
      const node = scene.name(event.from);
      if (event.message.kind === "data") {
        if (before?.origin != null) return told("has the message already", null);
        return told(`gets the message of id ${after.origin}${offers > 0 ? ` and ${offering}` : ""}`, "has it");
      }
      if (event.message.kind === "offer") {
        return after.origin === null
          ? told(`lacks the message and asks ${node} for it`, "asks for it")
          : told(`needs no offer of ${node}: it has the message`, null);
      }
      return told(`sends the message to ${node}, which asked for it`, "sends it");
    }
    case "timer":
      return offers > 0
        ? told(`has the message and ${offering}`, `offers it to ${offers}`)
        : told("has offered it often enough", null);
    default:
      return after.origin === null
        ? told("waits for the message", null)
        : told("multicasts its message", "multicasts it");
  }
};
