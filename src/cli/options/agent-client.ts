/** Which agent a command asks, as options: its address, and the bearer token that it wants to see. */
import { Readable } from "node:stream";
import { Option } from "commander";
import { AgentClient, DEFAULT_AGENT } from "../../api/client.ts";
import { InputError } from "../../errors.ts";
import { readSecret } from "../../live/net/keyring.ts";
import { socketPath } from "../../settings/member-kinds.ts";

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
    `the agent that is asked, or unix:PATH (or ${AGENT_VARIABLE} in the environment; default: ${DEFAULT_AGENT})`,
  ),
  new Option(
    "--token-file <file>",
    `the bearer token of that agent, in a file that only you can read (or ${TOKEN_FILE_VARIABLE} or ${TOKEN_VARIABLE} in the environment)`,
  ),
];

type Environment = Readonly<Record<string, string | undefined>>;

export function agentClient({ agent, tokenFile }: AgentFlags, env: Environment): AgentClient {
  const url = agent ?? (env[AGENT_VARIABLE]?.trim() || undefined);
  const path = socketPath(url);
  return new AgentClient({ url, token: tokenIn(tokenFile, env), ...(path !== null && { fetch: fetchAt(path) }) });
}

/** What the client needs of `fetch`, at a Unix socket: Node's own knows none. */
const fetchAt =
  (socketPath: string): typeof fetch =>
  (url, { method = "GET", headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = process.getBuiltinModule("node:http").request({
        socketPath,
        path: String(url).slice(`unix:${socketPath}`.length),
        method,
        headers: { host: "localhost", ...(headers as Record<string, string>) },
        ...(signal && { signal }),
      });
      request.on("error", (cause) =>
        reject(signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause })),
      );
      request.on("response", (answer) => {
        const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array>;
        resolve(
          new Response(stream, { status: answer.statusCode!, headers: answer.headers as Record<string, string> }),
        );
      });
      request.end(body);
    });

function tokenIn(given: string | undefined, env: Environment): string | undefined {
  const text = env[TOKEN_VARIABLE]?.trim() || undefined;
  if (given === undefined && text !== undefined) return text;
  const file = given ?? (env[TOKEN_FILE_VARIABLE]?.trim() || undefined);
  if (file === undefined) return undefined;
  const token = readSecret(file, "token file", "it holds what the agent was started with as --http-token-file").trim();
  if (token === "") throw new InputError(`${file} is empty: it should hold the bearer token of the agent`);
  return token;
}
