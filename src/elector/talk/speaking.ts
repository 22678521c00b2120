/** How the elector sends messages (each names the lives of its sender and receiver), and how a member spreads what it knows. */
import { live, memberNamed, note, portTo, publish, sampleLive } from "../../protocols/membership/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { ln } from "../../random/ln.ts";
import { canonical } from "../election/choice.ts";
import type { Office, Turn } from "../state.ts";
import { isClaim, isSetting } from "./accepts.ts";
import type { Claim, ElectionSetting, ElectorMessage } from "./messages.ts";

type Unsigned<M> = M extends unknown ? Omit<M, "from" | "to"> : never;
type Word = Unsigned<ElectorMessage>;

/** Up to this size, a member tells a group by one message to each. In larger groups each member that hears it tells a few. */
const DIRECT = 64;

/**
 * A member that gives up more offices than this at once tells only the heirs. The others hear of it by gossip, or hear that the member has
 * left.
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

/** Tells everybody a claim, directly or by pushes. If a message is lost, the note under the office's name repairs that. */
export function spreadClaim(turn: Turn, claim: Claim): void {
  const { members } = turn.state;
  const n = live(members).length;
  if (n <= DIRECT) sayToAll(turn, { kind: "claim", claim, passes: 0 });
  else push(turn, claim);
}

/** Infect and die: each member that hears the claim for the first time passes it on once. */
export function push(turn: Turn, claim: Claim): void {
  const { members } = turn.state;
  const fan = Math.ceil(ln(live(members).length)) + 4;
  for (const member of sampleLive(members, fan, turn.ctx)) say(turn, member, { kind: "claim", claim, passes: 1 });
}

/** Tells another member what it does not know about an office. */
export function inform(turn: Turn, { name: office, term, claim, applicant }: Office, sender: KnownMember | null): void {
  if (sender === null) return;
  if (claim !== null) say(turn, sender, { kind: "claim", claim, passes: 0 });
  if (applicant !== null) say(turn, sender, { kind: "claim", claim: applicant, passes: 0 });
  else if (claim === null || claim.term < term) say(turn, sender, { kind: "term", office, term });
}

/**
 * A member has come that this holder had not met, or had taken for dead. It may come from the other side of a partition, where another
 * holder leads. So this holder tells it its claims; comparisons of all records would do that later.
 */
export function introduce(turn: Turn, name: string): void {
  const { led, applications, offices } = turn.state;
  const most = led.size + applications.size;
  if (most === 0 || most > MANY) return;
  for (const { claim } of [...Array.from(led, (office) => offices.get(office)!), ...applications.values()]) {
    if (claim !== null) sayTo(turn, name, { kind: "claim", claim, passes: 0 });
  }
}

// Claims and settings as notes, which spread by gossip and reach joiners. The note of a claim is small, since there is one for each office.
// The setting of the next term is published once for each holder, not for each office.

const OFFICE = "office/";
/** Strict mode: the claim of a winner that asks the lease store. Claims with a token are under `OFFICE`, in the order of tokens. */
const ASKER = "asker/";
const SETTING = "setting/";
const settingKey = (holder: string): string => SETTING + holder;

/** `told`: everybody was told by a message, so gossip need not pass the note on. */
export function publishClaim({ state }: Turn, claim: Claim, told: boolean): void {
  const { office, term, number, holder, life, former, heir, token, behind = null } = claim;
  const { members } = state;
  if (token === undefined) publish(members, OFFICE + office, [term, number], [holder, life, former, heir], told);
  else if (token > 0) publish(members, OFFICE + office, [token, number], [holder, life, former, heir, term], told);
  else publish(members, ASKER + office, [term, number], [holder, life, former, behind], told);
}

/** Tells everybody this member's own claim. */
export function proclaim(turn: Turn, claim: Claim): void {
  spreadClaim(turn, claim);
  publishClaim(turn, claim, false);
}

/** As `proclaim`; but if this member gives up many offices at once, only by gossip. */
export function proclaimEnd(turn: Turn, claim: Claim): void {
  if (turn.state.led.size > MANY) publishClaim(turn, claim, false);
  else proclaim(turn, claim);
}

/** The claim in a note; null if the note is not a claim. */
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

/** The holder whose setting a note has; null if the note is not a setting. */
export const holderIn = (key: string): string | null => (key.startsWith(SETTING) ? key.slice(SETTING.length) : null);

/** Publishes this holder's setting for the next term of its offices, if the setting has changed. */
export function publishSetting({ state: { members, name, life } }: Turn, setting: ElectionSetting): void {
  const before = note(members, settingKey(name));
  const value = { life, setting };
  if (before !== undefined && canonical(before.value) === canonical(value)) return;
  publish(members, settingKey(name), [(before?.order[0] ?? 0) + 1, 0], value);
}

/** The setting that this life of a holder has published last; null if none has come. */
export function publishedSetting({ state }: Turn, holder: { readonly name: string; readonly life: number }) {
  const { life, setting } = (note(state.members, settingKey(holder.name))?.value ?? {}) as {
    readonly life?: unknown;
    readonly setting?: unknown;
  };
  return life === holder.life && isSetting(setting) ? (setting as ElectionSetting) : null;
}
