/** What happens among contenders (C) and mediators (M) of the timed second phase: quorum, and tournament-async's end. */
import { count, type Scene, type Seen, type Telling } from "../../narrator.ts";
import type { Asker, Mediator } from "../complete/mediator.ts";
import type { SecondPhaseMessage } from "../complete/second-phase.ts";
import type { TimedMember } from "../complete/timed-member.ts";
import { beats } from "../ranks.ts";
import { asks, contender, mediator, silentMediator, standingPart } from "./exchange.ts";

type Event = Seen<SecondPhaseMessage>;

/** One event of the second phase; null for what does not belong to it. */
export function secondPhase(
  before: TimedMember | null,
  event: Event,
  after: TimedMember,
  scene: Scene,
): Telling | null {
  if (event.do === "timer") {
    if (event.timer === "hold") return asMediator(event.node, scene, holdEnds(before!, after, event.node, scene));
    if (event.timer === "answers") return outOfPatience(before!, event, after, scene);
  }
  if (event.do !== "deliver") return entersSecondPhase(event, after, scene);
  const { node, from, message } = event;
  if (message.kind === "ACK" || message.kind === "NAK") return hearsAnswer(before!, event, after, scene);
  if (after.failed) return silentMediator(scene, node, from);
  const was = before?.mediator ?? { state: "idle", curr: null, wait: null };
  return asMediator(node, scene, mediates(was, event, after.mediator!, scene));
}

export function entersSecondPhase(event: Event, after: TimedMember, scene: Scene): Telling {
  const asked = event.sent.flatMap(({ to, message }) => (message.kind === "REQ" ? [to] : []));
  return asks(scene, event.node, asked, "for their yes, with its rank", after);
}

interface Said {
  readonly says: string;
  readonly brief: string;
}

const asMediator = (node: number, scene: Scene, said: Said): Telling => ({
  ...said,
  as: mediator(scene, node),
  part: "mediator",
});

function mediates(
  was: Mediator,
  { node, from, message, sent }: Extract<Event, { do: "deliver" }>,
  now: Mediator,
  scene: Scene,
): Said {
  const name = (asker: Asker) => contender(scene, scene.behind(node, asker.port));
  const isIt = (asker: Asker | null) => asker !== null && scene.behind(node, asker.port) === from;
  const c = contender(scene, from);
  const refused = sent.filter(({ message: { kind } }) => kind === "NAK").map(({ to }) => to);
  const refuses = (why: string): Said => ({ says: `refuses ${c}: ${why}`, brief: `refuses ${c}` });
  const holder = was.curr === null ? "nobody" : name(was.curr);
  switch (message.kind) {
    case "REQ": {
      if (refused.includes(from)) {
        if (was.state === "final") return refuses(`${holder} has won here`);
        const waiterIsLarger =
          was.wait !== null && beats(was.wait.rank, message.rank) && !beats(was.curr!.rank, message.rank);
        return waiterIsLarger
          ? refuses(`${name(was.wait!)}, whose rank is larger, waits already`)
          : refuses(`it holds ${holder}, whose rank is larger`);
      }
      if (isIt(now.wait)) {
        const instead = was.wait === null ? "" : ` in the place of ${name(was.wait)}`;
        return { says: `lets ${c} wait${instead}: it holds ${holder}, whose rank is smaller`, brief: `${c} waits` };
      }
      if (!isIt(now.curr))
        return {
          says: `does not answer ${c}: ${holder} has won here, and the printed tables have no row for that`,
          brief: "no answer",
        };
      return was.curr === null
        ? { says: `says yes to ${c} and holds it: it held nobody`, brief: `holds ${c}` }
        : {
            says: `takes its yes from ${holder}, which is silent, and holds ${c}, whose rank is larger`,
            brief: `holds ${c}, refuses ${holder}`,
          };
    }
    case "POTW": {
      if (refused.includes(from)) return refuses(was.curr === null ? "it holds nobody" : `it holds ${holder}`);
      if (!isIt(was.curr))
        return {
          says: `does not answer ${c}, which it does not hold: the printed tables have no row for that`,
          brief: "no answer",
        };
      const also = refused.length > 0 ? `, and refuses ${contender(scene, refused[0])}, which waited` : "";
      return {
        says: `keeps its yes for ${c}, a potential winner${also}`,
        brief: `keeps ${c}${also === "" ? "" : `, refuses ${contender(scene, refused[0])}`}`,
      };
    }
    default:
      return declines(was, now, c, isIt, name);
  }
}

/** A contender declines (DEC). */
function declines(
  was: Mediator,
  now: Mediator,
  c: string,
  isIt: (asker: Asker | null) => boolean,
  name: (asker: Asker) => string,
): Said {
  if (was.curr === null || was.state === "final")
    return { says: `has nothing to do with ${c}, which gives up`, brief: `${c} gives up` };
  const byHolder = isIt(was.curr);
  const why = byHolder
    ? `${c}, which it held, gives up`
    : `${c} gives up, and the printed tables do not ask whether it is the one that is held`;
  if (now.curr === null) return { says: `is free again: ${why}`, brief: "is free" };
  if (now.curr.port !== was.curr.port || (was.wait !== null && now.wait === null && isIt(was.wait) && isIt(now.curr))) {
    const gives = byHolder ? "gives its yes" : `takes its yes from ${name(was.curr)} and gives it`;
    return {
      says: `${gives} to ${name(now.curr)}, which waited: ${why}`,
      brief: byHolder ? `holds ${name(now.curr)}` : `drops ${name(was.curr)} for ${name(now.curr)}`,
    };
  }
  if (was.wait !== null && now.wait === null)
    return { says: `no longer lets ${c} wait: it gives up`, brief: `${c} gives up` };
  return { says: `ignores that ${c} gives up: it holds ${name(was.curr)}`, brief: `holds ${name(was.curr)}` };
}

function holdEnds({ mediator: was }: TimedMember, { mediator: now }: TimedMember, node: number, scene: Scene): Said {
  if (was === null || now === null || was.curr === null) return { says: "holds nobody", brief: "holds nobody" };
  const name = (asker: Asker) => contender(scene, scene.behind(node, asker.port));
  const holder = name(was.curr);
  const waited = was.wait === null ? "" : `, and refuses ${name(was.wait)}, which waited`;
  switch (was.state) {
    case "safe":
      if (was.wait !== null)
        return {
          says: `takes its yes from ${holder}, which was silent for 3 tau, and gives it to ${name(was.wait)}, which waited`,
          brief: `holds ${name(was.wait)}, refuses ${holder}`,
        };
      return {
        says: `would give way to a larger rank from now on: ${holder} was silent for 3 tau`,
        brief: `${holder} is silent`,
      };
    case "post-safe":
      return { says: `forgets ${holder}, which has been silent too long`, brief: `forgets ${holder}` };
    default:
      return {
        says: `takes ${holder} for the leader: 3 tau have passed since it claimed${waited}`,
        brief: `${holder} leads`,
      };
  }
}

/** A contender hears from a mediator. */
function hearsAnswer(
  before: TimedMember,
  event: Extract<Event, { do: "deliver" }>,
  after: TimedMember,
  scene: Scene,
): Telling {
  const { node, from, message } = event;
  const by = mediator(scene, from);
  const told = (says: string, brief: string): Telling => ({
    says,
    brief,
    as: contender(scene, node),
    part: standingPart(after),
    about: [from],
  });
  const { claim } = before;
  if (claim === null || before.standing !== "contends")
    return told(`does not mind ${by}: it has decided already`, "too late");
  if (message.kind === "NAK") return told(`gives up: ${by} refuses it`, "gives up");
  const all = claim.mediators.length;
  if (after.claim?.state === "S2" && claim.state === "S1") {
    return told(
      `has a yes from ${all === 1 ? "its only mediator" : all === 2 ? "both mediators" : `all ${all} mediators`} and says that it is a potential winner`,
      `${all} of ${all}: claims`,
    );
  }
  if (claim.state === "S2") return told(`has a late yes from ${by}`, "late yes");
  const yes = after.claim?.acked.length ?? 0;
  return told(`has a yes from ${by}: ${yes} of ${all}`, `${yes} of ${all}`);
}

function outOfPatience(before: TimedMember, event: Event, after: TimedMember, scene: Scene): Telling | null {
  const { claim } = before;
  const told = (says: string, brief: string): Telling => ({
    says,
    brief,
    as: contender(scene, event.node),
    part: standingPart(after),
  });
  if (claim === null) return told("no longer waits for answers", "");
  if (claim.state === "S2") return told("leads: nobody has objected for 2 tau", "leads");
  const silent = count(claim.mediators.length - claim.acked.length, "mediator");
  if (after.claim !== null)
    return told(`goes on without an answer from ${silent}, and says that it is a potential winner`, "claims");
  return told(`gives up: ${silent} did not answer`, "gives up");
}
