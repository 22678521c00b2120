/** Why the agent that has served this page could not be asked, in a sentence for this page. */
import { AgentError } from "../../src/api/client.ts";
import { cleaned } from "./checks.ts";

/** Nobody sees this page, so it looks at nothing. */
export class Asleep extends Error {}

/** Nothing at this address speaks for an agent. */
export const isNoAgent = (error: unknown): boolean => error instanceof AgentError && error.code === "UNREADABLE";

/** The agent wants its bearer token, or another one. */
export const isShut = (error: unknown): boolean =>
  error instanceof AgentError && (error.status === 401 || error.status === 403);

/** The agent has answered, and refused. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof AgentError && error.status !== null && !isNoAgent(error);

const SENTENCES: Readonly<Record<string, string>> = {
  UNAUTHORIZED: "The agent asks for its bearer token.",
  UNREACHABLE: "Nobody answers at this address.",
  UNREADABLE: "What answers at this address is no agent.",
  SILENT: "No answer came in time.",
  TOO_LARGE: "The agent sends more than this page reads.",
};

export function sentenceOf(error: unknown): string {
  if (!(error instanceof AgentError)) return error instanceof Error ? error.message : "";
  if (error.said === null) return SENTENCES[error.code] ?? `The agent refuses (status ${error.status}).`;
  const said = cleaned(error.said);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}
