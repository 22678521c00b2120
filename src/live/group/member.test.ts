/** One member, from its options to its events, in virtual time where it runs at all. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { InputError } from "../../errors.ts";
import type { AnyMemberEvent } from "../../events/events.ts";
import { readAll } from "../../setting.ts";
import { MEMBER } from "../../settings/member.ts";
import { insecureKeyring, keyringOf } from "../net/keyring.ts";
import { memoryStore, type Store } from "../store.ts";
import { VirtualNetwork } from "../virtual-world.ts";
import { diskErrorInWords, memberStore } from "./kept.ts";
import { onThisMachine, runMember, startMember } from "./member.ts";
import { type MemberOptions, memberParams } from "./setup.ts";

const options = (given: Partial<MemberOptions> = {}): MemberOptions => ({
  ...readAll(MEMBER, { group: "g", stallMs: 0 }),
  name: "a",
  keyring: insecureKeyring(),
  onEvent: () => {},
  ...given,
});

describe("what cannot work is refused in words before anything is sent", () => {
  test.each<[Partial<MemberOptions>, string]>([
    [{ name: "" }, "the name of a member has 1 to 64 bytes"],
    [{ name: "a\0b" }, 'the name of a member has a character that cannot be used ("a\\u0000b")'],
    [{ group: "g\ud800" }, 'the name of a group has a character that cannot be used ("g\\ud800")'],
    [{ group: "x".repeat(65) }, "the name of a group has 1 to 64 bytes"],
    [{ bind: "127.0.0.1" }, "is not an address: write HOST:PORT"],
    [{ bind: "192.0.2.1:7001" }, "cannot listen at 192.0.2.1:7001: this machine has no such address"],
    [{ bind: "nosuch.invalid:7001" }, "nobody knows an address for nosuch.invalid"],
    [{ bind: "0.0.0.0:0" }, "others need one to answer to"],
    [{ seeds: ["a b"] }, '"a b" is not an address'],
    [{ seeds: ["192.0.2.1:7001"] }, "192.0.2.1:7001 cannot answer to 127.0.0.1:0, which is that machine itself"],
    [{ offices: ["a/b"] }, '"a/b" is no office'],
  ])("%j", async (given, message) => {
    const refusal = await runMember(options(given)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(InputError);
    expect((refusal as Error).message).toContain(message);
  });
});

test.each([["it is locked"], [undefined]])("what a lease store has said at the start is told: %s", async (trouble) => {
  const engine = { name: "the store", trouble, ask: () => {}, close: async () => {} };
  const all = options({ engine: engine as never, leaseTtl: 5000 });
  const told = await onThisMachine(all, async ({ news = [], transport, store }) => {
    await transport.close();
    store.close();
    return news.map((each) => `${each.event}: ${(each as AnyMemberEvent).why}`);
  });
  const started = "started: leaders hold leases of 5000 ms in the store";
  expect(told).toEqual([started, ...(trouble === undefined ? [] : [`engine: ${trouble}`])]);
});

test("with a lease store, a member gives a lease back only once its work has ended", () => {
  const engine = { name: "the store" } as never;
  expect(memberParams(options({ engine })).lease).toMatchObject({ settles: true, preemptible: false });
});

/** Members of one virtual network, at 10.0.0.1:7001 and so on. */
function scene() {
  const network = new VirtualNetwork(1);
  let made = 0;
  const start = (
    name: string,
    seeds: readonly string[],
    { store = memoryStore(), ...given }: Partial<MemberOptions> & { store?: Store } = {},
  ) => {
    const address = { host: `10.0.0.${++made}`, port: 7001 };
    const machine = network.machine(address);
    const { world, transport } = machine;
    const events: AnyMemberEvent[] = [];
    const resolve = (_host: string, done: (hosts: string[], why: string) => void) => done([], "nobody knows that name");
    const all = options({ name, seeds, onEvent: (event) => events.push(event), ...given });
    const member = startMember(all, { world, transport, resolve, store, reached: address });
    return { member, machine, events, of: (event: string) => events.filter((each) => each.event === event) };
  };
  return { network, start };
}

test("what happens is told: who joins, who leads, who leaves", () => {
  const { network, start } = scene();
  const a = start("a", []);
  const b = start("b", ["10.0.0.1:7001"]);
  network.runFor(10_000);
  expect(a.member.report()).toMatchObject({ self: "a", members: 2, joined: true });
  expect(a.of("joined")).toEqual([{ event: "joined", member: "b", members: 2 }]);
  const { leader } = a.member.report().offices.leader;
  expect(b.member.report().offices.leader.leader).toBe(leader);
  const [holder, other] = leader === "a" ? [a, b] : [b, a];
  expect(holder.of("leads")).toHaveLength(1);
  holder.member.command({ kind: "resign", office: null });
  expect(holder.of("resigned")).toHaveLength(1);
  network.runFor(5000);
  void b.member.leave();
  network.runFor(5000);
  expect(a.of("left")).toEqual([{ event: "left", member: "b", members: 1 }]);
  expect(a.member.report().offices.leader.leader).toBe("a");
  expect(other.of("dropped")).toEqual([]);
});

test("a seed that does not answer, and a name that nobody knows, are said once, and asked again", () => {
  const { network, start } = scene();
  const { of, member } = start("a", ["10.0.0.9:7001", "nosuch.example:7001"]);
  network.runFor(60_000);
  expect(of("alone")).toEqual([
    {
      event: "alone",
      why: "nobody has answered at 10.0.0.9:7001, nosuch.example:7001; this member goes on asking. Check that a member listens there, with the same group name and the same key (here af99b8db)",
    },
  ]);
  expect(of("unresolved")).toHaveLength(1);
  expect(network.sent).toBeGreaterThan(5);
  expect(member.report().members).toBe(1);
});

test.each([
  ["one seed that does not answer", ["10.0.0.9:7001"], 1],
  ["no seed", [], 0],
  ["itself as its only seed", ["10.0.0.1:7001"], 0],
])("a member with %s says that it is alone, or does not", (_what, seeds, times) => {
  const { network, start } = scene();
  const { of } = start("a", seeds);
  network.runFor(60_000);
  expect(of("alone")).toHaveLength(times);
});

test("a member that has met another does not say that it is alone", () => {
  const { network, start } = scene();
  const a = start("a", ["10.0.0.2:7001"]);
  start("b", []);
  network.runFor(60_000);
  expect(a.of("alone")).toEqual([]);
});

test("a member that has left does not say that it is alone", async () => {
  const { network, start } = scene();
  const { member, of } = start("a", ["10.0.0.9:7001"]);
  const left = member.leave();
  network.runFor(1000);
  await left;
  network.runFor(60_000);
  expect(of("alone")).toEqual([]);
});

test("an event that is not part of a report is told at once", () => {
  const { member, of } = scene().start("a", []);
  member.tell({ event: "engine", engine: "silent", why: "it is locked" });
  expect(of("engine")).toEqual([{ event: "engine", engine: "silent", why: "it is locked" }]);
});

test("a wrong key is said at most once a minute, a newer version once", () => {
  const { network, start } = scene();
  const a = start("a", []);
  start("b", ["10.0.0.1:7001"], { keyring: keyringOf([new Uint8Array(32).fill(7)]) });
  network.runFor(100_000);
  expect(a.of("dropped").length).toBeGreaterThan(0);
  expect(a.of("dropped").length).toBeLessThan(4);
  expect(a.of("dropped")[0].why).toMatch(
    /^a datagram from 10.0.0.2:7001 came sealed with a key whose id ends in [0-9a-f]{2}, which this member does not have \(it has [0-9a-f]{8}\)/,
  );
  const before = a.events.length;
  for (let i = 0; i < 100; i++) a.machine.arrive(Uint8Array.of(2 + (i % 9), 1, 2, 3));
  expect(a.events.slice(before)).toEqual([
    {
      event: "dropped",
      why: "datagrams of version 2 come in, but this program speaks 1: bring all members to one version",
    },
  ]);
});

test("a user who throws stops nothing", () => {
  const { network, start } = scene();
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const { member } = start("a", [], {
    onEvent: () => {
      throw new Error("of the user");
    },
  });
  network.runFor(5000);
  expect(member.report().offices.leader.mine).toBe(true);
  expect(warn).toHaveBeenCalledWith(new Error("of the user"));
  warn.mockRestore();
});

test("a disk that is full: nothing leaves, and the member ends in words", async () => {
  const { network, start } = scene();
  let isFull = false;
  const store: Store = {
    ...memoryStore(),
    save: () => {
      if (isFull)
        throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", syscall: "write" });
    },
  };
  start("b", []);
  const { member, events } = start("a", ["10.0.0.1:7001"], { store, state: "somewhere" });
  network.runFor(3000);
  isFull = true;
  const told = events.length;
  const { sent } = network;
  member.command({ kind: "resign", office: null });
  expect([network.sent, events.length]).toEqual([sent, told]);
  await expect(member.ended).rejects.toThrow(
    "a has stopped, because its terms and tokens could not be saved in somewhere (ENOSPC)",
  );
});

describe("state", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sortition-kept-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("is kept by group and name, whatever is in these", () => {
    const owners = ["..", "a/b", "x".repeat(64), "ü".repeat(32), "A.b"].map((name) => ({
      name,
      group: "../g",
      state: folder,
    }));
    for (const [i, owner] of owners.entries()) {
      const store = memberStore(owner, () => {});
      store.save(i);
      store.close();
    }
    for (const [i, owner] of owners.entries()) {
      const store = memberStore(owner, () => {});
      expect(store.load()).toBe(i);
      store.close();
    }
    expect(readdirSync(folder)).toEqual(["%2E%2E%2Fg"]);
  });

  test("that is missing or damaged makes a new member, and is reported", () => {
    const owner = { name: "a", group: "g", state: folder };
    const told: string[] = [];
    const open = () => memberStore(owner, (why) => told.push(why));
    const first = open();
    expect(first.load()).toBeNull();
    first.close();
    mkdirSync(join(folder, "g"), { recursive: true });
    writeFileSync(join(folder, "g", "a.state"), "rubbish");
    const second = open();
    expect(() => second.load()).toThrow("has version 114");
    writeFileSync(join(folder, "g", "a.state"), Uint8Array.of(1, 0, 0, 0, 0, 7));
    expect(second.load()).toBeNull();
    second.close();
    expect(told).toEqual([
      expect.stringMatching(/^nothing is saved in .*g yet$/),
      expect.stringMatching(
        /is damaged: its checksum is another one; it was put aside, and this is a new member under an old name$/,
      ),
    ]);
  });

  test("that cannot be written is said so; other errors stay what they are", () => {
    const error = new Error("another");
    expect(diskErrorInWords(error, { name: "a", group: "g", state: folder })).toBe(error);
  });
});
