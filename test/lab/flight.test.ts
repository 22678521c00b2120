/** Flight records in the page, in a real browser. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { inBrowser } from "../browser/browser.ts";
import { failOver } from "../flight/recorded-group.ts";
import { openSite, sentence, settled } from "./site.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-flight-"));
afterAll(() => rmSync(folder, { recursive: true }));
const files = failOver(folder);
const site = openSite(new Map(files.map(({ name, bytes }) => [name, bytes])));

inBrowser("flight records", () => {
  const given = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });

  test("three of them are one run, with the sentences of the members, and a crash", async () => {
    const page = await site.open("#/watch?n=7");
    await settled(page);
    await page.setInputFiles(
      "input[type=file]",
      files.map(({ name, bytes }) => given(name, Buffer.from(bytes))),
    );
    await page.waitForFunction(() => document.querySelectorAll("[data-node]").length === 3);
    const text = await page.innerText("main");
    expect(text).toContain("the machine makes the same run again");
    await page.keyboard.press("End");
    await settled(page);
    expect(await sentence(page)).toMatch(/^[abc] leads\. \d+ messages/);
    expect(await page.innerText("main")).toContain(
      "2 of 2 know that somebody leads. Last event: c receives seat from a.",
    );
  });

  test("those that a command has put beside the page open by the link, and can be stepped through", async () => {
    const page = await site.open(`#/watch?open=${files.map(({ name }) => name).join(",")}`);
    await page.waitForFunction(() => document.querySelectorAll("[data-node]").length === 3);
    const said = new Set<string>();
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("ArrowRight");
      await settled(page);
      said.add(await sentence(page));
    }
    expect([...said].join("\n")).toContain("has joined");
  });

  test("broken ones are refused in words, and leave the run as it was", async () => {
    const page = await site.open("#/watch?n=7&e=3");
    await settled(page);
    const before = await sentence(page);
    const [{ bytes }] = files;
    const zeroed = Buffer.from(bytes);
    zeroed.fill(0, 40);
    const version = Buffer.from(bytes);
    version.write("9", 24);
    const cases: [string, Buffer, RegExp][] = [
      ["head.flight", Buffer.from(bytes.subarray(0, 30)), /its first bytes are damaged/],
      ["zeroed.flight", zeroed, /no step that can be read/],
      ["version.flight", version, /version "9"/],
    ];
    for (const [name, buffer, words] of cases) {
      await page.setInputFiles("input[type=file]", given(name, buffer));
      await page.waitForFunction(
        (wanted) => document.querySelector("[role=alert]")?.textContent?.includes(wanted),
        name,
      );
      expect([name, await page.innerText("[role=alert]")]).toEqual([name, expect.stringMatching(words)]);
      expect(await sentence(page)).toBe(before);
    }
  });
});
