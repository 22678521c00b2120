/** The commands that a user gives to its member. */
import { SELF } from "../protocol.ts";
import { setMeta } from "../protocols/membership/parent.ts";
import { metaOf } from "./election/choice.ts";
import { rulesOf } from "./fit.ts";
import type { Attributes } from "./params.ts";
import { rangesOf, seatsOf } from "./params.ts";
import { mayAct } from "./policy.ts";
import { isOccupied, leads } from "./presence.ts";
import { newOffice, type Office, savedTerm, stopWaiting, type Turn, touch, touchAll } from "./state.ts";
import { obeyLease } from "./strict/tenure.ts";
import type { GroupCommand } from "./talk/messages.ts";
import { membershipContext } from "./view.ts";

type Command<Kind extends GroupCommand["kind"]> = Extract<GroupCommand, { kind: Kind }>;

/** What each command does. A message of another kind is no command. */
const COMMANDS: { readonly [Kind in GroupCommand["kind"]]: (turn: Turn, command: Command<Kind>) => void } = {
  resign(turn, { office: given }) {
    const offices = given === null ? turn.state.offices.values() : meant(turn, given);
    for (const office of offices) giveUp(turn, office, null);
  },
  transfer(turn, { office: name, to }) {
    const office = turn.state.offices.get(name);
    if (office !== undefined) giveUp(turn, office, to);
  },
  eligible(turn, { office, eligible }) {
    if (office !== undefined) {
      want(turn, office, eligible);
      return;
    }
    turn.state.eligible = eligible;
    tellOfItself(turn);
    touchAll(turn);
  },
  elect(turn, { office: given }) {
    for (const office of meant(turn, given)) electNow(turn, office);
  },
  office: (turn, { office }) => addOffice(turn, office),
  keys(turn, { keys }) {
    turn.state.keys = keys;
    tellOfItself(turn);
  },
  settled: obeyLease,
  preempt: obeyLease,
  floor: obeyLease,
  acknowledged: obeyLease,
};

export const isCommand = (message: { readonly kind: string }): message is GroupCommand =>
  Object.hasOwn(COMMANDS, message.kind);

export function obey<Kind extends GroupCommand["kind"]>(turn: Turn, command: Command<Kind>): void {
  COMMANDS[command.kind as Kind](turn, command);
}

/** Until they hear of it, other members may ask this one to stand for an office that it does not want; then they ask the next. */
function want(turn: Turn, given: string, wanted: boolean): void {
  for (const office of meant(turn, given)) {
    office.wanted = wanted;
    touch(turn, office);
  }
}

/** The offices that a user names: an office, all its seats ("shards", "shards:3"), or one seat ("shards#2"). */
function meant({ state: { offices } }: Turn, given: string): readonly Office[] {
  const [base] = given.split(":", 1);
  return [...offices.values()].filter(({ name }) => name === base || name.startsWith(`${base}#`));
}

function tellOfItself(turn: Turn): void {
  const { state, ctx } = turn;
  setMeta(state.members, metaOf(attributesOf(turn), state.keys, rulesOf(state.params)), membershipContext(ctx));
}

/** What this member tells others about itself. A member that does not stand has weight 0. */
function attributesOf({ state: { params, eligible }, ctx }: Turn): Attributes {
  const attributes = params.attributesOf[ctx.address(SELF)] ?? params.attributes;
  return eligible ? attributes : { ...attributes, weight: 0 };
}

/** Gives the office up, if this member holds it or applies for it. */
function giveUp(turn: Turn, office: Office, heir: string | null): void {
  if (!leads(turn, office) && !turn.state.applications.has(office.name)) return;
  office.resigns = { heir };
  touch(turn, office);
}

/** Opens a term at once, without back-off, if no live member holds the office or applies for it. */
function electNow(turn: Turn, office: Office): void {
  if (office.election !== null || !mayAct(turn.state)) return;
  if (isOccupied(turn, office)) return;
  stopWaiting(turn, office);
  office.failedTries = 0;
  office.inquiredAtTry = -1;
  office.isWinnerUnheard = false;
  office.isUrgent = true;
  touch(turn, office);
}

function addOffice(turn: Turn, given: string): void {
  const { state } = turn;
  for (const [name, range] of rangesOf([given])) state.ranges.set(name, range);
  for (const name of seatsOf(given)) {
    const known = state.offices.get(name);
    const office = { ...(known ?? newOffice(name, true, savedTerm(state.kept, name))), wanted: true };
    state.offices.set(name, office);
    touch(turn, office);
  }
}
