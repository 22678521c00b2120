/** Watch, in a real browser. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { resolve } from "../../src/simulation/settings.ts";
import { openTrial, runTrial } from "../../src/simulation/trial.ts";
import { inBrowser } from "../browser/browser.ts";
import { effort } from "../support/effort.ts";
import { MOVING, openSite, sentence, settled, written } from "./site.ts";

const site = openSite();

const RUN = "#/watch?protocol=chang-roberts&n=12&seed=3";

inBrowser("Watch", () => {
  test("a first visit shows a run that moves, in under 300 KB", async () => {
    const before = site.sent();
    const page = await site.open("", MOVING);
    // It unfolds by itself, for some seconds, and never ends by itself.
    await page.waitForFunction(() => document.querySelectorAll("[data-flight]").length > 0);
    const bytes = site.sent() - before;
    process.stdout.write(`the Lab's first load: ${(bytes / 1000).toFixed(0)} KB\n`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(300_000);
    await page.close();
  });

  test("steps on and back show the same picture, and so does the link in another tab", async () => {
    const page = await site.visit(`${RUN}&e=30&sel=5`);
    await settled(page);
    await page.waitForFunction(() => document.querySelector("[data-state]")?.getAttribute("data-state") !== "");
    const before = await shown(page);
    for (let i = 0; i < 20; i++) await page.keyboard.press(".");
    expect(await page.getAttribute("[aria-label=Time]", "aria-valuetext")).toContain("event 50 of");
    for (let i = 0; i < 20; i++) await page.keyboard.press(",");
    // What was seen and scrubbed back stays as a ghost, and is part of the link.
    await written(page);
    const link = page.url();
    expect(link).toMatch(/e=30&seen=[\d.]+&sel=5$/);
    const fresh = await site.open(link.slice(link.indexOf("#")).replace(/&seen=[\d.]+/, ""));
    await settled(fresh);
    await fresh.waitForFunction(() => document.querySelector("[data-state]")?.getAttribute("data-state") !== "");
    expect(await shown(fresh)).toEqual(before);
    expect(await sentence(fresh)).toBe(await sentence(page));
    await fresh.close();
  });

  test("the state of a node is the host's, at this event and back at an earlier one", async () => {
    const host = openTrial(resolve({ protocol: "chang-roberts", n: 12, seed: 3 }), 0);
    const page = await site.visit(`${RUN}&sel=4`);
    await settled(page);
    for (const event of [40, 17, 60, 3]) {
      host.seek(event);
      const wanted = JSON.stringify(host.state(4));
      await page.evaluate((to) => {
        location.hash = to;
      }, `${RUN}&sel=4&e=${event}`);
      await page.waitForFunction(
        (json) => document.querySelector("[data-state]")?.getAttribute("data-state") === json,
        wanted,
      );
    }
  });

  test("a click crashes a node: the fault is in the link, and in the run that the link gives", async () => {
    const page = await site.visit(`${RUN}&e=31`);
    await settled(page);
    await page.click("button:has-text('Crash')");
    await page.click("[data-node='4']");
    await page.waitForFunction(() => /crashes/.test(document.querySelector("h2.sentence")?.textContent ?? ""));
    expect(await sentence(page)).toBe("Node 4 crashes.");
    await page.keyboard.press("End");
    expect(await page.innerText(".status")).toContain("Nobody leads.");
    await written(page);
    expect(page.url()).toContain("fault=31:crash:4");
    const other = await site.open(page.url().slice(page.url().indexOf("#")));
    await settled(other);
    expect(await sentence(other)).toBe(await sentence(page));
    await page.click("button[aria-label^='Undo']");
    await settled(page);
    await page.keyboard.press("End");
    await page.waitForFunction(() => /leads;/.test(document.querySelector(".status")?.textContent ?? ""));
    await other.close();
  });

  test("a message is dropped, a network is cut, a node is paused by keyboard", async () => {
    const page = await site.visit(`${RUN}&e=20`);
    await settled(page);
    await page.click("button:has-text('Drop')");
    await page.locator("[data-flight]").first().dispatchEvent("click");
    await page.waitForFunction(() => /lost on the way/.test(document.querySelector("h2.sentence")?.textContent ?? ""));
    await page.click("button:has-text('Cut')");
    await page.click("[data-node='0']");
    await page.click("[data-node='1']");
    await page.click("button:has-text('Cut these 2 off')");
    await page.waitForFunction(() =>
      /The network is cut: nodes 0 and 1/.test(document.querySelector("h2.sentence")?.textContent ?? ""),
    );
    await page.focus("[data-node='0']");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("p");
    await page.waitForFunction(() => /Node 1 is paused/.test(document.querySelector("h2.sentence")?.textContent ?? ""));
    await written(page);
    expect(page.url()).toMatch(/fault=20:drop:\d+&fault=21:cut:0-1&fault=22:pause:1:5/);
  });

  test("a message that is pointed at shows its causes, on the stage and in the space-time picture", async () => {
    const page = await site.visit(`${RUN}&e=40`);
    await settled(page);
    const before = await drawn(page, "canvas[role=img]");
    await page.locator("[data-flight]").first().dispatchEvent("pointerenter");
    await page.waitForSelector("path.cause", { state: "attached" });
    expect(await drawn(page, "canvas[role=img]")).not.toBe(before);
    await page.locator("[data-flight]").first().dispatchEvent("pointerleave");
    await page.waitForSelector("path.cause", { state: "detached" });
    await page.locator("[data-flight]").first().dispatchEvent("click");
    expect(await page.innerText("[aria-label='Selected process or message']")).toMatch(
      /because of\s+elect \(id \d+\) from node \d+/,
    );
  });

  test("every protocol ends with the numbers of the command line", async () => {
    const page = await site.visit(RUN);
    await settled(page);
    for (const { name } of catalogue) {
      const trial = runTrial(resolve({ protocol: name, n: 20, seed: 77, kernel: "off" }), 0);
      await page.evaluate((to) => {
        location.hash = to;
      }, `#/watch?protocol=${name}&n=20&seed=77&e=1000000`);
      await page.waitForFunction(
        ([protocol, sent]) =>
          document.querySelector<HTMLSelectElement>("select[aria-label=protocol]")?.value === protocol &&
          document.querySelector("[data-messages]")?.getAttribute("data-messages") === sent,
        [name, String(trial.messages)],
      );
      const status = await page.innerText(".status");
      if (trial.leader !== null) expect([name, status]).toEqual([name, expect.stringContaining(`id ${trial.leader},`)]);
      if (trial.outcome === "none" && !name.startsWith("council")) expect(status).toContain("Nobody leads");
    }
  });

  test("printed beside repaired: one elects nobody", async () => {
    const page = await site.visit("#/watch?protocol=tournament-async&n=16&seed=2&beside=printed&e=1000000");
    await settled(page);
    expect(await page.locator("h2.sentence").count()).toBe(2);
    expect(await page.innerText("main")).toContain("the first difference is event");
  });

  test("too many to draw are counted, with the numbers of the command line", async () => {
    const trial = runTrial(resolve({ protocol: "chang-roberts", n: 20_000, seed: 5 }), 0);
    const page = await site.visit("#/watch?protocol=chang-roberts&n=20000&seed=5");
    await page.waitForFunction(
      (leader) => document.body.textContent?.includes(`id ${leader} leads`),
      trial.leader!.toLocaleString("en"),
    );
    expect(await page.innerText("main")).toContain(`${trial.messages.toLocaleString("en")} messages`);
  });

  test("hostile links become sentences", async () => {
    const page = await site.visit(
      "#/watch?n=1e12&protocol=<img src=x onerror=alert(1)>&param.x=1&fault=<b>&e=9e99&sel=-1&ids=%00",
    );
    await settled(page);
    const text = await page.innerText("main");
    expect(text).toContain("at most a million");
    expect(text).toContain("<img src=x onerror=alert(1)>");
    expect(text).toContain('"<b>" is no fault');
    expect(await page.locator("main img").count()).toBe(0);
    await page.click("button:has-text('Use 12')");
    await page.waitForFunction(() => !document.body.textContent?.includes("at most a million"));
  });

  test("links made to break the page show a view, and nothing of them runs", async () => {
    const script = "<img src=x onerror=alert(1)>";
    const links = [
      "#/watch?__proto__=1&constructor=2&param.__proto__=3&param.constructor=4&toString=5",
      `#/watch?n=12&layout=${script}&beside=${script}&topology=${script}&host=${script}`,
      `#/watch?n=12&${"fault=1:crash:1&".repeat(300)}fault=99999999:crash:3&fault=1:drop:99999`,
      "#/watch?n=NaN&seed=1e400&delay=uniform:0..1e308&loss=2&ids=1,1",
      "#/%E0%A4%A",
      `#/lessons/${script}`,
      "#/lessons/average?guess=1e999",
      `#/compare?protocols=__proto__,constructor,${"peterson,".repeat(50)}&vary=n=1..1000000000:99999999&trials=1e9`,
      `#/compare/plan?n=${script}&loss=NaN`,
      `#/papers/__proto__?verdict=constructor&find=${"(".repeat(90)}`,
    ];
    const page = await site.visit("#/lessons");
    for (const link of links) {
      await page.goto(`${site.url}${link}`);
      await page.waitForSelector("main:not([data-loading=true])");
      expect([link, await page.locator("main.failure, img[src=x]").count()]).toEqual([link, 0]);
      expect(await page.innerText("body")).not.toContain("The worker failed");
    }
  });

  test("where one process is less than a pixel, a lens shows those at the pointer", async () => {
    const page = await site.visit("#/watch?protocol=tournament&n=520&seed=3&e=900");
    await settled(page);
    const stage = "[role=application] canvas";
    const without = await drawn(page, stage);
    await page.hover(stage, { position: { x: 200, y: 150 } });
    await page.waitForFunction(() =>
      /^C?\S* ?\d+/.test(document.querySelector("[role=application] p")?.textContent ?? ""),
    );
    expect(await drawn(page, stage)).not.toBe(without);
    await page.mouse.move(2, 2);
    await page.waitForFunction(() =>
      /^Point at/.test(document.querySelector("[role=application] p")?.textContent ?? ""),
    );
    expect(await drawn(page, stage)).toBe(without);
  });

  test("2,000 nodes are drawn while they play; how often is reported", async () => {
    const page = await site.visit("#/watch?protocol=chang-roberts&n=2000&seed=3");
    await settled(page);
    await page.keyboard.press("Space");
    const frames = effort(5, 50);
    const milliseconds = await page.evaluate(
      (wanted) =>
        new Promise<number>((done) => {
          const began = performance.now();
          let count = 0;
          const next = (now: number) => {
            if (++count < wanted) requestAnimationFrame(next);
            else done(now - began);
          };
          requestAnimationFrame(next);
        }),
      frames,
    );
    await page.waitForFunction(
      () =>
        !/event 0 of/.test(document.querySelector("[aria-label=Time]")?.getAttribute("aria-valuetext") ?? "event 0 of"),
    );
    process.stdout.write(
      `the Lab at 2,000 nodes: ${((1000 * frames) / milliseconds).toFixed(0)} frames a second, drawn by software\n`,
    );
    // What is still to be painted would be waited for.
    await page.goto(`${site.url}#/lessons`);
  });
});

/** A canvas as it is now, with the page's own letters. */
async function drawn(page: Page, selector: string): Promise<string> {
  await page.evaluate(() => document.fonts.ready);
  return page
    .locator(selector)
    .first()
    .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
}

/** All that is drawn: elements with their places, and canvases. Screenshots differ by how Chromium cut the page into tiles. */
async function shown(page: Page): Promise<string[]> {
  await page.evaluate(() => document.fonts.ready);
  return page.evaluate(() => [
    document.querySelector("main")!.innerHTML,
    ...[...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL()),
  ]);
}
