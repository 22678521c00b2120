/** What is made to break the page, in a real browser: nothing of it stays without a sentence, and Stop always stops. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { resolve, written as writtenSettings } from "../../src/simulation/settings.ts";
import { traceText } from "../../src/trace/file.ts";
import { traceTrial } from "../../src/trace/replay.ts";
import { inBrowser } from "../browser/browser.ts";
import { MOVING, openSite, sentence, settled } from "./site.ts";

const site = openSite();

/** Takes for ever in one step of the simulator, which nothing can cut. */
const ENDLESS = "#/watch?protocol=referees&topology=torus&n=16&walk=1000000000000000";

inBrowser("hostile links and files", () => {
  const go = (hash: string) => site.visit(hash);
  const alerts = async (hash: string): Promise<string[]> => {
    const page = await go(hash);
    await settled(page);
    return page.locator("[role=alert]").allInnerTexts();
  };

  test("thousands of faults are a few sentences, and what changes nothing says so", async () => {
    const faults = Array.from({ length: 10_000 }, (_, i) => `fault=${i + 50}:crash:1`).join("&");
    expect(await alerts(`#/watch?n=12&${faults}`)).toEqual(["fault: 9500 more are left out: a link can hold 500."]);
    const wrong = await alerts(`#/watch?n=12&${"fault=zzz&".repeat(300)}fault=9999:crash:1&fault=5:drop:99999`);
    expect(wrong).toHaveLength(6);
    expect(wrong.at(-1)).toBe("fault: 295 more are none; they are left out.");
    const page = await go("#/watch?n=12&fault=9999:crash:1&fault=5:drop:99999&fault=6:crash:2");
    await settled(page);
    const chips = await page.locator(".chip").allInnerTexts();
    expect(chips.map((chip) => /changes nothing/.test(chip))).toEqual([true, false, true]);
  });

  test("values that are too long, too many and without end are said", async () => {
    expect((await alerts(`#/watch?n=${"9".repeat(50_000)}`))[0]).toContain("too long for a link");
    const many = Array.from({ length: 500 }, (_, i) => `k${i}=1`).join("&");
    expect((await alerts(`#/watch?${many}`)).at(-1)).toContain("440 more settings are left out");
    const page = await go("#/papers/lecture?find=what?&verdict=holds");
    await page.waitForSelector("main");
    await page.waitForFunction(() => location.hash.includes("find=what%3F"));
  });

  test("a link of a moment between two events shows that very moment", async () => {
    const page = await site.open("#/watch?protocol=chang-roberts&n=12&seed=3&e=30", MOVING);
    await settled(page);
    // So slowly that a starved machine does not reach the end of the run before it is paused.
    await page.click("button:has-text('¼×')");
    await page.click("button.play");
    await page.waitForFunction(() => /[?&]t=/.test(location.hash));
    await page.click("button.play");
    await page.waitForSelector("button.play[aria-label=Play]");
    // The page writes its address 250 ms after a change: a timer that begins now ends after that one.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 250)));
    const fresh = await site.open(page.url().slice(page.url().indexOf("#")));
    await settled(fresh);
    const places = "[...document.querySelectorAll('[data-flight]')].map((flight) => flight.getAttribute('transform'))";
    expect(await fresh.evaluate(places)).toEqual(await page.evaluate(places));
    expect(await fresh.getAttribute("[aria-label=Time]", "value")).toBe(
      await page.getAttribute("[aria-label=Time]", "value"),
    );
    await fresh.close();
    await page.close();
  });

  test("the same event of another run is drawn anew", async () => {
    const page = await go("#/watch?n=12&seed=3&e=20");
    await settled(page);
    const before = await sentence(page);
    await page.evaluate(() => {
      location.hash = "#/watch?n=12&seed=5&e=20";
    });
    // While the new run is computed, the page says other things: what counts is what stands there when it has been.
    await page.waitForFunction(
      (old) =>
        document.querySelector("main[data-loading=false]") !== null &&
        document.querySelector("h2.sentence")?.textContent !== old,
      before,
    );
    expect(await sentence(page)).not.toBe("Nothing has happened yet.");
    expect(Number(await page.getAttribute("[data-messages]", "data-messages"))).toBeGreaterThan(11);
  });

  test("links in quick succession leave nothing behind", async () => {
    const page = await go("#/watch?n=12");
    await page.evaluate(async () => {
      for (let n = 5; n < 30; n++) {
        location.hash = `#/watch?n=${n}`;
        await new Promise((next) => setTimeout(next, n % 3));
      }
    });
    await page.waitForFunction(() => document.querySelectorAll("[data-node]").length === 29);
    await settled(page);
    // The worker answers in turn: when it tells the state of a node, it has answered everything before.
    await page.click("[data-node='3']");
    await page.waitForFunction(() => (document.querySelector("[data-state]")?.getAttribute("data-state") ?? "") !== "");
    expect(await page.locator("text=The run is being computed").count()).toBe(0);
  });

  test("Stop ends a step that cannot be cut, and leaving it does, too", async () => {
    const page = await go(ENDLESS);
    await page.click("text=The run is being computed >> button");
    await page.waitForFunction(() => document.querySelector("main")?.getAttribute("data-loading") === "false");
    expect(await page.innerText("main")).toContain("It was stopped here.");
    await page.evaluate((to) => {
      location.hash = to;
    }, `${ENDLESS}&seed=8`);
    await page.waitForSelector("text=The run is being computed");
    await page.evaluate(() => {
      location.hash = "#/watch?n=7&e=3&sel=2";
    });
    await page.waitForFunction(() => document.querySelectorAll("[data-node]").length === 7);
    await page.waitForFunction(() => document.querySelector("[data-state]")?.getAttribute("data-state") !== "");
  });

  /** A page whose first worker says nothing of runs, and after the first cancellation nothing at all for a second. `mute`: all its workers. */
  const deafPage = async (hash: string, mute: "the first" | "all"): Promise<Page> => {
    const page = await site.blank();
    await page.addInitScript((all) => {
      const Honest = Worker;
      let isLate = false;
      let workers = 0;
      window.Worker = class extends Honest {
        private readonly isFirst = workers++ === 0;
        override set onmessage(hears: (event: MessageEvent) => void) {
          super.onmessage = (event) => {
            const { kind } = event.data;
            isLate ||= this.isFirst && kind === "heard";
            if (isLate && this.isFirst) setTimeout(hears, 1_000, event);
            else if (!((this.isFirst || all) && ["events", "ended"].includes(kind))) hears(event);
          };
        }
      };
    }, mute === "all");
    await page.goto(`${site.url}${hash}`);
    await page.waitForSelector("text=The run is being computed");
    return page;
  };

  test("a run that follows a cancelled one goes on if the page hears of the cancellation too late", async () => {
    const page = await deafPage("#/watch?n=12&seed=1", "the first");
    await page.evaluate(() => {
      location.hash = "#/watch?n=300&seed=2";
    });
    await page.waitForSelector("main[data-loading=false] button.play");
    expect(await page.innerText("main")).not.toContain("It was stopped here.");
    await page.close();
  });

  test("Stop ends both of two runs if the page hears of the cancellations too late", async () => {
    const page = await deafPage("#/watch?protocol=tournament-async&n=16&seed=2&beside=printed", "all");
    await page.click("text=The run is being computed >> button");
    await page.waitForSelector("main[data-loading=false]");
    expect(await page.innerText("main")).toContain("It was stopped here.");
    await page.close();
  });

  test("files that are no traces leave the run as it was", async () => {
    const settings = resolve({ protocol: "peterson", n: 6, seed: 9 });
    const header = { trace: "simulation", settings: writtenSettings(settings), trial: 0 } as const;
    const trace = traceText(header, traceTrial(settings, 0).events);
    const page = await go("#/watch?n=7&e=3");
    await settled(page);
    const before = await sentence(page);
    const files: [string, string | Buffer, RegExp][] = [
      ["binary.bin", Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 37) % 256)), /binary\.bin.*is not JSON/],
      ["cut.jsonl", trace.slice(0, -20), /is not JSON/],
      ["deep.jsonl", `${"[".repeat(200_000)}${"]".repeat(200_000)}`, /deep\.jsonl/],
      ["other.jsonl", trace.replace('"trial":0', '"trial":1'), /comes out differently/],
      ["empty.jsonl", "", /not a trace/],
      ["<b>.jsonl", '{"trace":"simulation"}', /<b>\.jsonl/],
    ];
    for (const [name, content, words] of files) {
      const buffer = Buffer.from(content);
      await page.setInputFiles("input[type=file]", { name, mimeType: "text/plain", buffer });
      await page.waitForFunction(
        (wanted) => document.querySelector("[role=alert]")?.textContent?.includes(wanted),
        name,
      );
      expect([name, await page.innerText("[role=alert]")]).toEqual([name, expect.stringMatching(words)]);
      expect(await sentence(page)).toBe(before);
    }
    expect(await page.locator("main b:has-text('jsonl')").count()).toBe(0);
  });
});
