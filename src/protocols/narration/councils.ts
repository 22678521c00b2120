/** What happens between the centre and the hosts of a council election, in words. */
import { count, type Narrate, type Part, type Scene, type Telling } from "../../narrator.ts";
import type { ContinuousState } from "../council/continuous.ts";
import type { ContinuousMessage } from "../council/continuous-parameters.ts";
import type { CouncilMessage, CouncilState, Draws, Feedback } from "../council/council.ts";
import type { Mask } from "../council/masks.ts";

type State = CouncilState<unknown, { active?: boolean; draws?: Draws | 0 }>;
type Message = CouncilMessage<Feedback | Mask>;
type Centre = Extract<State, { role: "centre" }>;
type Host = Extract<State, { role: "host" }>;

const centre = (says: string, brief: string | null): Telling => ({ says, brief, as: "the centre", part: "centre" });
const asHost = (scene: Scene, node: number): string => scene.name(node, "host ");

export const narrateCouncil: Narrate<State, Message> = (before, event, after, scene) => {
  if (after.role === "centre") return atCentre(before as Centre | null, event, after);
  if (event.do !== "deliver")
    return { says: "waits for the centre", brief: null, part: "idle", as: asHost(scene, event.node) };
  return atHost(before as Host | null, event, after, asHost(scene, event.node));
};

function polls(message: Message | undefined, params: { readonly L: number }): string {
  if (message?.kind !== "feedback") return "";
  const { feedback } = message;
  if ("key" in feedback)
    return feedback.bits === 0
      ? "polls: every host is to reply"
      : `polls: hosts whose first ${count(feedback.bits, "bit")} match the key are to reply`;
  const rounded = Math.round(feedback.population);
  if (feedback.population < params.L) return "polls everybody again";
  const receivers = feedback.reset ? "all hosts are to draw anew" : "the hosts that are still active are to draw";
  return `polls: ${receivers}, as if they were ${rounded}`;
}

const tallyText = ([first, second]: readonly number[]): string =>
  second > 0 ? `${first} and ${count(second, "reply", "replies")} for the two draws` : count(first, "reply", "replies");

function atCentre(before: Centre | null, event: Parameters<typeof narrateCouncil>[1], after: Centre): Telling {
  const [first] = event.sent;
  const { L, U } = after.params;
  if (event.do === "deliver") return centre(`hears from host ${event.from}: ${tallyText(after.tally)} so far`, null);
  const said = polls(first?.message, after.params);
  if (event.do !== "timer") {
    return first?.message.kind === "close"
      ? centre("elects everybody: their number is within the range", "elects everybody")
      : centre(said, "polls");
  }
  const came = tallyText(before?.tally ?? [0, 0]);
  const range = L === U ? `not ${L}` : `not ${L} to ${U}`;
  if (said !== "") return centre(`has ${came}, ${range}, and ${said}`, `${came}: polls again`);
  if (first?.message.kind === "close" && first.message.list?.length === 0)
    return centre(`has ${came}, ${range}, and gives up`, `${came}: gives up`);
  return centre(`has ${came}, which is within the range: the council stands`, `${came}: done`);
}

function atHost(
  before: Host | null,
  event: Extract<Parameters<typeof narrateCouncil>[1], { do: "deliver" }>,
  after: Host,
  as: string,
): Telling {
  const { message } = event;
  const { active, draws } = after.host;
  const isActive = active ?? (draws ?? 0) !== 0;
  if (message.kind === "close") {
    const member = after.closed ?? (draws === undefined ? isActive : (draws & message.draw) !== 0);
    return {
      says: member
        ? "is a member: the centre has closed the election"
        : "is no member: the centre has closed the election without it",
      brief: member ? "is a member" : null,
      as,
      part: member ? "member" : "out",
    };
  }
  const wasActive = before === null || (before.host.active ?? (before.host.draws ?? 0) !== 0);
  if (message.kind !== "feedback") return { says: "has nothing to do with that", brief: null, as, part: "out" };
  const { feedback } = message;
  if (isActive) {
    const both = draws === 3 ? ", for both of its draws" : "";
    return { says: `replies${both}: ${whyReplies(feedback, after.params.L)}`, brief: "replies", as, part: "contends" };
  }
  const drew = "key" in feedback || feedback.reset || wasActive;
  const why =
    "key" in feedback ? "its bits do not match the key" : drew ? "the draw went against it" : "it is not active";
  return { says: `does not reply: ${why}`, brief: null, as, part: "out" };
}

function whyReplies(feedback: Feedback | Mask, least: number): string {
  if ("key" in feedback) return "its bits match the key";
  return feedback.population < least ? "everybody is asked" : "the draw went in its favour";
}

const MODES = {
  keep: "asks the members to reply",
  invite: "asks the members to reply and invites others",
  reset: "asks everybody to draw for a seat",
  shrink: "asks the members to draw for their seats",
} as const;

export const narrateContinuous: Narrate<ContinuousState, ContinuousMessage> = (before, event, after, scene) => {
  const [first] = event.sent;
  if (after.role === "centre") {
    if (event.do === "deliver") {
      const what =
        event.message.kind === "leave"
          ? "leaves"
          : event.message.kind === "reply" && event.message.offer
            ? "offers itself"
            : "holds its seat";
      return centre(`hears that host ${event.from} ${what}`, null);
    }
    const was = before?.role === "centre" ? before : null;
    const came =
      was === null
        ? ""
        : `has heard ${count(was.heard, "member")}${was.offers > 0 ? ` and ${count(was.offers, "offer")}` : ""}, and `;
    if (first?.message.kind !== "feedback") return centre(`${came}ends its watch`, "ends");
    const seats = first.message.seat ? ", and seats those who offered themselves" : "";
    return centre(
      `${came}${MODES[first.message.mode]}${seats}`,
      was === null ? "polls" : `${count(was.heard, "member")}: ${first.message.mode}`,
    );
  }
  const as = asHost(scene, event.node);
  const part: Part = after.member ? "member" : after.present ? "idle" : "out";
  const was = before?.role === "host" ? before : null;
  const told = (says: string, brief: string | null): Telling => ({ says, brief, as, part });
  if (event.do === "timer") {
    if (event.timer === "lease")
      return told("gives its seat up: it has not heard from the centre for too long", "gives up its seat");
    if (after.present) return told("comes back", "comes back");
    return first === undefined ? told("goes without a word", "goes") : told("leaves, and says so", "leaves");
  }
  if (event.do !== "deliver") return told("waits for the centre", null);
  if (!after.present) return told("is away", null);
  if (after.member)
    return was?.member === true
      ? told("replies: it holds its seat", null)
      : told("takes a seat and replies", "takes a seat");
  if (after.offered !== null) return told("offers itself for a seat", "offers itself");
  return was?.member === true
    ? told("loses its seat: the draw went against it", "loses its seat")
    : told("does not reply: it has no seat", null);
};
