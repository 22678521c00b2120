/** The Lab as a class sees it, in a real browser: sizes, keys, what is drawn, opening and ending, lessons, sharing. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { lessons } from "../../lab/lessons/lessons.ts";
import { inBrowser } from "../browser/browser.ts";
import { effort, isLong } from "../support/effort.ts";
import { faultsOf } from "./accessible.ts";
import { openSite, sentence, settled } from "./site.ts";

const site = openSite();
const RUN = "#/watch?protocol=chang-roberts&n=12&seed=3";

/** By how much something is inside the window, or null where there is no such thing. */
const boxOf = (page: Page, selector: string) =>
  page.evaluate((wanted) => {
    const element = document.querySelector(wanted);
    if (element === null) return null;
    const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
    const isInside = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth + 12;
    return { isInside, width, height, bottom };
  }, selector);

/** Letters that are seen, below a size in pixels. */
const smallLetters = (page: Page, least: number) =>
  page.evaluate((size) => {
    const all = [...document.querySelectorAll("main *, button")].filter(
      (one) =>
        [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== "") &&
        one.checkVisibility() &&
        one.closest(".hidden, .leave") === null,
    );
    return all.filter((one) => Number.parseFloat(getComputedStyle(one).fontSize) < size).map((one) => one.textContent);
  }, least);

/** Whether something is in the window as a whole, and a click in its middle and near its corners hits it. */
const isFree = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const x = [left + 6, (left + right) / 2, right - 6];
      const y = [top + 6, (top + bottom) / 2, bottom - 6];
      if (element instanceof HTMLInputElement) y.splice(0, 1);
      return x.every((a) => y.every((b) => element.contains(document.elementFromPoint(a, b))));
    });

/** Sentences of which the end is cut off, or which the button to leave covers. */
const cutSentences = (page: Page) =>
  page.evaluate(() => {
    const leave = document.querySelector(".leave")!.getBoundingClientRect();
    return [...document.querySelectorAll("h2.sentence")].flatMap((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      const isUnder = [...range.getClientRects()].some((box) => box.right > leave.left && box.top < leave.bottom - 4);
      const end = one.closest(".told")!.getBoundingClientRect().bottom + 2;
      return isUnder || one.getBoundingClientRect().bottom > end ? [one.textContent] : [];
    });
  });

/** Labels beside processes that lie over other labels, or outside the window. */
const crossings = (page: Page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll("[data-beside]")].map((one) => ({
      text: one.textContent,
      box: one.getBoundingClientRect(),
    }));
    return all.flatMap(({ text, box }, i) => {
      const isOut = box.left < 0 || box.right > innerWidth;
      const over = all.slice(i + 1).filter(({ box: b }) => {
        const wide = Math.min(box.right, b.right) - Math.max(box.left, b.left);
        return wide > 1 && Math.min(box.bottom, b.bottom) - Math.max(box.top, b.top) > box.height / 3;
      });
      return isOut || over.length > 0 ? [[text, ...over.map((one) => one.text)].join(" over ")] : [];
    });
  });

const eventOf = async (page: Page): Promise<number> =>
  Number(/event (\d+)/.exec((await page.getAttribute("[aria-label=Time]", "aria-valuetext")) ?? "")?.[1]);

const SIZES = [
  [1280, 720],
  [1920, 1080],
  [1024, 768],
] as const;

inBrowser("on stage", () => {
  test("present mode: large letters, a picture that fills the window, Play at the bottom, at three sizes", async () => {
    const page = await site.open(`${RUN}&e=30`);
    await settled(page);
    // The window of a test has the size that the test gives it.
    await page.evaluate(() => Object.assign(document.documentElement, { requestFullscreen: undefined }));
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.keyboard.press("f");
      await page.waitForSelector("html.presenting main");
      expect(await page.locator("header, footer, main aside").count()).toBe(0);
      const size = await page.evaluate(() => getComputedStyle(document.querySelector("h2.sentence")!).fontSize);
      expect([width, size]).toEqual([width, "44px"]);
      const side = Math.min(height - 220, width / 2);
      await page.waitForFunction((least) => document.querySelector("svg[role=group]")!.clientHeight > least, side - 60);
      for (const part of ["svg[role=group]", "canvas[role=img]", "button.play", "[aria-label=Time]"]) {
        expect([width, part, (await boxOf(page, part))?.isInside]).toEqual([width, part, true]);
      }
      expect([width, await smallLetters(page, 20)]).toEqual([width, []]);
      if (width === 1024) expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.waitForSelector("header");
    }
    await page.close();
  });

  test("present mode: nothing covers anything, from a phone to a large screen, in opening, ending and lessons", async () => {
    const page = await site.open("");
    const views = [
      ["", ["button.start"]],
      [`${RUN}&e=100000`, ["button.play", "[aria-label=Time]", "text=Crash 12"]],
      ["#/lessons/average?e=100000", ["button.play", "[aria-label=Time]", "[aria-label=Speed] button:last-child"]],
      ["#/lessons/fencing?e=100000", ["button.play", "[aria-label=Time]", ".leave"]],
    ] as const;
    for (const [view, parts] of views) {
      if (view !== "") await page.goto(`${site.url}${view}`);
      await (view === "" ? settledOpening(page) : settled(page));
      if (view === "") {
        await page.evaluate(() => Object.assign(document.documentElement, { requestFullscreen: undefined }));
        await page.keyboard.press("f");
        await page.waitForSelector("html.presenting main");
      }
      for (const [width, height] of [...SIZES, [390, 844], [2560, 1440]] as const) {
        await page.setViewportSize({ width, height });
        for (const part of parts) {
          const at = { view, width, part };
          await expect.poll(async () => ({ ...at, isFree: await isFree(page, part) })).toEqual({ ...at, isFree: true });
        }
        // Sizes follow the window a frame later.
        await expect.poll(async () => [view, width, await cutSentences(page)]).toEqual([view, width, []]);
        await expect.poll(async () => [view, width, await crossings(page)]).toEqual([view, width, []]);
        if (view === "" && width > 699)
          await expect.poll(async () => [width, (await boxOf(page, ".stories"))?.isInside]).toEqual([width, true]);
        if (width === 2560)
          await expect.poll(async () => (await boxOf(page, "svg[role=group]"))!.height).toBeGreaterThan(1100);
      }
    }
    const endings = await page.locator("h2.sentence").allTextContents();
    expect(endings.map((text) => text.trim())).toEqual([
      "1 late write refused: the newer data is safe.",
      "1 late write replaced newer data, and nobody noticed.",
    ]);
    await page.close();
  });

  test("without present mode the picture grows with the window, and Play is never off the screen", async () => {
    const page = await site.visit(`${RUN}&e=30`);
    await settled(page);
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.waitForFunction(() => document.querySelector("svg[role=group]")!.clientHeight > 560);
    expect(
      await page.evaluate(() => Number.parseFloat(getComputedStyle(document.querySelector(".id")!).fontSize)),
    ).toBeGreaterThan(15);
    for (const [width, height] of isLong ? [...SIZES, [390, 844] as const] : ([SIZES[0], [390, 844]] as const)) {
      await page.setViewportSize({ width, height });
      for (const view of [`${RUN}&e=30`, "#/lessons/worst", "#/lessons/average"]) {
        await page.goto(`${site.url}${view}`);
        await settled(page);
        for (const part of ["button.play", "[aria-label=Time]"]) {
          expect([width, view, part, (await boxOf(page, part))?.isInside]).toEqual([width, view, part, true]);
        }
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("the keys work in Watch and in lessons, wherever the focus is, except in text", async () => {
    const page = await site.visit(RUN);
    for (const view of [RUN, "#/lessons/worst"]) {
      await page.goto(`${site.url}${view}`);
      await settled(page);
      const focus =
        view === RUN ? ["button:has-text('4×')", "button:has-text('Crash')"] : ["#guess", "button:has-text('4×')"];
      for (const selector of focus) {
        await page.focus(selector);
        for (const [key, moved] of [
          ["End", "last"],
          ["Home", "first"],
          [">", "on"],
          ["PageDown", "on"],
          ["<", "back"],
          ["PageUp", "back"],
        ] as const) {
          const before = await eventOf(page);
          await page.keyboard.press(key);
          const after = await eventOf(page);
          const is = { last: after > before, first: after === 0, on: after > before, back: after < before }[moved];
          expect([view, selector, key, is]).toEqual([view, selector, key, true]);
        }
        await page.keyboard.press("Space");
        await page.waitForSelector("button[aria-label=Pause]");
        await page.keyboard.press("Space");
        await page.waitForSelector("button[aria-label=Play]");
      }
      await page.keyboard.press("[");
      expect(await page.getAttribute("button:has-text('¼×')", "aria-pressed")).toBe("true");
      await page.keyboard.press("]");
    }
    await page.goto(`${site.url}${RUN}`);
    await settled(page);
    await page.focus("input[aria-label='number of processes']");
    await page.keyboard.press("Space");
    expect(await eventOf(page)).toBe(0);
  });

  test("opening: two candidates, a question, one large Play and three stories; then an ending with three ways on", async () => {
    const page = await site.open("");
    await settledOpening(page);
    expect(await sentence(page)).toBe("Twelve processes, no boss. Who wins?");
    expect(await page.innerText(".status")).toBe("Two candidates are left: 10 and 12.");
    expect(await page.locator("svg[role=group] .node.contends").count()).toBe(2);
    expect(await page.locator(".stories a").count()).toBe(3);
    expect((await boxOf(page, "button.start"))!.height).toBeGreaterThanOrEqual(56);
    await page.click("button.start");
    await settled(page);
    await page.keyboard.press("End");
    expect(await sentence(page)).toBe("12 leads. 50 messages; average 49, worst 90.");
    await page.click("button:has-text('Crash 12')");
    await page.waitForSelector("text=one fault by hand");
    await settled(page);
    await page.keyboard.press("End");
    expect(await sentence(page)).toMatch(
      /^Nobody leads: 1 process crashed, .*11 processes still wait, and no message is left\.$/,
    );
    expect(await page.innerText("[aria-label='The run']")).not.toContain("no faults");
    await page.click("button:has-text('Other order')");
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>("input[aria-label=seed]")?.value === "4");
    await page.close();
  });

  test("the idea is drawn: held ids, drawn numbers and ties, reach, hollow replies, and every named process at any n", async () => {
    const page = await site.visit("#/watch?protocol=peterson&n=12&seed=3&e=50");
    await settled(page);
    const held = await page.locator("text.id").allTextContents();
    expect(held.filter((text) => text !== "").length).toBeLessThan(12);
    expect((await page.locator("[data-beside='3']").allTextContents()).join(" ")).toMatch(/^3 id \d+$/);
    await page.goto(`${site.url}#/watch?protocol=itai-rodeh&n=8&seed=1&param.range=2&e=8`);
    await settled(page);
    await page.waitForFunction(() =>
      [...document.querySelectorAll("text.id")].every((one) => /^[12]$/.test(one.textContent ?? "")),
    );
    expect(await page.locator(".tie").count()).toBe(8);
    await page.goto(`${site.url}#/watch?protocol=hirschberg-sinclair&n=16&seed=3&e=60`);
    await settled(page);
    await page.waitForSelector("[data-reach]", { state: "attached" });
    expect(await page.locator(".message.hollow").count()).toBeGreaterThan(0);
    expect(await page.locator(".message:not(.hollow)").count()).toBeGreaterThan(0);
    expect(await page.locator("svg[role=group]").textContent()).toMatch(/phase \d, distance \d/);
    expect(await page.innerText(".ways")).toBe("links lead both ways");
    // The sentence names a process, and both pictures mark it.
    const [, node] = /^Node (\d+)/.exec(await sentence(page))!;
    expect(await page.locator(`[data-named='${node}']`).count()).toBe(1);
    await page.goto(`${site.url}#/watch?protocol=tournament&n=60&seed=3&e=200`);
    await settled(page);
    await page.waitForSelector("[data-named]", { state: "attached" });
    expect(await page.locator("text.label").count()).toBeGreaterThan(0);
    await page.goto(`${site.url}#/watch?protocol=quorum&n=40&seed=3&e=41`);
    await settled(page);
    await page.waitForSelector("[data-strand]", { state: "attached" });
    expect(await page.locator("[data-flight]").count()).toBe(0);
    await page.goto(`${site.url}#/watch?protocol=tournament-async&n=4&seed=16&e=9`);
    await settled(page);
    await page.waitForFunction(() => document.querySelector("text.number")?.textContent === "C0");
  });

  test("councils are gold only when they stand; copies are told from messages; nobody guesses what was not guessed", async () => {
    const page = await site.visit("#/watch?protocol=council-skip-reset&n=24&seed=5&param.L=4&param.U=6&e=1");
    await settled(page);
    for (let step = 0; step < 12; step++) {
      const stands = /council stands|hosts? (?:is |are )?elected/.test(await page.innerText("main .headline"));
      const gold = await page.locator("svg[role=group] .node.elected").count();
      expect([step, gold > 0]).toEqual([step, stands]);
      await page.keyboard.press("PageDown");
    }
    await page.keyboard.press("End");
    expect(await page.locator("svg[role=group] .node.elected").count()).toBeGreaterThanOrEqual(4);
    await page.goto(`${site.url}#/watch?protocol=filter-relay&n=60&seed=3&e=400`);
    await settled(page);
    expect(await page.innerText(".status")).toMatch(/copies of multicasts on the way/);
    expect(await page.innerText("[aria-label='Messages so far']")).toMatch(/sent \(\d+ multicasts?\)/);
    await page.goto(`${site.url}#/lessons/average?answer=shown`);
    await settled(page);
    const text = await page.innerText("main");
    expect(text).toContain("You made no guess.");
    expect(text).not.toContain("900");
  });

  test.each(lessons.map(({ slug }) => slug).filter((_, i) => i % effort(3, 1) === 0))(
    "lesson %s by keyboard: guess, play to the end, answer, handout",
    async (slug) => {
      const lesson = lessons.find((one) => one.slug === slug)!;
      const page = await site.visit(`#/lessons/${slug}`);
      await settled(page);
      await page.focus("#guess");
      await page.keyboard.press("ArrowRight");
      expect(await page.innerText("output")).toBe((lesson.guess.start + 1).toLocaleString("en"));
      await page.keyboard.press("End");
      await page.waitForSelector("text=What happened");
      const text = await page.innerText("main");
      expect(text).toContain(lesson.answer[0]);
      expect(text).toMatch(/You guessed|Your guess was exact/);
      if (!isLong && slug !== "average") return;
      await page.goto(`${site.url}#/lessons/${slug}?print=handout`);
      await page.waitForSelector("text=Before the run");
      expect(await page.innerText("main")).toContain(lesson.questions[0]);
      await page.goto(`${site.url}#/lessons/${slug}?print=teacher`);
      await page.waitForSelector("text=How to teach it");
    },
  );
});

async function settledOpening(page: Page): Promise<void> {
  await page.waitForSelector("main.opening[data-loading=false]");
  await page.waitForFunction(() => /candidates are left/.test(document.querySelector(".status")?.textContent ?? ""));
}
