/** How messages of the elector leave (each names the life of its sender and that of its receiver), and telling others what this member knows. */
import { live, memberNamed, note, portTo, publish, sampleLive } from "../../protocols/membership/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { ln } from "../../random/ln.ts";
import { canonical } from "../election/choice.ts";
import type { Office, Turn } from "../state.ts";
import { isClaim, isSetting } from "./accepts.ts";
import type { Claim, ElectionSetting, ElectorMessage } from "./messages.ts";

type Unsigned<M> = M extends unknown ? Omit<M, "from" | "to"> : never;
type Word = Unsigned<ElectorMessage>;

/** Groups up to this size are told by one message to each; in larger ones each who hears it tells a few. */
const DIRECT = 64;

/**
 * A member that gives up more offices than this at once tells only those who should follow; the others hear of it by gossip, or that
 * it left.
 */
const MANY = 16;

export function say({ state, ctx }: Turn, to: KnownMember, word: Word): void {
  const port = portTo(state.members, to.name, ctx);
  if (port !== null) ctx.send(port, { ...word, from: state.life, to: to.life } as ElectorMessage);
}

export function sayTo(turn: Turn, name: string, word: Word): void {
  const member = memberNamed(turn.state.members, name);
  if (member !== undefined && name !== turn.state.name) say(turn, member, word);
}

/** To all live members but this one. */
export function sayToAll(turn: Turn, word: Word): void {
  for (const member of live(turn.state.members)) if (member.name !== turn.state.name) say(turn, member, word);
}

/** To everybody, directly or by pushes; what gets lost on the way is repaired by the note under the office's name. */
export function spreadClaim(turn: Turn, claim: Claim): void {
  const { members } = turn.state;
  const n = live(members).length;
  if (n <= DIRECT) sayToAll(turn, { kind: "claim", claim, passes: 0 });
  else push(turn, claim);
}

/** Infect and die: a member that hears it for the first time does the same. */
export function push(turn: Turn, claim: Claim): void {
  const { members } = turn.state;
  const fan = Math.ceil(ln(live(members).length)) + 4;
  for (const member of sampleLive(members, fan, turn.ctx)) say(turn, member, { kind: "claim", claim, passes: 1 });
}

/** The sender of a message knows less of the office than this member. */
export function inform(turn: Turn, { name: office, term, claim, applicant }: Office, sender: KnownMember | null): void {
  if (sender === null) return;
  if (claim !== null) say(turn, sender, { kind: "claim", claim, passes: 0 });
  if (applicant !== null) say(turn, sender, { kind: "claim", claim: applicant, passes: 0 });
  else if (claim === null || claim.term < term) say(turn, sender, { kind: "term", office, term });
}

/**
 * A member has come that this holder had not met, or had taken for dead: it may come from the other side of a partition, which
 * has a holder of its own. Comparisons of all that is known would show that too, but later.
 */
export function introduce(turn: Turn, name: string): void {
  const { led, applications, offices } = turn.state;
  const most = led.size + applications.size;
  if (most === 0 || most > MANY) return;
  for (const { claim } of [...Array.from(led, (office) => offices.get(office)!), ...applications.values()]) {
    if (claim !== null) sayTo(turn, name, { kind: "claim", claim, passes: 0 });
  }
}

// Claims and settings as notes, which spread by rumour and reach joiners. A claim's note is as small as it can be, since there
// is one for each office; the setting of the next term is published once for each holder, whatever it holds.

const OFFICE = "office/";
/** Strict mode: who has won and asks the lease store. What has a token is under `OFFICE`, in the order of tokens. */
const ASKER = "asker/";
const SETTING = "setting/";
const settingKey = (holder: string): string => SETTING + holder;

/** `told`: everybody was told by a message, so that the rumour need not be told on. */
export function publishClaim({ state }: Turn, claim: Claim, told: boolean): void {
  const { office, term, number, holder, life, former, heir, token, behind = null } = claim;
  const { members } = state;
  if (token === undefined) publish(members, OFFICE + office, [term, number], [holder, life, former, heir], told);
  else if (token > 0) publish(members, OFFICE + office, [token, number], [holder, life, former, heir, term], told);
  else publish(members, ASKER + office, [term, number], [holder, life, former, behind], told);
}

/** What this member says of an office goes to everybody. */
export function proclaim(turn: Turn, claim: Claim): void {
  spreadClaim(turn, claim);
  publishClaim(turn, claim, false);
}

/** As `proclaim`, unless this member gives up so much at once that gossip has to do. */
export function proclaimEnd(turn: Turn, claim: Claim): void {
  if (turn.state.led.size > MANY) publishClaim(turn, claim, false);
  else proclaim(turn, claim);
}

/** The claim in a note; null where it is none. */
export function claimIn(key: string, [first, number]: readonly [number, number], value: unknown): Claim | null {
  const prefix = [OFFICE, ASKER].find((each) => key.startsWith(each));
  if (prefix === undefined || !Array.isArray(value) || (value.length !== 4 && value.length !== 5)) return null;
  const [holder, life, former, last, ofToken] = value;
  const office = key.slice(prefix.length);
  const asks = last === null ? { token: 0 } : { token: 0, behind: last };
  const [term, heir, strict] =
    prefix === ASKER ? [first, null, asks] : value.length === 4 ? [first, last, {}] : [ofToken, last, { token: first }];
  const claim = { office, term, number, holder, life, setting: null, former, heir, invitation: null, ...strict };
  return isClaim(claim) ? (claim as Claim) : null;
}

/** Whose setting a note is; null where it is none. */
export const holderIn = (key: string): string | null => (key.startsWith(SETTING) ? key.slice(SETTING.length) : null);

/** What this holder would have the next term of its offices held with; says so only where that has changed. */
export function publishSetting({ state: { members, name, life } }: Turn, setting: ElectionSetting): void {
  const before = note(members, settingKey(name));
  const value = { life, setting };
  if (before !== undefined && canonical(before.value) === canonical(value)) return;
  publish(members, settingKey(name), [(before?.order[0] ?? 0) + 1, 0], value);
}

/** What that life of a holder published last; null where nothing has come. */
export function publishedSetting({ state }: Turn, holder: { readonly name: string; readonly life: number }) {
  const { life, setting } = (note(state.members, settingKey(holder.name))?.value ?? {}) as {
    readonly life?: unknown;
    readonly setting?: unknown;
  };
  return life === holder.life && isSetting(setting) ? (setting as ElectionSetting) : null;
}
