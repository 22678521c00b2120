/** What leaves the Lab and what comes into it, in a real browser: links, pictures, films, frames, and protocols of the reader's own. */
import { buffer } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { inBrowser } from "../browser/browser.ts";
import { openSite, sentence, settled } from "./site.ts";

const site = openSite();
const RUN = "#/watch?protocol=chang-roberts&n=12&seed=3&e=30";

async function saved(page: Page, button: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return buffer(await download.createReadStream());
}

/** As on a busy machine: the recorder takes its first picture after the film should have ended. */
function beginLate(): void {
  const { start } = MediaRecorder.prototype;
  MediaRecorder.prototype.start = function (slice) {
    setTimeout(() => start.call(this, slice), 4_000);
  };
}

const MINE = `
import { defineProtocol } from "sortition/protocol";
const NEXT = 0;
export const myRing = defineProtocol({
  name: "my-ring",
  assumes: { topology: "ring", direction: "unidirectional" },
  init(_params, self, _saved, ctx) {
    if (self.initiator) ctx.send(NEXT, { kind: "elect", id: self.id });
    return { id: self.id, leader: null };
  },
  receive(state, _port, message, ctx) {
    if (message.kind === "leader") {
      if (state.leader !== null) return;
      state.leader = message.id;
      ctx.send(NEXT, message);
    } else if (message.id === state.id) {
      state.leader = state.id;
      ctx.send(NEXT, { kind: "leader", id: state.id });
    } else if (message.id > state.id) ctx.send(NEXT, message);
  },
  verdict: ({ id, leader }) => ({
    status: leader === null ? "undecided" : leader === id ? "elected" : "not-elected",
    leader,
    term: 0,
  }),
});
`;

inBrowser("shared", () => {
  test("a link from this machine says so, and takes the address of a Lab that others reach", async () => {
    const page = await site.visit(RUN);
    await settled(page);
    await page.click("button.share");
    await page.waitForSelector("dialog[open]");
    expect(await page.innerText("dialog[open]")).toContain("this link works on your machine only");
    await page.fill("dialog[open] input[type=url]", "https://example.org/lab");
    await page.waitForFunction(() =>
      document
        .querySelector<HTMLTextAreaElement>("[aria-label=Link]")
        ?.value.startsWith("https://example.org/lab/#/watch?"),
    );
    const frame = await page.inputValue("[aria-label=Embedding]");
    expect(frame).toMatch(/^<iframe src="https:\/\/example\.org\/lab\/\?embed=1#\/watch\?/);
    await page.keyboard.press("Escape");
  });

  test("a picture as SVG and PNG, and a film where the browser can record one", async () => {
    const page = await site.visit(RUN);
    await settled(page);
    await page.click("button.share");
    const svg = (await saved(page, "dialog[open] >> text=Save as SVG")).toString();
    const drawn = await page.evaluate((text) => {
      const picture = new DOMParser().parseFromString(text, "image/svg+xml");
      const is = (selector: string) => picture.querySelectorAll(selector).length;
      return [is("parsererror"), is("path"), is("image"), is("script, [onclick]"), picture.documentElement.textContent];
    }, svg);
    expect(drawn.slice(0, 1)).toEqual([0]);
    expect(drawn[1]).toBeGreaterThan(12);
    expect([drawn[2], drawn[3]]).toEqual([1, 0]);
    expect(drawn[4]).toContain("swallows id 3");
    const png = await saved(page, "dialog[open] >> text=Save as PNG");
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(png.length).toBeGreaterThan(20_000);
    const canFilm = await page.evaluate(
      () => typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm"),
    );
    expect(await page.locator("dialog[open] >> text=Save a film").count()).toBe(canFilm ? 1 : 0);
    if (canFilm) {
      await page.keyboard.press("Escape");
      await page.goto(`${site.url}#/watch?protocol=known-highest&n=3&seed=1`);
      await settled(page);
      await page.evaluate(beginLate);
      await page.click("button.share");
      const film = await saved(page, "dialog[open] >> text=Save a film");
      // The first bytes of Matroska, of which WebM is a kind.
      expect(film.subarray(0, 4).toString("hex")).toBe("1a45dfa3");
      expect(film.length).toBeGreaterThan(2_000);
    }
  });

  test("?embed=1 shows the run and nothing around it", async () => {
    const page = await site.open(`?embed=1${RUN}`, { viewport: { width: 960, height: 600 } });
    await settled(page);
    expect(await page.locator("header, footer, aside, [aria-label='The run']").count()).toBe(0);
    expect(await sentence(page)).toBe("Node 1 swallows id 3: its own id, 10, is larger.");
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    expect(height).toBeLessThanOrEqual(600);
    expect(await page.getAttribute("a.whole", "href")).not.toContain("embed");
    await page.close();
  });

  test("a protocol of the reader's own: watched, broken and swept, in a page that connects to nothing", async () => {
    const page = await site.open("#/lessons");
    const file = { name: "my-ring.js", mimeType: "text/javascript", buffer: Buffer.from(MINE) };
    await page.setInputFiles("input[type=file]", file);
    await page.waitForSelector("text=is a program");
    await page.addInitScript(() => {
      const asked = new Set<string>();
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (this: Worker, message: unknown, ...rest: unknown[]) {
        const text = JSON.stringify(message);
        if (text.includes('"fields"')) asked.add(/"protocol":"([\w-]+)"/.exec(text)?.[1] ?? "the default");
        Reflect.apply(postMessage, this, [message, ...rest]);
      };
      Object.assign(window, { askedProtocols: () => [...asked] });
    });
    await page.click("text=Open it there");
    await page.waitForURL(/own\.html/);
    await settled(page);
    // The page must not run the default protocol first.
    const asked = await page.evaluate(() => (window as unknown as { askedProtocols(): string[] }).askedProtocols());
    expect(asked).toEqual(["my-ring"]);
    expect(await page.inputValue("select[aria-label=protocol]")).toBe("my-ring");
    await page.keyboard.press("End");
    expect(await page.innerText(".status")).toMatch(/leads; \d+ of \d+ know it/);
    await page.keyboard.press("Home");
    for (let i = 0; i < 20; i++) await page.keyboard.press(".");
    await page.click("button:has-text('Crash')");
    await page.click("[data-node='4']");
    await page.waitForSelector("text=one fault by hand");
    await page.goto(`${site.url}own.html#/compare?protocols=my-ring,chang-roberts&vary=n=4,8&trials=10`);
    await page.waitForSelector("text=40 of 40 elections").catch(async (cause: Error) => {
      throw new Error(`${page.url()} shows:\n${await page.innerText("body")}`, { cause });
    });
    expect(await page.locator("[data-point='my-ring 8']").count()).toBe(1);
    await page.setInputFiles("input[type=file]", { ...file, buffer: Buffer.from("export const x = 1;") });
    await page.waitForSelector("text=exports no protocol");
    await page.setInputFiles("input[type=file]", {
      ...file,
      buffer: Buffer.from('import "https://example.org/x.js";'),
    });
    await page.waitForSelector("text=can be imported; bundle the rest");
    await page.close();
  });

  test("a protocol of the reader's own is there again after a step without an end has cost the worker", async () => {
    const page = await site.open("own.html#/lessons");
    await page.waitForSelector("text=Lessons");
    // Ids are 1 to n.
    const endless = MINE.replace("  receive(state, _port, message, ctx) {", "$&\n    while (message.id > 8);");
    await page.setInputFiles("input[type=file]", {
      name: "my-ring.js",
      mimeType: "text/javascript",
      buffer: Buffer.from(endless),
    });
    await page.waitForURL(/my-ring/);
    const go = (hash: string) =>
      page.evaluate((to) => {
        location.hash = to;
      }, hash);
    for (const trials of [10, 20]) {
      await go(`#/watch?protocol=my-ring&n=12&seed=${trials}`);
      await page.waitForSelector("text=The run is being computed");
      await go(`#/compare?protocols=my-ring,chang-roberts&vary=n=4,8&trials=${trials}`);
      const swept = page.getByText(`${4 * trials} of ${4 * trials} elections`);
      const alert = page.locator("[role=alert]");
      await swept.or(alert).first().waitFor();
      expect(await alert.allInnerTexts()).toEqual([]);
      await swept.waitFor();
    }
    await page.close();
  });

  test("such a file cannot connect to anything, and the other page does not run it at all", async () => {
    const page = await site.blank();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${site.url}own.html#/lessons`);
    await page.waitForSelector("text=Lessons");
    const spy = MINE.replace(
      "const NEXT = 0;",
      `const NEXT = 0; fetch("${site.url}agent.json?stolen").catch(() => {});`,
    );
    await page.setInputFiles("input[type=file]", {
      name: "spy.js",
      mimeType: "text/javascript",
      buffer: Buffer.from(spy),
    });
    await settled(page);
    await page.keyboard.press("End");
    expect(asked.filter((url) => url.includes("stolen"))).toEqual([]);
    await page.close();
  });
});
