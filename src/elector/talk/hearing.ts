/** What a member does with messages about offices. */
import type { KnownMember } from "../../protocols/membership/records.ts";
import { leavesRoom } from "../../protocols/shape.ts";
import { adopt, joinElection, receiveInElection, receiveList } from "../election/election.ts";
import { mayStand } from "../policy.ts";
import { leads, occupancy } from "../presence.ts";
import { FIRST, isWilling } from "../standing.ts";
import { type Election, type Office, officeNamed, stopWaiting, type Turn, touch } from "../state.ts";
import { hearExtension } from "../strict/extensions.ts";
import type { Claim, ElectorMessage } from "./messages.ts";
import { inform, say } from "./speaking.ts";

type OfElection = Of<"open" | "child" | "list" | "listed">;
type Of<K extends ElectorMessage["kind"]> = Extract<ElectorMessage, { readonly kind: K }>;

/** `sender`: the live member that sent the message, in its present life. */
export function hearElectorMessage(turn: Turn, sender: KnownMember, message: ElectorMessage): void {
  if (message.kind === "claim") {
    hearClaim(turn, message.claim, sender, message.passes);
    return;
  }
  if (message.kind === "extended") {
    hearExtension(turn, sender, message);
    return;
  }
  if (!canFollow(turn, message)) return;
  if (message.kind === "who") {
    hearQuestion(turn, sender, message);
    return;
  }
  // Nobody stands for an office because a stranger says that there is one.
  const isUnknown = message.kind === "stand" && !turn.state.offices.has(message.office);
  const office = isUnknown ? null : officeNamed(turn, message.office);
  if (office === null) return;
  if (message.kind === "term") hearTerm(turn, office, message.term);
  else if (message.kind === "stand") hearStand(turn, office, sender, message);
  else hearElection(turn, office, sender, message);
}

/** `sender` is null if the claim came as a note. */
export function hearClaim(turn: Turn, claim: Claim, sender: KnownMember | null, passes: number): void {
  if (canFollow(turn, claim)) turn.order.hear(turn, claim, sender, passes);
}

/** Whether there are terms after that one. */
const canFollow = ({ state }: Turn, { office, term }: { readonly office: string; readonly term: number }): boolean =>
  leavesRoom(term, state.offices.get(office)?.term ?? 0);

function hearQuestion(turn: Turn, sender: KnownMember, { office: name, term }: Of<"who">): void {
  const office = turn.state.offices.get(name);
  if (office === undefined) return;
  if (office.claim !== null || office.applicant !== null || office.term > term) inform(turn, office, sender);
}

function hearTerm(turn: Turn, office: Office, term: number): void {
  if (term <= office.term) return;
  adopt(turn, office, term);
  office.isWinnerUnheard = true;
}

/** Another member asks this one to stand. A member that knows a holder or applicant that the sender does not know answers with its claim. */
function hearStand(turn: Turn, office: Office, sender: KnownMember, message: Of<"stand">): void {
  const { term, position, setting, over } = message;
  const occupied = occupancy(turn, office);
  const isHeld = occupied === "held" && (office.claim!.life !== over || leads(turn, office));
  const isAwaited =
    occupied === "awaited" && (office.applicant!.life !== over || turn.state.applications.has(office.name));
  if (term <= office.term || isHeld || isAwaited) {
    inform(turn, office, sender);
    return;
  }
  // Who cannot follow it keeps what it waits for.
  if (!mayStand(turn.state) || !isWilling(turn, office)) return;
  office.setting ??= setting;
  const place = Math.min(position, FIRST - 1);
  const { requestedTerm, waitingPlace } = office;
  if (requestedTerm >= term && waitingPlace !== null && waitingPlace <= place) return;
  office.requestedTerm = term;
  office.requestedPlace = place;
  stopWaiting(turn, office);
  touch(turn, office);
}

/** A message of an election: this member joins it, is in it already, stays in another election of that term, or answers that it is over. */
function hearElection(turn: Turn, office: Office, sender: KnownMember, message: OfElection): void {
  const { term } = message;
  const { order, state } = turn;
  // A holder with a lease takes no part in an election of another applicant.
  if (order.outlastsTerms && leads(turn, office) && term > office.term) adopt(turn, office, term);
  const isOver = term === office.term && order.isWon(office);
  if (term < office.term || isOver) {
    // A late answer to the winner, who has told everybody.
    if (!isOver || !(leads(turn, office) || state.applications.has(office.name))) inform(turn, office, sender);
  } else {
    if (message.kind !== "listed") join(turn, office, sender, message);
    if (office.election?.term === term) takePart(turn, office, office.election, sender, message);
  }
}

/** Joins an election of a term in which this member has not taken part. Before it has answered in one, it may move to one with a smaller id. */
function join(
  turn: Turn,
  office: Office,
  sender: KnownMember,
  { kind, term, id, setting }: Of<"open" | "child" | "list">,
): void {
  const { election, joinedTerm } = office;
  // A member joins a ring only by its list.
  if (turn.children.of(setting)?.listed === true && kind !== "list") return;
  const opener = sender.name;
  if (term > joinedTerm) joinElection(turn, office, term, setting, { stands: false, opener });
  else if (election !== null && id < election.id && !election.answered) {
    joinElection(turn, office, term, setting, { stands: election.stands, opener });
  }
}

function takePart(turn: Turn, office: Office, election: Election, sender: KnownMember, message: OfElection): void {
  const { term, setting, id } = election;
  if (id === message.id) {
    if (message.kind === "child") receiveInElection(turn, office, election, sender, message.message, message.port);
    else if (message.kind !== "open") receiveList(turn, office, election, sender, message);
  } else if (id < message.id && message.kind === "child") {
    // The sender may still move to this member's election, if it has answered nobody in the other one.
    say(turn, sender, { kind: "open", office: office.name, term, id, setting });
  }
}
