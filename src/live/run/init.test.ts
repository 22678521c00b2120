/** As process 1 of a container the command makes room for a shell that waits for whatever is left of others. */
import { afterEach, expect, test } from "vitest";
import { makeRoomForInit } from "./init.ts";

const own = (["pid", "execve"] as const).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const);
const pretend = (name: string, value: unknown) => Object.defineProperty(process, name, { value, configurable: true });

afterEach(() => {
  for (const [name, was] of own) {
    if (was === undefined) Reflect.deleteProperty(process, name);
    else Object.defineProperty(process, name, was);
  }
});

test("only process 1 does, with the same arguments and environment", () => {
  const calls: unknown[][] = [];
  pretend("execve", (...call: unknown[]) => calls.push(call));
  expect([makeRoomForInit(), calls]).toEqual([null, []]);
  pretend("pid", 1);
  makeRoomForInit();
  expect(calls).toHaveLength(1);
  const [shell, args, env] = calls[0] as [string, string[], unknown];
  expect([shell, args.slice(0, 2), args[3], args[4]]).toEqual(["/bin/sh", ["sh", "-c"], "sh", process.execPath]);
  expect(args.slice(5)).toEqual([...process.execArgv, ...process.argv.slice(1)]);
  expect(env).toBe(process.env);
});

test("says why where Node cannot", () => {
  pretend("execve", undefined);
  pretend("pid", 1);
  expect(makeRoomForInit()).toContain("cannot replace itself");
});
