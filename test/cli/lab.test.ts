/** `sortition lab`, and what opens in it. */
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseTrace } from "../../src/trace/file.ts";
import { sortition, start } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-lab-"));
const children: ReturnType<typeof start>[] = [];
afterAll(() => {
  for (const child of children) child.kill();
});

/** Starts it and waits for the address. */
async function served(
  ...args: string[]
): Promise<{ readonly url: string; readonly hash: string; warned(): Promise<string>; end(): Promise<unknown> }> {
  // Nothing there opens a browser.
  const child = start(args, { PATH: folder, DISPLAY: args[0] === "trace" ? ":0" : "", WAYLAND_DISPLAY: "" });
  children.push(child);
  const warned = once(child.stderr!.setEncoding("utf8"), "data");
  let text = "";
  child.stdout!.setEncoding("utf8");
  for await (const some of child.stdout!) {
    text += some;
    if (text.includes("Ctrl-C ends it.")) break;
  }
  const [, url, hash] = /The Lab is at (http:\/\/127\.0\.0\.1:\d+\/)(\S*)/.exec(text)!;
  return {
    url,
    hash,
    warned: async () => (await warned)[0],
    async end() {
      child.kill("SIGINT");
      return (await once(child, "exit"))[0];
    },
  };
}

describe("the server", async () => {
  const lab = await served("lab");

  test("serves the page with its policy, packed", async () => {
    const page = await fetch(lab.url);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
    );
    expect(page.headers.get("content-encoding")).toBe("gzip");
    const html = await page.text();
    expect(html).toContain("<title>Sortition Lab</title>");
    expect(html).toContain("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
    // Relative, so that it works under any path.
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
    expect(named.filter((path) => !path.startsWith("./"))).toEqual([]);
    for (const path of named) expect((await fetch(new URL(path, lab.url))).status).toBe(200);
  });

  test("gives nothing else away, and answers to no other name", async () => {
    const status = (path: string, headers = {}) =>
      new Promise<number>((resolve, reject) => {
        const { hostname, port } = new URL(lab.url);
        request({ hostname, port, path, headers }, (response) => resolve(response.resume().statusCode!))
          .on("error", reject)
          .end();
      });
    for (const path of [
      "/../package.json",
      "/%2e%2e/package.json",
      "/..%2f..%2fpackage.json",
      "/nothing",
      "/%00",
      "/opened/x",
      "/%",
    ]) {
      expect([path, await status(path)]).toEqual([path, 404]);
    }
    expect(await status("/", { host: "evil.example" })).toBe(403);
    expect((await fetch(lab.url, { method: "POST" })).status).toBe(405);
  });

  test("ends with Ctrl-C, and a port that is taken is said", async () => {
    const { port } = new URL(lab.url);
    const refused = await sortition("lab", "--port", port);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("something else listens there")]);
    expect(await lab.end()).toBe(0);
  });
});

test("trace --open and explore --open serve the run", async () => {
  const file = join(folder, "run one.jsonl");
  await sortition("simulate", "peterson", "--n", "5", "--trials", "1", "--trace", file);
  const recorded = await served("trace", file, "--open");
  expect(recorded.hash).toBe("#/watch?open=run_one.jsonl");
  const text = await (await fetch(new URL("opened/run_one.jsonl", recorded.url))).text();
  expect(text).toBe(readFileSync(file, "utf8"));
  expect(await recorded.warned()).toContain('no browser was opened, for "xdg-open" cannot be started');
  await recorded.end();
  const found = await served("explore", "chang-roberts", "--n", "3", "--crashes", "1", "--open");
  expect(found.hash).toBe("#/watch?open=chang-roberts-counterexample.jsonl");
  const trace = parseTrace(
    await (await fetch(new URL("opened/chang-roberts-counterexample.jsonl", found.url))).text(),
    "it",
  );
  expect(trace.header.trace).toBe("exploration");
  expect(await found.warned()).toContain("there is no screen here");
  await found.end();
});
