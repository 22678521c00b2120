/**
 * Who holds an office: winners announce it, everybody keeps what it has heard of the highest term, two winners of one term
 * are noticed by whoever hears of both, and a term that is over stays over.
 */
import { isLive } from "../protocols/membership/parent.ts";
import type { Member } from "../protocols/membership/records.ts";
import { publishClaim, publishSetting } from "./claim-notes.ts";
import { adopt, end } from "./election.ts";
import type { Claim } from "./messages.ts";
import { isQuorate } from "./policy.ts";
import { nextSetting } from "./settings.ts";
import { push, say, sayTo, spread } from "./speaking.ts";
import { type Office, officeNamed, type Turn } from "./state.ts";
import { winLease } from "./strict/asking.ts";
import { hearTokens } from "./strict/claims.ts";
import { isStrict } from "./strict/client.ts";
import { giveLeaseUp } from "./strict/holding.ts";
import { attend, stopWaiting } from "./vacancy.ts";
import { beWatched, hearInvitation } from "./watching.ts";

/** Above all that a holder says in its term: two have won it, so nobody has. */
const VOID = 2 ** 31;

export const leads = ({ state: { name, life } }: Turn, { claim }: Office): boolean =>
  claim !== null && claim.holder === name && claim.life === life;

/** The child has elected this member. */
export function win(turn: Turn, office: Office): void {
  const { state } = turn;
  if (isStrict(turn)) {
    winLease(turn, office);
    return;
  }
  end(turn, office);
  if (office.claim !== null || !isQuorate(state)) {
    attend(turn, office);
    return;
  }
  const setting = nextSetting(turn);
  const claim: Claim = {
    office: office.name,
    term: office.term,
    number: 0,
    holder: state.name,
    life: state.life,
    setting,
    former: null,
    heir: null,
    invitation: beWatched(turn),
  };
  take(turn, office, claim);
  announce(turn, office);
  publishSetting(turn, setting);
}

/** This member's word on an office goes to everybody. */
export function announce(turn: Turn, office: Office): void {
  spread(turn, office.claim!);
  publishClaim(turn, office.claim!, false);
}

/** What somebody says of an office. `sender` is null where it came as a note, by way of others. */
export function hearClaim(turn: Turn, claim: Claim, sender: Member | null, passes: number): void {
  if (isStrict(turn)) {
    hearTokens(turn, claim, sender, passes);
    return;
  }
  if (claim.token !== undefined) return;
  const office = officeNamed(turn, claim.office);
  if (office === null) return;
  if (claim.term > office.term) adopt(turn, office, claim.term);
  const { claim: known } = office;
  if (claim.term < office.term) inform(turn, office, sender);
  else if (known !== null && areRivals(known, claim)) conflict(turn, office, known, claim);
  else if (known === null || claim.number > known.number) {
    take(turn, office, claim);
    publishClaim(turn, office.claim!, sender !== null);
    if (passes > 0) push(turn, claim);
  } else if (claim.number < known.number) inform(turn, office, sender);
}

/** Of one term, by two who have won it; what is said of a term that is void is said by neither. */
const areRivals = (a: Claim, b: Claim): boolean => a.life !== b.life && a.number < VOID && b.number < VOID;

/** Who held it until now. */
export function remember(office: Office): void {
  const { claim } = office;
  if (claim?.holder != null) office.former = { name: claim.holder, life: claim.life };
}

/** Keeps what is known of the present term now, and what follows from it. */
function take(turn: Turn, office: Office, claim: Claim): void {
  const { state } = turn;
  remember(office);
  office.claim = claim;
  office.setting = claim.setting ?? office.setting;
  office.seen = claim.holder !== null && isLive(state.members, claim.holder, claim.life);
  state.touched.add(office.name);
  end(turn, office);
  if (claim.holder !== null) {
    office.tries = 0;
    office.inquired = 0;
  }
  // Who resigns asks some to follow it; that may arrive first.
  if (claim.holder !== null || office.asked <= claim.term) {
    office.asked = 0;
    stopWaiting(turn, office);
  }
  attend(turn, office);
  if (claim.invitation !== null && claim.holder !== null) hearInvitation(turn, claim.invitation);
}

/** Two have won one term: nobody leads in it, and the next one is opened. Those who lead it are told. */
function conflict(turn: Turn, office: Office, known: Claim, other: Claim): void {
  const { state } = turn;
  const mine = leads(turn, office);
  state.events.push({ event: "conflict", office: office.name, term: office.term });
  office.tries++;
  const claim: Claim = { ...known, number: VOID, holder: null, life: 0, former: null, heir: null, invitation: null };
  take(turn, office, claim);
  publishClaim(turn, office.claim!, false);
  if (mine) spread(turn, claim);
  else
    for (const { holder } of [known, other])
      if (holder !== null) sayTo(turn, holder, { kind: "claim", claim, passes: 0 });
}

/** Somebody is behind. */
export function inform(turn: Turn, { name: office, term, claim, asker }: Office, sender: Member | null): void {
  if (sender === null) return;
  if (claim !== null) say(turn, sender, { kind: "claim", claim, passes: 0 });
  if (asker !== null) say(turn, sender, { kind: "claim", claim: asker, passes: 0 });
  else if (claim === null || claim.term < term) say(turn, sender, { kind: "term", office, term });
}

/**
 * Somebody has come whom this holder had not met, or had taken for dead: it may come from another side of a parted group, which
 * has a holder of its own. Comparisons of all that is known would show that too, but later.
 */
export function introduce(turn: Turn, name: string): void {
  const { led, asking, offices } = turn.state;
  if (led.size + asking.size > MANY) return;
  for (const { claim } of [...Array.from(led, (office) => offices.get(office)!), ...asking.values()]) {
    if (claim !== null) sayTo(turn, name, { kind: "claim", claim, passes: 0 });
  }
}

/** Who gives up more than so many at once tells only those who should follow; the others hear of it as a rumour, or that it left. */
export const MANY = 16;

/** This member gives the office up, and would like `heir` to follow. */
export function resign(turn: Turn, office: Office, heir: string | null): void {
  if (isStrict(turn)) {
    giveLeaseUp(turn, office, heir);
    return;
  }
  if (!leads(turn, office)) return;
  const { claim } = office;
  take(turn, office, {
    ...claim!,
    number: claim!.number + 1,
    holder: null,
    former: turn.state.name,
    heir,
    invitation: null,
  });
  if (turn.state.led.size > MANY) publishClaim(turn, office.claim!, false);
  else announce(turn, office);
}
