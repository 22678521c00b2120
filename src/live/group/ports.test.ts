/** Links by address: what leaves, where it goes, and what waits for the address behind a name. */
import { beforeEach, expect, test } from "vitest";
import { SELF } from "../../protocol.ts";
import { decode } from "../../wire/codec.ts";
import { Counters } from "../net/counters.ts";
import { LARGEST_MESSAGE } from "../net/datagram.ts";
import { addressText } from "../net/udp.ts";
import type { Address, World } from "../world.ts";
import { Ports } from "./ports.ts";

type Done = (hosts: string[], why: string) => void;

let now: number;
let lookups: { readonly host: string; readonly done: Done }[];
let sent: string[];
let told: string[];
let counters: Counters;

beforeEach(() => {
  [now, lookups, sent, told, counters] = [0, [], [], [], new Counters()];
});

const ports = (advertised: Address = { host: "10.0.0.1", port: 7001 }) =>
  new Ports({
    world: { now: () => now } as World,
    advertised,
    counters,
    resolve: (host: string, done: Done) => void lookups.push({ host, done }),
    peers: new Map([["engine", { ask: (message: unknown) => void told.push(`engine: ${message}`) }]]) as never,
    answered: () => {},
    send: (to, messages) => void sent.push(`${addressText(to)} ${messages.map((each) => decode(each)).join()}`),
    oversized: (bytes) => void told.push(`oversized: ${bytes > LARGEST_MESSAGE}`),
    unresolved: (address, why) => void told.push(`${address}: ${why}`),
  });

function say(from: Ports, port: number, ...messages: unknown[]): void {
  for (const message of messages) from.sending(port, message)();
  from.flush();
}

function found(...hosts: string[]): void {
  for (const { done } of lookups.splice(0)) done(hosts, "nobody knows that name");
}

test("messages of one handler to one address leave together, in their order, when they are let go", () => {
  const links = ports();
  const [two, three] = [links.link("10.0.0.2:7001"), links.link("10.0.0.3:7001")];
  const leave = [links.sending(two, "a"), links.sending(three, "b"), links.sending(two, "c")];
  for (const each of leave) each();
  expect(sent).toEqual([]);
  links.flush();
  links.flush();
  expect(sent).toEqual(["10.0.0.2:7001 a,c", "10.0.0.3:7001 b"]);
});

test("an address has one port, whatever form it is written in; our own is SELF", () => {
  const links = ports({ host: "fd00::1", port: 7001 });
  const port = links.link("[fd00:0:0::2]:7001");
  expect(links.link("[fd00::2]:7001")).toBe(port);
  expect(links.arrival({ host: "fd00::2", port: 7001 })).toBe(port);
  expect([links.link("[fd00::1]:7001"), links.address(SELF), links.linked(SELF)]).toEqual([
    SELF,
    "[fd00::1]:7001",
    true,
  ]);
  const other = links.arrival({ host: "fd00::3", port: 7001 });
  expect([other === port, links.degree, links.ports(), links.label(1)]).toEqual([false, 2, [port, other], other]);
  links.unlink(port);
  expect([links.linked(port), links.linked(other), links.degree, links.ports()]).toEqual([false, true, 1, [other]]);
  expect(links.link("[fd00::2]:7001")).not.toBe(port);
  expect(() => links.unlink(port)).toThrow(`there is no link at port ${port}`);
});

test("what is said to a name waits until the name is known, also a single message", () => {
  for (const count of [1, 2]) {
    const links = ports();
    say(links, links.link("seed.example:7001"), ...["a", "b"].slice(0, count));
    expect([sent, lookups.length]).toEqual([[], 1]);
    found("10.0.0.2");
    expect(sent.splice(0)).toEqual([`10.0.0.2:7001 ${["a", "b"].slice(0, count)}`]);
    expect(counters.dropped).toBe(0);
  }
});

test("of what waits for a name the first 16 are kept, and the others are counted", () => {
  const links = ports();
  const port = links.link("seed.example:7001");
  say(links, port, ...Array.from({ length: 17 }, (_, i) => i));
  say(links, port, 17);
  expect(counters.drops).toEqual({ unresolved: 2 });
  found("10.0.0.2");
  expect(sent).toEqual([`10.0.0.2:7001 ${Array.from({ length: 16 }, (_, i) => i)}`]);
});

test("a name that nobody knows is said once; when it is known and lost again, again", () => {
  const links = ports();
  const port = links.link("seed.example:7001");
  say(links, port, "a");
  found();
  const line = "seed.example:7001: nobody knows that name";
  expect([told, counters.drops]).toEqual([[line], { unresolved: 1 }]);
  const later = (...hosts: string[]) => {
    now += 5000;
    say(links, port, "b");
    found(...hosts);
    return told.length;
  };
  expect([later(), later("10.0.0.2"), later(), later()]).toEqual([1, 1, 2, 2]);
});

test("a name is looked up again after 5 s, not before, and not while it is", () => {
  const links = ports();
  const port = links.link("seed.example:7001");
  links.link("seed.example:7001");
  say(links, port, "a");
  expect(lookups).toHaveLength(1);
  found("10.0.0.2");
  now = 4999;
  say(links, port, "b");
  links.link("seed.example:7001");
  expect(lookups).toHaveLength(0);
  now = 5000;
  say(links, port, "c");
  expect(lookups.map(({ host }) => host)).toEqual(["seed.example"]);
  found("10.0.0.3");
  say(links, port, "d");
  expect(sent).toEqual(["10.0.0.2:7001 a", "10.0.0.2:7001 b", "10.0.0.2:7001 c", "10.0.0.3:7001 d"]);
  // An address in numbers is never looked up.
  say(links, links.link("10.0.0.9:7001"), "e");
  expect(lookups).toHaveLength(0);
});

test("several addresses behind a name are used in turn: those of our family, and never our own", () => {
  const links = ports();
  const port = links.link("seed.example:7001");
  found("10.0.0.1", "10.0.0.2", "fd00::2", "10.0.0.3");
  for (const message of ["a", "b", "c"]) say(links, port, message);
  expect(sent.splice(0)).toEqual(["10.0.0.2:7001 a", "10.0.0.3:7001 b", "10.0.0.2:7001 c"]);
  for (const host of ["10.0.0.2", "10.0.0.3"]) expect(links.arrival({ host, port: 7001 })).toBe(port);
  expect(links.arrival({ host: "10.0.0.2", port: 7002 })).not.toBe(port);
  now = 5000;
  say(links, port, "d");
  found("10.0.0.1", "fd00::2");
  sent.splice(0);
  say(links, port, "e");
  expect(sent).toEqual(["[fd00::2]:7001 e"]);
  // Where the name no longer leads, another link begins.
  expect(links.arrival({ host: "10.0.0.2", port: 7001 })).not.toBe(port);
  links.unlink(port);
  expect(links.arrival({ host: "fd00::2", port: 7001 })).not.toBe(port);
});

test("a look-up that ends after its link has gone leads nobody to it", () => {
  const links = ports();
  const port = links.link("seed.example:7001");
  links.unlink(port);
  found("10.0.0.2");
  expect(links.arrival({ host: "10.0.0.2", port: 7001 })).not.toBe(port);
});

test("a peer is asked directly and alone; a text that is no address loses what is sent there", () => {
  const links = ports();
  const [engine, none, two] = [links.link("engine"), links.link("no address"), links.link("10.0.0.2:7001")];
  say(links, engine, "hello");
  say(links, none, "a", "b");
  links.multicasting("c")();
  links.flush();
  expect([told, sent, counters.drops]).toEqual([["engine: hello"], ["10.0.0.2:7001 c"], { unresolved: 3 }]);
  expect([links.peerArrival("engine"), links.address(two)]).toEqual([engine, "10.0.0.2:7001"]);
  expect(links.linked(links.peerArrival("another"))).toBe(true);
});

test("a message that no datagram holds does not leave, and is told; the largest one leaves", () => {
  const links = ports();
  const port = links.link("10.0.0.2:7001");
  const room = LARGEST_MESSAGE - 3;
  say(links, port, "x".repeat(room));
  expect([sent.length, told]).toEqual([1, []]);
  say(links, port, "x".repeat(room + 1));
  expect([sent.length, told, counters.drops]).toEqual([1, ["oversized: true"], { oversized: 1 }]);
});
