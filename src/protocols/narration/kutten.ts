/** What happens among candidates, referees and random walks (Kutten et al.), in words. */
import { count, type Narrate, namesOrCount, type Part, type Telling } from "../../narrator.ts";
import type { RefereesMessage, RefereesState } from "../complete/referees.ts";
import type { RandomWalksMessage, RandomWalksState } from "../graph/random-walks.ts";
import { compareLotRanks } from "../ranks.ts";

const partOf = ({ status }: { readonly status: RefereesState["status"] }, candidate: boolean): Part =>
  status === "elected" ? "leads" : status === "undecided" ? "contends" : candidate ? "out" : "idle";

const asking = (event: { readonly sent: readonly { readonly to: number; readonly message: RefereesMessage }[] }) =>
  event.sent.filter(({ message }) => message.kind === "request");

export const narrateReferees: Narrate<RefereesState, RefereesMessage> = (before, event, after, scene) => {
  const part = partOf(after, after.candidate);
  const me = `referee ${event.node}`;
  const asks = asking(event).length;
  const asked = `asks ${count(asks, "referee")} with a random rank`;
  switch (event.do) {
    case "deliver": {
      const { from, message } = event;
      const node = scene.name(from);
      if (message.kind === "leader")
        return { says: `learns that ${node} leads`, brief: `${node} leads`, part: "informed" };
      if (message.kind === "request")
        return { says: `is asked by ${node}`, brief: null, as: me, part: "referee", about: [from] };
      const so =
        message.answer === "won"
          ? `${after.won} of ${count(after.asked, "referee")} so far`
          : "it cannot lead any more";
      return {
        says: `is ${message.answer === "won" ? "let through" : "refused"} by referee ${from}: ${so}`,
        brief: message.answer === "won" ? `${after.won} of ${after.asked}` : "refused",
        part,
        about: [from],
      };
    }
    case "end-round": {
      const told = answersAsReferee(before, event, after, scene);
      if (asks === 0) return told ?? { says: "has nothing to answer", brief: null, part };
      return told === null
        ? { says: asked, brief: `asks ${asks}`, part }
        : { ...told, says: `${told.says}; it also ${asked}`, part };
    }
    case "timer":
      if (event.timer === "wake") return { says: "wakes", brief: null, part };
      if (after.status === "elected")
        return { says: `leads: ${after.won} of ${count(after.asked, "referee")} let it through`, brief: "leads", part };
      return {
        says:
          after.refused > 0
            ? `is out: ${count(after.refused, "referee")} refused it`
            : `is out: ${after.won === 0 ? "none" : `only ${after.won}`} of ${count(after.asked, "referee")} let it through`,
        brief: `${after.won} of ${after.asked}: out`,
        part,
      };
    default:
      if (!after.candidate) return { says: "is no candidate", brief: null, part: "idle" };
      return asks > 0
        ? { says: `is a candidate and ${asked}`, brief: `asks ${asks}`, part }
        : { says: "is a candidate and sleeps", brief: null, part };
  }
};

function answersAsReferee(
  before: RefereesState | null,
  { node, sent }: Parameters<typeof narrateReferees>[1],
  after: RefereesState,
  scene: Parameters<typeof narrateReferees>[3],
): Telling | null {
  const inbox = before?.inbox ?? [];
  if (inbox.length === 0) return null;
  const as = `referee ${node}`;
  const askers = inbox.map(({ port }) => scene.behind(node, port));
  const through = sent.find(({ message }) => message.kind === "answer" && message.answer === "won");
  if (through === undefined) {
    const refuses = after.params.answers === "all" ? "refuses" : "does not answer";
    return {
      says: `${refuses} ${namesOrCount(
        askers.map((one) => scene.name(one)),
        "node",
      )}: it lets somebody through only once`,
      brief: "answers nobody twice",
      as,
      part: "referee",
      about: askers,
    };
  }
  const why = inbox.length === 1 ? "nobody else asked" : `the highest of ${inbox.length} ranks`;
  return {
    says: `lets ${scene.name(through.to)} through: ${why}`,
    brief: `lets ${through.to} through`,
    as,
    part: "referee",
    about: askers,
  };
}

type Walks = Narrate<RandomWalksState, RandomWalksMessage>;

const walksIn = (sent: Parameters<Walks>[1]["sent"], kind: "walk" | "win"): number =>
  sent.reduce((sum, { message }) => sum + (message.kind === kind ? message.count : 0), 0);

export const narrateRandomWalks: Walks = (before, event, after, scene) => {
  const part = partOf(after, after.rank !== null);
  const told = (says: string, brief: string | null = null): Telling => ({ says, brief, part });
  switch (event.do) {
    case "deliver": {
      const { from, message } = event;
      const node = scene.name(from);
      if (message.kind === "leader") return told(`learns from ${node} who leads`, "knows the leader");
      const some = count(message.count, message.kind === "walk" ? "walk" : "notification");
      const order = before?.winner == null ? 1 : compareLotRanks(message.rank, before.winner);
      if (message.kind === "win") {
        if (order !== 0) return told(`stops ${some}: a higher rank has been here`, "stops them");
        return after.origin === -1
          ? told(
              `hears that ${count(message.count, "walk")} of its own survived: ${after.won} of ${after.params.walks} so far`,
              `${after.won} of ${after.params.walks}`,
            )
          : told(`gets ${some} from ${node} to pass back`);
      }
      if (order < 0) return told(`stops ${some} from ${node}: a higher rank has been here`, `stops ${message.count}`);
      if (order === 0) return told(`lets ${some} from ${node} go on: no higher rank has been here`);
      const own = before?.rank != null && before.winner !== null && compareLotRanks(before.rank, before.winner) === 0;
      const what = own
        ? "its own candidacy is overtaken"
        : before?.winner == null
          ? "the first to come here"
          : "their rank is the highest here so far";
      return told(`lets ${some} from ${node} go on: ${what}`, own ? "is overtaken" : null);
    }
    case "end-round": {
      const [walks, wins] = [walksIn(event.sent, "walk"), walksIn(event.sent, "win")];
      const leader = event.sent.filter(({ message }) => message.kind === "leader").length;
      if (walks > 0) return told(`sends ${count(walks, "walk")} one step on`, `${count(walks, "walk")} on`);
      if (wins > 0)
        return told(`reports ${count(wins, "surviving walk")} on the way back to the candidate`, `reports ${wins}`);
      if (leader > 0) return told(`passes on who leads, to ${count(leader, "neighbour")}`, "passes it on");
      return told("has nothing to send");
    }
    case "timer": {
      if (event.timer !== "decide") return told("has walks that rested here");
      const share = `${after.won === 0 ? "none" : after.won} of its ${count(after.params.walks, "walk")} survived`;
      return after.status === "elected" ? told(`leads: ${share}`, "leads") : told(`is out: ${share}`, "is out");
    }
    default:
      if (after.rank === null) return told("is no candidate");
      return told(
        `is a candidate and sends ${count(after.params.walks, "walk")}`,
        `${count(after.params.walks, "walk")}`,
      );
  }
};
