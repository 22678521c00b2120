/** While a test group runs, programs must not touch real time: then a seed would not replay what it found. */

const INSTEAD: Readonly<Record<string, string>> = {
  setTimeout: "clock.sleep",
  setInterval: "clock.sleep in a loop",
  fetch: "the kit's fetch",
  "Date.now": "clock.now",
  "performance.now": "clock.now",
};

/** Where the program called it: the first line that is neither this file nor Node's. */
function placeIn(error: Error): string {
  const lines = (error.stack ?? "").split("\n").slice(2);
  const own = lines.find((line) => !/real-time\.[jt]s|node:/.test(line)) ?? "";
  return /\(?([^()\s]+:\d+:\d+)\)?$/.exec(own)?.[1] ?? "an unknown place";
}

/** What makes the real ones fail from now on, in words; the result puts them back, and says what was touched first. */
export function trapRealTime(): () => Error | null {
  let first: Error | null = null;
  const fail = (name: string) => () => {
    const error = new Error();
    const found = new Error(
      `the program under test uses ${name}, which is real time, at ${placeIn(error)}: take ${INSTEAD[name]} from the kit`,
    );
    first ??= found;
    throw found;
  };
  const undo: (() => void)[] = [];
  const replace = (owner: object, key: string, name: string) => {
    const before = Object.getOwnPropertyDescriptor(owner, key);
    Object.defineProperty(owner, key, { configurable: true, writable: true, value: fail(name) });
    undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(owner, key);
      else Object.defineProperty(owner, key, before);
    });
  };
  for (const name of ["setTimeout", "setInterval", "fetch"]) replace(globalThis, name, name);
  replace(Date, "now", "Date.now");
  replace(performance, "now", "performance.now");
  return () => {
    for (const back of undo) back();
    return first;
  };
}
