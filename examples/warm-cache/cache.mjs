/**
 * A cache that a council of three keeps warm: of all the servers, three load every article from the slow origin, again and again, and
 * the others ask them. Where one of the three dies, another server gets its seat and warms up.
 *
 *   node cache.mjs origin PORT                                              the slow origin
 *   node cache.mjs NAME OWN-PORT PORT-OF-ORIGIN [PORT-OF-ANOTHER ...]       a server
 *
 * With --for SECONDS a process ends by itself.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { join } from "sortition";

const ARTICLES = 50;
const FRESH = 2000;

const { values, positionals } = parseArgs({ options: { for: { type: "string" } }, allowPositionals: true });
const [name, port, ...others] = positionals;
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
if (values.for !== undefined) setTimeout(() => stop.abort(), 1000 * Number(values.for)).unref();

if (name === "origin") await origin();
else await serve(others[0], others.slice(1));

/** Takes 20 ms for an article, and counts how often it was asked. */
async function origin() {
  let asked = 0;
  await listen(async ({ url }, answer) => {
    if (url === "/asked") return answer.end(String(asked));
    asked++;
    await sleep(20);
    answer.end(`article ${url.slice(1)}, as of ${new Date().toISOString()}`);
  });
}

async function serve(originPort, ports) {
  const articles = new Map();
  const member = await join({
    name,
    group: "cache",
    keyFile: "group.key",
    bind: `127.0.0.1:${port}`,
    seeds: [port, ...ports].map((each) => `127.0.0.1:${each}`),
    profile: "local", // all members are on this machine
    // No lease: where the network is parted each side has a council, which costs some requests to the origin and does no harm.
    offices: ["warm:3..3"],
    signal: stop.signal,
    // A seat may come while the member joins, before `join` returns.
    onEvent({ event }) {
      if (event === "seated") console.log(`${name} has a seat`);
      if (event === "unseated") console.log(`${name} has lost its seat`);
    },
  });

  // Whoever has a seat loads everything, before its readers ask for it.
  const isSeated = () => member.office("warm").seated && !stop.signal.aborted;
  const warming = (async () => {
    for (; !stop.signal.aborted; await rest(isSeated() ? FRESH : 50)) {
      if (!isSeated()) articles.clear(); // what nobody refreshes should not be read
      const wasCold = articles.size < ARTICLES;
      try {
        for (let i = 1; i <= ARTICLES && isSeated(); i++) {
          articles.set(`/${i}`, await text(`http://127.0.0.1:${originPort}/${i}`));
        }
      } catch (error) {
        console.log(`${name} cannot reach the origin, and tries again: ${error.message}`);
      }
      if (wasCold && articles.size === ARTICLES) console.log(`${name} is warm`);
    }
  })();

  await listen(async ({ url, headers }, answer) => {
    if (url === "/council") return answer.end(JSON.stringify(member.council));
    const own = articles.get(url);
    if (own !== undefined) return answer.setHeader("x-from", name).end(own);
    // Members listen for HTTP at the same port (of TCP) as for the group (of UDP), so the group knows where the warm ones are.
    const warm = member.members.filter((each) => member.council?.includes(each.name) && !each.self);
    // Who was asked by another server asks nobody: two that are cold would ask each other for ever.
    for (const { name: from, address } of headers["x-asked"] === undefined ? warm : []) {
      const found = await fetch(`http://${address}${url}`, { headers: { "x-asked": name } }).catch(() => null);
      if (found?.ok) return answer.setHeader("x-from", from).end(await found.text());
      // It has just died, or is not warm yet: the next one.
    }
    answer.writeHead(503).end("nobody is warm yet\n");
  });
  await member.leave();
  await warming;
}

/** Serves until this process is told to stop. */
async function listen(reply) {
  const server = createServer((request, answer) => {
    reply(request, answer).catch((error) => answer.writeHead(502).end(error.message));
  });
  await new Promise((resolve) => server.listen(Number(port), "127.0.0.1", resolve));
  console.log(`${name} serves at http://127.0.0.1:${port}/1`);
  await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
  server.close();
  server.closeAllConnections();
}

/** Also ends when this process is told to stop. */
async function rest(ms) {
  await sleep(ms, undefined, { signal: stop.signal }).catch(() => {});
}

async function text(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers with ${answer.status}`);
  return answer.text();
}
