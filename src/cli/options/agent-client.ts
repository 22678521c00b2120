/** Which agent a command asks, as options: its address, and the bearer token that it wants to see. */
import { Option } from "commander";
import { AgentClient, DEFAULT_AGENT } from "../../api/client.ts";
import { InputError } from "../../errors.ts";
import { readSecret } from "../../live/net/keyring.ts";

export interface AgentFlags {
  readonly agent?: string;
  readonly tokenFile?: string;
}

const AGENT_VARIABLE = "SORTITION_AGENT";
/** As the agent itself reads them. */
const TOKEN_VARIABLE = "SORTITION_HTTP_TOKEN";
const TOKEN_FILE_VARIABLE = "SORTITION_HTTP_TOKEN_FILE";

export const agentOptions = (): Option[] => [
  new Option(
    "--agent <url>",
    `the agent that is asked (or ${AGENT_VARIABLE} in the environment; default: ${DEFAULT_AGENT})`,
  ),
  new Option(
    "--token-file <file>",
    `the bearer token of that agent, in a file that only you can read (or ${TOKEN_FILE_VARIABLE} or ${TOKEN_VARIABLE} in the environment)`,
  ),
];

type Environment = Readonly<Record<string, string | undefined>>;

export function agentClient({ agent, tokenFile }: AgentFlags, env: Environment): AgentClient {
  const url = agent ?? (env[AGENT_VARIABLE]?.trim() || undefined);
  return new AgentClient({ url, token: tokenIn(tokenFile, env) });
}

function tokenIn(given: string | undefined, env: Environment): string | undefined {
  const text = env[TOKEN_VARIABLE]?.trim() || undefined;
  if (given === undefined && text !== undefined) return text;
  const file = given ?? (env[TOKEN_FILE_VARIABLE]?.trim() || undefined);
  if (file === undefined) return undefined;
  const token = readSecret(file, "token file", "it holds what the agent was started with as --http-token-file").trim();
  if (token === "") throw new InputError(`${file} is empty: it should hold the bearer token of the agent`);
  return token;
}
