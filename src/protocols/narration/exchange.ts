/** What happens among contenders (C) and mediators (M) that meet in exchanges: tournament, and quorum with timing=sync. */
import { count, type Narrate, namesOrCount, type Part, type Scene, type Seen, type Telling } from "../../narrator.ts";
import type { ContestMember } from "../complete/member.ts";
import type { ExchangeMessage, SynchronousMember } from "../complete/quorum-sync.ts";

export const contender = (scene: Scene, node: number): string => scene.name(node, "C");
export const mediator = (scene: Scene, node: number): string => scene.name(node, "M");

export const mediators = (scene: Scene, nodes: readonly number[]): string =>
  namesOrCount(
    nodes.map((node) => mediator(scene, node)),
    "mediator",
  );

export const standingPart = ({ standing }: ContestMember): Part =>
  standing === "leads" ? "leads" : standing === "contends" ? "contends" : "out";

export const silentMediator = (scene: Scene, node: number, from: number): Telling => ({
  says: `does not answer ${contender(scene, from)}: it has failed as a mediator`,
  brief: "has failed",
  as: mediator(scene, node),
  part: "mediator",
});

/** A contender asks: the first words of a round. */
export function asks(
  scene: Scene,
  node: number,
  asked: readonly number[],
  what: string,
  after: ContestMember,
): Telling {
  if (asked.length === 0) return { says: "does not contend", brief: null, part: "idle" };
  return {
    says: `asks ${mediators(scene, asked)} ${what}`,
    brief: `asks ${asked.length}`,
    as: contender(scene, node),
    part: standingPart(after),
    about: asked,
  };
}

type Sync = Narrate<SynchronousMember, ExchangeMessage>;

const questions = (event: Seen<ExchangeMessage>) =>
  event.sent.flatMap(({ to, message }) => (message.kind === "ask" ? [{ to, ...message }] : []));

const roundWords = (round: number, final: boolean): string =>
  final ? "for their yes, with its rank" : `in round ${round}`;

export const exchange: Sync = (before, event, after, scene) => {
  const { node } = event;
  const asking = questions(event);
  const as = contender(scene, node);
  switch (event.do) {
    case "deliver": {
      const { from, message } = event;
      if (message.kind !== "ask") {
        const by = mediator(scene, from);
        if (before?.exchange?.round !== message.round)
          return { says: `no longer waits for ${by}`, brief: null, as, part: standingPart(after) };
        return {
          says: `has a ${message.kind} from ${by}`,
          brief: null,
          as,
          part: standingPart(after),
          about: [from],
        };
      }
      if (after.failed) return silentMediator(scene, node, from);
      return {
        says: `is asked by ${contender(scene, from)}`,
        brief: null,
        as: mediator(scene, node),
        part: "mediator",
        about: [from],
      };
    }
    case "end-round": {
      const told = [answersOf(before, event, scene), concludes(before, event, after, scene)].filter(
        (one) => one !== null,
      );
      if (told.length < 2) return told[0] ?? { says: "has nothing to answer", brief: null, part: standingPart(after) };
      const [answered, concluded] = told;
      const { as: _, ...rest } = concluded;
      const briefs = [answered.brief, concluded.brief].filter(Boolean).join("; ");
      return { ...rest, says: `${answered.says}; ${concluded.says}`, brief: briefs };
    }
    case "timer":
      return { says: "has waited long enough for answers", brief: null, as, part: standingPart(after) };
    default:
      return asks(
        scene,
        node,
        asking.map(({ to }) => to),
        roundWords(asking[0]?.round ?? 1, after.exchange?.final ?? false),
        after,
      );
  }
};

/** As a mediator, at the end of a step. */
function answersOf(before: SynchronousMember | null, event: Seen<ExchangeMessage>, scene: Scene): Telling | null {
  const answers = event.sent.flatMap(({ to, message }) =>
    message.kind === "ask" ? [] : [{ to, yes: message.kind === "yes" }],
  );
  if (answers.length === 0) return null;
  const said = (yes: boolean) => answers.filter((answer) => answer.yes === yes).map(({ to }) => contender(scene, to));
  const final = before?.asked.some(({ question }) => question.rank !== null) ?? false;
  const [yes, no] = [said(true), said(false)];
  const several = count(answers.length, "contender");
  const why = final
    ? yes.length === 0
      ? "it has said yes before"
      : no.length === 0
        ? "nobody else asked"
        : "the largest rank of those that asked"
    : no.length === 0
      ? "nobody else asked in this round"
      : yes.length === 0
        ? `${several} asked at once`
        : "each asked alone in its round";
  const parts = [
    yes.length > 0 ? `yes to ${namesOrCount(yes, "contender")}` : "",
    no.length > 0 ? `no to ${namesOrCount(no, "contender")}` : "",
  ];
  const says = parts.filter(Boolean).join(", ");
  return {
    says: `says ${says}: ${why}`,
    brief: says,
    as: mediator(scene, event.node),
    part: "mediator",
    about: answers.map(({ to }) => to),
  };
}

/** As a contender whose answers are complete or overdue. */
function concludes(
  before: SynchronousMember | null,
  event: Seen<ExchangeMessage>,
  after: SynchronousMember,
  scene: Scene,
): Telling | null {
  const concluded = before?.exchange ?? null;
  if (concluded === null || after.exchange?.round === concluded.round) return null;
  const { yes, no, mediators: asked, round } = concluded;
  const as = contender(scene, event.node);
  const part = standingPart(after);
  if (after.standing === "leads")
    return { says: `leads: ${count(yes, "mediator")} said yes and nobody refused`, brief: "leads", as, part };
  if (after.standing === "lost") {
    const missing = asked.length - yes - no;
    const why =
      no > 0
        ? `${asked.length === 1 ? "its only mediator" : `${no} of ${asked.length} mediators`} said no`
        : `${count(missing, "answer")} did not come`;
    return { says: `drops out: ${why}`, brief: "drops out", as, part };
  }
  const asking = questions(event);
  const what = roundWords(asking[0].round, after.exchange?.final ?? false);
  return {
    says: `has passed round ${round} and asks ${mediators(
      scene,
      asking.map(({ to }) => to),
    )} ${what}`,
    brief: `passes round ${round}`,
    as,
    part,
  };
}
