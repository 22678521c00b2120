/**
 * A store of versioned files among many peers, with and without an election before each commit: how many branches do the version trees
 * get, how many copies of the same file stay, and what does that cost in messages?
 *
 *   node version-tree.mjs [peers] [seed]
 *
 * The idea is Ramanathan et al. (2007), section 6; README.md says what they propose and what is measured here.
 * Elections are the protocol's own code on a simulated network, so that 256 peers fit into a second.
 */
import { protocolNamed, resolveParameters } from "sortition/protocol";
import { complete, NO_FAULTS, runLockstep } from "sortition/simulate";

const peers = Number(process.argv[2] ?? 256);
const seed = Number(process.argv[3] ?? 1);
const FILES = 30;

/** Those who want the same thing elect one of them. Gives the winners: one, seldom none or two; and what that took. */
function elections(protocolName, params = {}) {
  const protocol = protocolNamed(protocolName);
  const resolved = resolveParameters(protocol, params, peers);
  const spent = { elections: 0, messages: 0, none: 0, many: 0 };
  const ids = Float64Array.from({ length: peers }, (_, peer) => peer);
  const elect = (contenders) => {
    const { census, messages } = runLockstep({
      protocol,
      params: resolved,
      topology: complete(peers),
      ids,
      initiators: contenders,
      crashed: [],
      faults: NO_FAULTS,
      seed,
      trial: spent.elections++,
    });
    spent.messages += messages;
    if (census.elected === 0) spent.none++;
    if (census.elected > 1) spent.many++;
    return census.leaders;
  };
  return { elect, spent };
}

/** Without an election everybody takes it that nobody else is at work. */
const everybody = () => ({ elect: (contenders) => contenders, spent: { elections: 0, messages: 0, none: 0, many: 0 } });

/** Which peers are at the same file at the same moment: the same for every way, by the seed. */
function crowds() {
  let state = seed;
  const random = (n) => {
    state = (state * 48271) % 2147483647;
    return state % n;
  };
  return Array.from({ length: FILES }, () => {
    const crowd = new Set();
    for (const size = 2 + random(15); crowd.size < size; ) crowd.add(random(peers));
    return [...crowd].sort((a, b) => a - b);
  });
}

/** Each of them has an edit of its own, made on the version that it saw. Gives how many versions have siblings. */
function commitAll({ elect }) {
  let versions = 0;
  let branches = 0;
  for (const crowd of crowds()) {
    let waiting = crowd;
    while (waiting.length > 0) {
      const winners = elect(waiting);
      // All who commit now do so on the same parent: from the second one on these are branches, which somebody has to reconcile.
      versions += winners.length;
      branches += Math.max(0, winners.length - 1);
      // Who has not won takes the new version, makes its edit on that, and stands again.
      waiting = waiting.filter((peer) => !winners.includes(peer));
    }
  }
  return { versions, branches };
}

/** Each of them has a copy of the same content; whoever wins keeps it, the others keep a link to a winner. */
function eliminateDuplicates({ elect, spent }) {
  let copies = 0;
  for (const crowd of crowds()) {
    let keepers = [];
    // Where nobody has won nobody may delete, so they try again.
    while (keepers.length === 0) keepers = elect(crowd);
    copies += keepers.length;
    // A winner tells the other holders who it is: a link must lead somewhere.
    if (keepers.length < crowd.length) spent.messages += keepers.length * (crowd.length - 1);
  }
  return copies;
}

const ways = [
  ["no election", everybody],
  ["tournament", () => elections("tournament")],
  ["tournament, quorum of 20", () => elections("tournament", { s: 20 })],
];

const line = (...cells) =>
  console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(25) : String(cell).padStart(13))).join(""));

console.log(`${peers} peers; ${FILES} files, 2 to 16 peers at each of them at the same moment\n`);
line("commits", "versions", "branches", "elections", "messages", "none won", "several won");
for (const [name, way] of ways) {
  const by = way();
  const { versions, branches } = commitAll(by);
  line(name, versions, branches, by.spent.elections, by.spent.messages, by.spent.none, by.spent.many);
}
console.log("");
line("duplicates", "copies", "needed", "elections", "messages", "none won", "several won");
for (const [name, way] of ways) {
  const by = way();
  const copies = eliminateDuplicates(by);
  line(name, copies, FILES, by.spent.elections, by.spent.messages, by.spent.none, by.spent.many);
}
