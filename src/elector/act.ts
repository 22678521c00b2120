/** Carries out what was decided, until nothing is left to do. */
import { decide, type OfficeAction, type OrderedAction } from "./decide.ts";
import { officeFacts } from "./facts.ts";
import { type Office, stopWaiting, type Turn } from "./state.ts";
import { inquire, remind, requestCandidates, stand, wait } from "./waiting.ts";

type Act = (turn: Turn, office: Office) => void;

const ACTS: Readonly<Record<Exclude<OfficeAction, OrderedAction>, Act>> = {
  forgo(_, office) {
    office.hasWon = false;
    office.isHeir = false;
  },
  "request candidates": requestCandidates,
  "decline request"(_, office) {
    office.requestedTerm = 0;
  },
  wait,
  "stop waiting"(turn, office) {
    office.requestedTerm = 0;
    stopWaiting(turn, office);
  },
  inquire,
  stand,
  remind,
};

const actFor = ({ order }: Turn, action: OfficeAction): Act =>
  (ACTS as Partial<Record<OfficeAction, Act>>)[action] ?? order.acts[action as OrderedAction];

/** Far more than follow each other in any case that is known. */
const MOST_ACTIONS = 50;

/** Decides on every office of which a fact has changed. */
export function actOnOffices(turn: Turn): void {
  const { touched, offices } = turn.state;
  for (const name of touched) actOn(turn, offices.get(name)!);
}

function actOn(turn: Turn, office: Office): void {
  for (let count = 0; count < MOST_ACTIONS; count++) {
    const action = decide(officeFacts(turn, office));
    if (action === null) return;
    actFor(turn, action)(turn, office);
  }
  throw new Error(`the decisions on ${office.name} have no end`);
}
