/** What happens in quorum and in tournament-async, in words: contenders are C, mediators M, as in the paper. */
import { count, type Narrate, type Seen, type Telling } from "../../narrator.ts";
import type { QuorumMessage, QuorumState } from "../complete/quorum.ts";
import type { QuorumEstimatedMessage, QuorumEstimatedState } from "../complete/quorum-estimated.ts";
import type { ExchangeMessage } from "../complete/quorum-sync.ts";
import type { SecondPhaseMessage } from "../complete/second-phase.ts";
import type { TournamentAsyncMessage, TournamentAsyncState } from "../complete/tournament-async.ts";
import { asks, contender, exchange, mediator, mediators, silentMediator, standingPart } from "./exchange.ts";
import { entersSecondPhase, secondPhase } from "./second-phase.ts";

export const narrateQuorum: Narrate<QuorumState, QuorumMessage> = (before, event, after, scene) => {
  if (after.timing === "sync") {
    const was = before?.timing === "sync" ? before.member : null;
    return exchange(was, event as Seen<ExchangeMessage>, after.member, scene);
  }
  const was = before?.timing === "async" ? before.member : null;
  return secondPhase(was, event as Seen<SecondPhaseMessage>, after.member, scene);
};

export const narrateQuorumEstimated: Narrate<QuorumEstimatedState, QuorumEstimatedMessage> = (
  before,
  event,
  after,
  scene,
) => {
  const as = contender(scene, event.node);
  const part = standingPart(after.member);
  const told = (says: string, brief: string | null): Telling => ({ says, brief, as, part });
  const probes = event.sent.filter(({ message }) => message.kind === "probe").length;
  if (event.do === "deliver" && event.message.kind === "probe")
    return { says: `tells ${contender(scene, event.from)} that it is there`, brief: null, part };
  if (event.do === "deliver" && event.message.kind === "here")
    return told(`hears from ${scene.name(event.from)}, one of those it drew`, null);
  if (event.do === "start" && probes > 0)
    return told(
      `contends, and asks ${probes} random processes first, to find out how many there are`,
      `asks ${probes}`,
    );
  if (event.do === "timer" && event.timer === "survey") {
    if (after.member.standing === "lost") return told("drops out: nobody answers", "drops out");
    if (probes > 0) {
      const again = after.survey!.repeats;
      return told(
        `has met ${again === 0 ? "nobody" : count(again, "process", "processes")} again and asks ${probes} more`,
        `asks ${probes} more`,
      );
    }
    const { says, brief, ...rest } = entersSecondPhase(event as Seen<SecondPhaseMessage>, after.member, scene);
    return { ...rest, says: `takes the network for one of ${after.member.n}, and ${says}`, brief: brief ?? null };
  }
  return secondPhase(before?.member ?? null, event as Seen<SecondPhaseMessage>, after.member, scene);
};

type Async = Narrate<TournamentAsyncState, TournamentAsyncMessage>;

export const narrateTournamentAsync: Async = (before, event, after, scene) => {
  const { node } = event;
  if (event.do === "deliver") {
    const { from, message } = event;
    if (message.kind === "ask") return mediates(before, event, after, scene, message.round);
    if (message.kind !== "yes" && message.kind !== "no")
      return secondPhase(before, event as Seen<SecondPhaseMessage>, after, scene);
    const as = contender(scene, node);
    const by = mediator(scene, from);
    const told = (says: string, brief: string | null): Telling => ({
      says,
      brief,
      as,
      part: standingPart(after),
      about: [from],
    });
    const { round } = message;
    if (before?.run?.round !== round)
      return told(`does not mind ${by}: it no longer waits in round ${round}`, "too late");
    if (message.kind === "no") return told(`drops out: ${by} refuses it in round ${round}`, "drops out");
    if (after.run?.round === round)
      return told(`has a yes from ${by} and waits for ${after.run.missing} more`, `${after.run.missing} to come`);
    return entersRound(event, after, scene, round);
  }
  if (event.do === "timer" && event.timer === "answers" && before?.run != null) {
    if (after.standing === "lost") {
      return {
        says: `drops out: answers are missing in round ${before.run.round}`,
        brief: "drops out",
        as: contender(scene, node),
        part: "out",
      };
    }
    return entersRound(event, after, scene, before.run.round);
  }
  if (event.do === "timer" && event.timer !== "start")
    return secondPhase(before, event as Seen<SecondPhaseMessage>, after, scene);
  const asked = event.sent.map(({ to }) => to);
  if (after.run === null && asked.length > 0) return entersSecondPhase(event as Seen<SecondPhaseMessage>, after, scene);
  return asks(scene, node, asked, "in round 1", after);
};

function entersRound(
  event: Parameters<Async>[1],
  after: TournamentAsyncState,
  scene: Parameters<Async>[3],
  passed: number,
): Telling {
  const asked = event.sent.map(({ to }) => to);
  const next = after.run === null ? "in the second phase, with its rank" : `in round ${after.run.round}`;
  return {
    says: `has passed round ${passed} and asks ${mediators(scene, asked)} ${next}`,
    brief: `passes round ${passed}`,
    as: contender(scene, event.node),
    part: standingPart(after),
    about: asked,
  };
}

function mediates(
  before: TournamentAsyncState | null,
  { node, from, sent }: Extract<Parameters<Async>[1], { do: "deliver" }>,
  after: TournamentAsyncState,
  scene: Parameters<Async>[3],
  round: number,
): Telling {
  if (after.failed) return silentMediator(scene, node, from);
  const c = contender(scene, from);
  const told = (says: string, brief: string): Telling => ({
    says,
    brief,
    as: mediator(scene, node),
    part: "mediator",
    about: [from],
  });
  if (sent.some(({ message }) => message.kind === "yes"))
    return told(`says yes to ${c}: it is the first to ask in round ${round}`, `yes to ${c}`);
  const first = before?.winners?.[round - 1] ?? null;
  const why =
    first === null
      ? "a later round has begun here"
      : `${contender(scene, scene.behind(node, first))} was first in round ${round}`;
  return told(`refuses ${c}: ${why}`, `refuses ${c}`);
}
