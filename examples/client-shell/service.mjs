/**
 * The service that the shell's steps go to: it takes steps of the newest leader only, and after `count` of them no more.
 *
 *   node service.mjs PORT GUARD-KEY-FILE GROUP [COUNT]
 */
import { createServer } from "node:http";
import { FENCE_HEADER, httpGuard, loadGuardKeys, sqliteStore } from "sortition/guards";

const [port, keyFile, group, count = "20"] = process.argv.slice(2);
const store = sqliteStore("fences.db"); // survives a restart: a guard that forgets lets old leaders in
const guard = httpGuard({ keys: loadGuardKeys(keyFile, group), seat: "leader", store });
const steps = [];

createServer(async (request, answer) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const headers = { [FENCE_HEADER]: request.headers[FENCE_HEADER] ?? "" };
  const asked = new Request(`http://service${request.url}`, { method: "POST", headers });
  const refusal = await guard(asked);
  if (refusal !== null) return answer.writeHead(refusal.status).end((await refusal.json()).title);
  const { token } = guard.admitted(asked);
  if (steps.length >= Number(count)) return answer.writeHead(410).end("all is done");
  steps.push({ by: body, token });
  console.log(`step ${steps.length} by ${body} with token ${token}`);
  answer.end(`step ${steps.length}`);
}).listen(Number(port), "127.0.0.1", () => console.log(`takes steps at http://127.0.0.1:${port}`));
