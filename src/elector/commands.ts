/** What the user of a member can tell it. */
import { SELF } from "../protocol.ts";
import { setMeta } from "../protocols/membership/parent.ts";
import { metaOf } from "./choice.ts";
import { leads, resign } from "./claims.ts";
import { within } from "./members.ts";
import type { GroupCommand } from "./messages.ts";
import { rangesOf, seatsOf } from "./offices.ts";
import type { Attributes } from "./params.ts";
import { savedTerm } from "./saved.ts";
import { newOffice, type Office, type Turn } from "./state.ts";
import { isStrict } from "./strict/client.ts";
import { giveLeaseUp } from "./strict/holding.ts";
import { obeyLease } from "./strict/news.ts";
import { askFirst, attend, electNow } from "./vacancy.ts";

const COMMANDS: Readonly<Record<GroupCommand["kind"], true>> = {
  resign: true,
  "hand-over": true,
  eligible: true,
  office: true,
  keys: true,
  settled: true,
  preempt: true,
  floor: true,
  acknowledged: true,
  elect: true,
};

export const isCommand = (message: { readonly kind: string }): message is GroupCommand =>
  Object.hasOwn(COMMANDS, message.kind);

export function obey(turn: Turn, command: GroupCommand): void {
  const { state } = turn;
  if (command.kind === "resign") {
    const offices = command.office === null ? state.offices.values() : meant(turn, command.office);
    for (const office of offices) giveUp(turn, office, null);
  } else if (command.kind === "hand-over") {
    const office = state.offices.get(command.office);
    if (office !== undefined) giveUp(turn, office, command.to);
  } else if (command.kind === "eligible" && command.office !== undefined) {
    want(turn, command.office, command.eligible);
  } else if (command.kind === "eligible") {
    state.eligible = command.eligible;
    tellOfItself(turn);
    if (!command.eligible) for (const office of state.offices.values()) giveUp(turn, office, null);
    else for (const office of state.offices.values()) attend(turn, office);
  } else if (command.kind === "elect") {
    for (const office of meant(turn, command.office)) electNow(turn, office);
  } else if (command.kind === "office") addOffice(turn, command.office);
  else if (command.kind === "keys") {
    state.keys = command.keys;
    tellOfItself(turn);
  } else obeyLease(turn, command);
}

/** Others may still ask it to stand for an office that it does not want, and then somebody else. */
function want(turn: Turn, given: string, wanted: boolean): void {
  for (const office of meant(turn, given)) {
    if (office.wanted === wanted) continue;
    office.wanted = wanted;
    if (wanted) attend(turn, office);
    else giveUp(turn, office, null);
  }
}

/** As users name them: an office, all its seats ("shards", "shards:3"), or one of them ("shards#2"). */
function meant({ state: { offices } }: Turn, given: string): readonly Office[] {
  const [base] = given.split(":", 1);
  return [...offices.values()].filter(({ name }) => name === base || name.startsWith(`${base}#`));
}

function tellOfItself(turn: Turn): void {
  const { state, ctx } = turn;
  setMeta(state.members, metaOf(attributesOf(turn), state.keys), within(ctx));
}

/** What others are told of this member: who does not stand has no weight. */
function attributesOf({ state: { params, eligible }, ctx }: Turn): Attributes {
  const attributes = params.attributesOf[ctx.address(SELF)] ?? params.attributes;
  return eligible ? attributes : { ...attributes, weight: 0 };
}

/** Resigns, and asks those who come first to stand. */
export function giveUp(turn: Turn, office: Office, heir: string | null): void {
  if (isStrict(turn)) giveLeaseUp(turn, office, heir);
  else if (leads(turn, office)) {
    resign(turn, office, heir);
    askFirst(turn, office);
  }
}

function addOffice(turn: Turn, given: string): void {
  const { state } = turn;
  for (const [name, range] of rangesOf([given])) state.ranges.set(name, range);
  for (const name of seatsOf(given)) {
    const known = state.offices.get(name);
    const office = { ...(known ?? newOffice(name, true, savedTerm(state.kept, name))), wanted: true };
    state.offices.set(name, office);
    state.touched.add(name);
    attend(turn, office);
  }
}
