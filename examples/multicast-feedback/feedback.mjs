/**
 * A source sends to many receivers by multicast and needs to know how much of it arrives. If all receivers told it, their answers
 * would drown it. So a council of three to five of them answers for all.
 *
 *   node feedback.mjs source PORT                                      sends, and says what it is told
 *   node feedback.mjs NAME OWN-PORT PORT [PORT-OF-ANOTHER ...]         a receiver; PORT is where the source sends to
 *
 * With --for SECONDS a process ends by itself. For two seconds everybody answers, then only the council does.
 */
import { createSocket } from "node:dgram";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { join } from "sortition";

const GROUP = "239.77.7.7";
const LOOPBACK = "127.0.0.1"; // multicast stays on this machine; name another interface to leave it
const REPORT_EVERY = 250;

const { values, positionals } = parseArgs({ options: { for: { type: "string" } }, allowPositionals: true });
const [name, ...ports] = positionals;
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
if (values.for !== undefined) setTimeout(() => stop.abort(), 1000 * Number(values.for)).unref();

if (name === "source") await source(Number(ports[0]));
else await receive(ports[0], Number(ports[1]), ports.slice(2));

async function source(port) {
  const socket = await open(0);
  socket.setMulticastInterface(LOOPBACK);
  let reports = [];
  socket.on("message", (text) => reports.push(JSON.parse(text)));

  // Everything that receivers must know rides on the data, as in Raz et al.: where to answer, and who should.
  const until = Date.now() + 2000;
  let rate = 40;
  let sequence = 0;
  const say = setInterval(() => {
    const from = [...new Set(reports.map((report) => report.from))].sort();
    const worst = Math.max(0, ...reports.map(({ lost }) => lost));
    const asked = Date.now() < until + 500 ? "everybody" : "the council";
    console.log(
      `${asked} answers: ${reports.length} reports in a second, from ${from.join(" ") || "nobody"}; ` +
        `at most ${Math.round(100 * worst)}% lost at ${rate} a second`,
    );
    // Slower where too much is lost, else a little faster.
    if (reports.length > 0) rate = worst > 0.1 ? Math.round(0.7 * rate) : rate + 5;
    reports = [];
  }, 1000);
  while (!stop.signal.aborted) {
    const isForAll = Date.now() < until;
    socket.send(JSON.stringify({ sequence: sequence++, answerTo: socket.address().port, isForAll }), port, GROUP);
    await sleep(1000 / rate);
  }
  clearInterval(say);
  socket.close();
}

async function receive(ownPort, port, others) {
  const member = await join({
    name,
    group: "receivers",
    keyFile: "group.key",
    bind: `127.0.0.1:${ownPort}`,
    seeds: [ownPort, ...others].map((each) => `127.0.0.1:${each}`),
    profile: "local", // all members are on this machine
    // No lease: a sixth answer, or a second council in a parted network, does no harm.
    offices: ["feedback:3..5"],
    signal: stop.signal,
    // A seat may come while the member joins, before `join` returns.
    onEvent({ event }) {
      if (event === "seated") console.log(`${name} has a seat`);
      if (event === "unseated") console.log(`${name} has lost its seat`);
    },
  });

  // A link that bears so many packets a second, and loses what goes beyond; the same at each start.
  const bears = 60 + ((37 * Number(name.replace(/\D/g, ""))) % 50);
  let room = bears / 10;
  const refill = setInterval(() => {
    room = bears / 10;
  }, 100);

  const socket = await open(port);
  socket.addMembership(GROUP, LOOPBACK);
  console.log(`${name} listens`);
  let first = null;
  let latest = null;
  let received = 0;
  socket.on("message", (text) => {
    if (room-- <= 0) return;
    latest = JSON.parse(text);
    first ??= latest.sequence;
    received++;
  });
  for (; !stop.signal.aborted; await sleep(REPORT_EVERY)) {
    if (latest === null || !(latest.isForAll || member.office("feedback").seated)) continue;
    const lost = 1 - received / (latest.sequence - first + 1);
    socket.send(JSON.stringify({ from: name, lost }), latest.answerTo, LOOPBACK);
    // Each report is about what came since the one before.
    first = latest.sequence + 1;
    [latest, received] = [null, 0];
  }
  clearInterval(refill);
  socket.close();
  await member.leave();
}

async function open(port) {
  const socket = createSocket({ type: "udp4", reuseAddr: true });
  // Receivers listen at every address: datagrams for the multicast group come to that of the group.
  await new Promise((resolve, reject) => socket.once("error", reject).bind(port, "0.0.0.0", resolve));
  return socket;
}
