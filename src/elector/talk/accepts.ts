/**
 * Checks the elector's messages as they arrive: fields, types and limits. Any holder of the group's key can send anything, so a handler
 * sees a message only if it passes here.
 */

import type { Params } from "../../protocols/parameters.ts";
import { hasShape, isCount } from "../../protocols/shape.ts";
import { utf8Length } from "../../wire/bytes.ts";
import { isInvitation } from "../council/messages.ts";
import { SLOWEST } from "../setting.ts";

/** A member keeps every office that it hears of, so names are short. The name of a seat is a little longer than what users may choose. */
const LONGEST_NAME = 80;
/** More members than any group has. Parameters of protocols are computed from n, which would take long for a huge n. */
const MOST_MEMBERS = 2 ** 16;
/** More phases, referees or units of time than any protocol is given. */
const LARGEST_PARAMETER = 2 ** 20;
const LONGEST_TEXT = 128;
const MOST_PARAMETERS = 32;
const MOST_PASSES = 8;
/** Lives that fit into one datagram. Only elections on a ring send lists, and rings are for study. */
export const LONGEST_LIST = 96;

const isName = (value: unknown): boolean =>
  typeof value === "string" && value.length > 0 && value.length <= LONGEST_NAME && utf8Length(value) <= LONGEST_NAME;
/** No office may have this name: offices are saved as fields of an object, and JavaScript does not store a field of this name. */
export const NO_FIELD = "__proto__";
const isOffice = (value: unknown): boolean => isName(value) && value !== NO_FIELD;
const isNameOrNull = (value: unknown): boolean => value === null || isName(value);
const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1;

const isParams = (value: unknown): value is Params =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length <= MOST_PARAMETERS &&
  Object.values(value).every(isParameter);

/** A parameter is a number, a number as text, or a word. */
function isParameter(value: unknown): boolean {
  if (value === null || typeof value === "boolean") return true;
  if (typeof value === "string" ? value.length > LONGEST_TEXT : typeof value !== "number") return false;
  return !(Math.abs(Number.parseFloat(String(value))) > LARGEST_PARAMETER);
}

const settingShape = {
  protocol: isName,
  params: isParams,
  n: (value: unknown) => isCount(value) && value >= 1 && value <= MOST_MEMBERS,
  loss: isShare,
  lossLow: isShare,
  lossFrom: (value: unknown) => value === "measured" || value === "configured",
  epsilon: (value: unknown) => value === null || isShare(value),
};
export const isSetting = (value: unknown): boolean =>
  hasShape(value, settingShape) && isPace((value as { pace?: unknown }).pace);

const isPace = (value: unknown): boolean => value === undefined || (isCount(value) && value >= 1 && value <= SLOWEST);

const claimShape = {
  office: isOffice,
  term: isCount,
  number: isCount,
  holder: isNameOrNull,
  life: Number.isSafeInteger,
  former: isNameOrNull,
  heir: isNameOrNull,
  setting: (value: unknown) => value === null || isSetting(value),
  invitation: (value: unknown) => value === null || isInvitation(value),
};
const behindShape = { holder: isName, life: Number.isSafeInteger, token: isCount };
export const isClaim = (value: unknown): boolean => hasShape(value, claimShape) && isStrictClaim(value as object);

/** Without leases, both fields are missing. */
function isStrictClaim({ token = 0, behind }: { readonly token?: unknown; readonly behind?: unknown }): boolean {
  return isCount(token) && (behind === undefined || hasShape(behind, behindShape));
}

const isSession = (value: unknown): boolean => typeof value === "string" && value.length <= LONGEST_TEXT;

const isLives = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= LONGEST_LIST && value.every(Number.isSafeInteger);

const isLifeOrNull = (value: unknown): boolean => value === null || Number.isSafeInteger(value);

const between = { from: Number.isSafeInteger, to: Number.isSafeInteger };
const ofElection = { ...between, office: isOffice, term: isCount, id: isCount };

const shapes: Readonly<Record<string, Readonly<Record<string, (field: unknown) => boolean>>>> = {
  stand: { ...between, office: isOffice, term: isCount, position: isCount, setting: isSetting, over: isLifeOrNull },
  open: { ...ofElection, setting: isSetting },
  child: { ...ofElection, setting: isSetting, message: () => true },
  list: { ...ofElection, setting: isSetting, lives: isLives, final: (value) => typeof value === "boolean" },
  listed: ofElection,
  claim: { ...between, claim: isClaim, passes: (value) => isCount(value) && value <= MOST_PASSES },
  who: { ...between, office: isOffice, term: isCount },
  term: { ...between, office: isOffice, term: isCount },
  extended: { ...between, session: isSession, count: isCount, at: Number.isFinite },
};

/** The elector's own messages. The child protocol and the membership check what is inside theirs. */
export function isElectorMessage(message: unknown): boolean {
  const kind = (message as { kind?: unknown } | null)?.kind;
  if (typeof kind !== "string" || !Object.hasOwn(shapes, kind) || !hasShape(message, shapes[kind])) return false;
  return isCount((message as { port?: unknown }).port ?? 0);
}
