/**
 * What a member does about an office. Inputs (a message, a timer, a change of membership, an answer of the lease store) only change
 * facts. At the end of the handler `decide` says what follows from them: at most one action. It is carried out (act.ts), which
 * changes facts again, and so on until nothing is left to do.
 */

/** Where there are no leases, all of these are false. */
export interface LeaseFacts {
  /** This member has won the office and asks the lease store for it. */
  readonly applies: boolean;
  /** The lease store has granted it; and that token is newer than all that is known. */
  readonly isGranted: boolean;
  readonly isGrantNewer: boolean;
  /** This member's application cannot succeed: another member should try. */
  readonly isHopeless: boolean;
  /** Another member leads: it was heard since this one applied, and can be reached. */
  readonly isHolderHeard: boolean;
  /** The lease for which the application was denied is over. */
  readonly isDenialLifted: boolean;
  /** The lease store has named a holder that is to be looked for. */
  readonly seeksHolder: boolean;
  /** The holder claims a lower term than was seen, and was not told so lately. */
  readonly isHolderBehind: boolean;
  /** The work of this holder was told to stop; its lease goes back when the work has ended. */
  readonly isEnding: boolean;
  /** The lease of this holder is over, or nobody waits for its end any longer. */
  readonly isOver: boolean;
  /** This member has a lease, but somebody else has a newer token. */
  readonly isSuperseded: boolean;
}

export const NO_LEASES: LeaseFacts = {
  applies: false,
  isGranted: false,
  isGrantNewer: false,
  isHopeless: false,
  isHolderHeard: false,
  isDenialLifted: false,
  seeksHolder: false,
  isHolderBehind: false,
  isEnding: false,
  isOver: false,
  isSuperseded: false,
};

export interface OfficeFacts extends LeaseFacts {
  /** The newest claim is this member's own. */
  readonly holds: boolean;
  /**
   * This member may hold nothing (it is refused, on the smaller side, leaving or not eligible), or not this office (it does not
   * want it, or was told to give it up).
   */
  readonly mustGiveUp: boolean;
  /** Other members do not know the present form of this member's claim. */
  readonly isUnannounced: boolean;
  /** The election has elected this member; and there is no claim against that. */
  readonly hasWon: boolean;
  readonly isTermOpen: boolean;
  /** The last holder has left the office to this member. */
  readonly isHeir: boolean;
  /** Other members have to be asked to stand. */
  readonly needsCandidates: boolean;
  readonly isElecting: boolean;
  /** This member may lead at all: it has joined, is not leaving, and sees enough of the group. */
  readonly mayStand: boolean;
  /** It knows the group well enough to stand for vacant offices unasked. */
  readonly isCalm: boolean;
  /** It may hold this office, and nothing of its own keeps it from that. */
  readonly isWilling: boolean;
  /** Another member has asked it to stand for a higher term. */
  readonly isRequested: boolean;
  /** A live member holds the office, or has won it and applies to the lease store. */
  readonly isOccupied: boolean;
  readonly wait: "none" | "waiting" | "due";
  /** Others may know more: this member has to ask them first. */
  readonly isIgnorant: boolean;
  /** It is among the first in line, or has reminded them often enough. */
  readonly isFirst: boolean;
  /** It has a seat of this office, and others have none. */
  readonly hasSeat: boolean;
}

/** The actions that each order of claims carries out in its own way. */
export type OrderedAction =
  /** Has won: claims the office, or applies to the lease store for it. */
  | "claim"
  /** Follows a holder that has left the office to this member. */
  | "inherit"
  /** Is named to follow, and cannot: others may. */
  | "decline office"
  /** Ends its claim, or stops its work first where there is a lease. */
  | "give up"
  /** Says that its claim is over. */
  | "end claim"
  | "announce"
  /** A lease was granted: leads from now on; or gives it back. */
  | "take office"
  | "return grant"
  /** Leaves the application to somebody else; or to the holder that there is. */
  | "withdraw"
  | "yield"
  | "ask again"
  | "seek holder"
  | "tell term"
  | "stop work";

export type OfficeAction =
  | OrderedAction
  /** What was won cannot be taken. */
  | "forgo"
  | "request candidates"
  | "decline request"
  | "wait"
  | "stop waiting"
  | "inquire"
  | "stand"
  /** Reminds those who come first, and waits again. */
  | "remind";

/** The action of the first row that applies. Each action changes a fact that its row asks for. */
export function decide(facts: OfficeFacts): OfficeAction | null {
  // What this member holds.
  if (facts.isSuperseded) return "stop work";
  if (facts.holds && facts.isOver) return "end claim";
  if (facts.holds && facts.mustGiveUp && !facts.isEnding) return "give up";

  // What it has asked the lease store for.
  if (facts.isGranted) return facts.isGrantNewer && !facts.mustGiveUp ? "take office" : "return grant";
  if (facts.applies && (facts.mustGiveUp || facts.isHopeless)) return "withdraw";
  if (facts.applies && facts.isHolderHeard) return "yield";

  // What others have to know.
  if (facts.isUnannounced) return "announce";
  if (facts.isHolderBehind) return "tell term";

  // What it has won or inherited.
  const mayTake = facts.mayStand && facts.isWilling;
  if (facts.hasWon) return mayTake && facts.isTermOpen ? "claim" : "forgo";
  if (facts.isHeir) return mayTake ? "inherit" : "decline office";
  if (facts.isDenialLifted) return "ask again";
  if (facts.seeksHolder) return "seek holder";
  if (facts.needsCandidates) return "request candidates";

  // Whether it stands.
  const isBusy = facts.holds || facts.applies || facts.isElecting;
  if (isBusy) return null;
  if (!facts.mayStand) return facts.wait === "none" && !facts.isRequested ? null : "stop waiting";
  if (facts.isRequested && !facts.isWilling) return "decline request";
  if (!facts.isRequested && facts.isOccupied) return facts.wait === "none" ? null : "stop waiting";
  if (!facts.isRequested && !facts.isCalm) return facts.wait === "due" ? "stop waiting" : null;
  if (facts.wait === "none") return "wait";
  if (facts.wait === "waiting") return null;
  if (!facts.isRequested && facts.isIgnorant) return "inquire";
  return facts.isWilling && !facts.hasSeat && facts.isFirst ? "stand" : "remind";
}
