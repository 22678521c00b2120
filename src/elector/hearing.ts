/** What a member does with the words of others about offices. */
import type { Member } from "../protocols/membership/records.ts";
import { hearClaim, inform, leads } from "./claims.ts";
import { adopt, begin, receive } from "./election.ts";
import type { ElectorMessage } from "./messages.ts";
import { say } from "./speaking.ts";
import { type Election, type Office, officeNamed, type Turn } from "./state.ts";
import { askedToStand, attend } from "./vacancy.ts";

type Of<K extends ElectorMessage["kind"]> = Extract<ElectorMessage, { readonly kind: K }>;

/** `sender` is the live member that said it, in the life it has now. */
export function hear(turn: Turn, sender: Member, message: ElectorMessage): void {
  if (message.kind === "claim") {
    hearClaim(turn, message.claim, sender, message.passes);
    return;
  }
  const office = officeNamed(turn, message.office);
  if (office === null) return;
  if (message.kind === "term") hearTerm(turn, office, message.term);
  else if (message.kind === "stand") hearStand(turn, office, sender, message);
  else hearElection(turn, office, sender, message);
}

function hearTerm(turn: Turn, office: Office, term: number): void {
  if (term <= office.term) return;
  adopt(turn, office, term);
  attend(turn, office);
}

function hearStand(turn: Turn, office: Office, sender: Member, { term, position, setting }: Of<"stand">): void {
  if (term <= office.term) inform(turn, office, sender);
  else {
    office.setting ??= setting;
    askedToStand(turn, office, term, position);
  }
}

/** Something of an election: this member takes part, is in it, stays in another one of that term, or knows better. */
function hearElection(turn: Turn, office: Office, sender: Member, message: Of<"open" | "child">): void {
  const { term } = message;
  const isOver = term === office.term && office.claim !== null;
  if (term < office.term || isOver) {
    // A late answer to the winner, who has told everybody.
    if (!isOver || !leads(turn, office)) inform(turn, office, sender);
  } else {
    join(turn, office, message);
    if (office.election?.term === term) takePart(turn, office, office.election, sender, message);
  }
}

/** Into an election of a term in which this member has not taken part, or into one with a smaller id before it has answered. */
function join(turn: Turn, office: Office, { term, id, setting }: Of<"open" | "child">): void {
  const { election, took } = office;
  if (term > took) begin(turn, office, term, setting, false);
  else if (election !== null && id < election.id && !election.answered) {
    begin(turn, office, term, setting, election.stands);
  }
}

function takePart(
  turn: Turn,
  office: Office,
  election: Election,
  sender: Member,
  { kind, id, ...message }: Of<"open" | "child">,
): void {
  if (kind !== "child") return;
  const { term, setting } = election;
  if (election.id === id) receive(turn, office, election, sender, (message as Of<"child">).message);
  // Whoever has not answered anybody in the other one can still come over.
  else if (election.id < id) say(turn, sender, { kind: "open", office: office.name, term, id: election.id, setting });
}
