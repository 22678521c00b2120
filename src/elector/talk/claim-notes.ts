/**
 * Claims and settings as notes, which spread by rumour and reach joiners. A claim's note is as small as it can be, since there
 * is one for each office; the setting of the next term is published once for each holder, whatever it holds.
 */
import { note, publish } from "../../protocols/membership/parent.ts";
import type { Turn } from "../state.ts";
import { isClaim, isSetting } from "./accepts.ts";
import { canonical } from "./digest.ts";
import type { Claim, ElectionSetting } from "./messages.ts";
import { MANY, spreadClaim } from "./speaking.ts";

const OFFICE = "office/";
/** Strict mode: who has won and asks the engine. What has a token is under `OFFICE`, in the order of tokens. */
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
