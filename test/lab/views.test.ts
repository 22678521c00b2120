/** Lessons, Compare, Papers and files, in a real browser; and every view for those who cannot see it as drawn. */

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { sweep } from "../../src/campaign/sweep.ts";
import { explore } from "../../src/explorer/explore.ts";
import { pathOrdinals } from "../../src/explorer/ordinals.ts";
import { resolve, written as writtenSettings } from "../../src/simulation/settings.ts";
import { traceText } from "../../src/trace/file.ts";
import { tellPath, traceTrial } from "../../src/trace/replay.ts";
import { inBrowser } from "../browser/browser.ts";
import { root } from "../cli/run.ts";
import { isLong } from "../support/effort.ts";
import { faultsOf } from "./accessible.ts";
import { openSite, sentence, settled } from "./site.ts";

const { violation } = explore("chang-roberts", { n: 3, ids: [3, 1, 2], crashes: 1 });
const found = traceText(
  {
    trace: "exploration",
    protocol: "chang-roberts",
    request: { n: 3, ids: [3, 1, 2], crashes: 1 },
    path: pathOrdinals(violation!),
    property: violation!.property,
    what: violation!.what,
  },
  tellPath(violation!.problem, violation!.network, violation!.steps).events,
);

const site = openSite(new Map([["found.jsonl", Buffer.from(found)]]));

inBrowser("the other views", () => {
  test("Compare shows the numbers of the command line, and its files open", async () => {
    const sizes = [8, 16, 32];
    const plan = sizes.flatMap((n) =>
      ["chang-roberts", "referees"].map((protocol) => ({
        labels: { protocol, n },
        settings: resolve({ protocol, n, seed: 5 }),
        comparedWith: null,
      })),
    );
    const { points } = await sweep(plan, { trials: 30 });
    const page = await site.visit("#/compare?protocols=chang-roberts,referees&vary=n=8,16,32&trials=30&seed=5");
    await page.waitForSelector("text=180 of 180 elections");
    for (const { labels, values } of points) {
      const mean = await page.getAttribute(`[data-point="${labels.protocol} ${labels.n}"]`, "data-mean");
      expect([labels, Number(mean)]).toEqual([labels, values.messages.mean]);
    }
    expect(await page.innerText("main")).toContain(
      "sortition sweep chang-roberts,referees --vary n=8,16,32 --seed 5 --trials 30",
    );
    const saved: Record<string, Buffer> = {};
    for (const kind of ["SVG", "PNG", "CSV"]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text=Save as ${kind}`)]);
      saved[kind] = await buffer(await download.createReadStream());
    }
    expect(saved.PNG.subarray(1, 4).toString()).toBe("PNG");
    expect(saved.PNG.length).toBeGreaterThan(5_000);
    expect(saved.CSV.toString().split("\n")).toHaveLength(points.length + 2);
    expect(saved.SVG.toString()).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    const opened = await page.evaluate(
      (text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("path").length,
      saved.SVG.toString(),
    );
    expect(opened).toBeGreaterThan(8);
  });

  test("a sweep can be stopped, and what cannot be swept is said", async () => {
    // No kernel computes these: they take many times as long as a busy machine needs to click.
    const page = await site.visit("#/compare?protocols=peterson&vary=n=500,1000&trials=5000");
    await page.waitForSelector("text=of 10,000 elections");
    await page.click("text=Stop");
    await page.waitForSelector("text=Run again");
    await page.evaluate(() => {
      location.hash = "#/compare?protocols=peterson,<b>x</b>&vary=n=zero..&trials=10";
    });
    await page.waitForSelector("[role=alert]");
    expect(await page.locator("main b").count()).toBe(0);
  });

  test("the planner answers sliders", async () => {
    const page = await site.visit("#/compare/plan?n=100&loss=0&crash=0&success=0.99");
    await page.waitForSelector("text=Take referees");
    expect(await page.innerText("main")).toContain("sortition plan --n 100 --loss 0 --crash 0 --success 0.99");
    await page.getByLabel("the network has IP multicast").check();
    await page.waitForSelector("text=--success 0.99 --multicast");
  });

  test("Papers: claims by verdict, with figures, and a run of each here", async () => {
    const page = await site.visit("#/papers/kutten?verdict=does not hold");
    await page.waitForSelector("main section");
    const verdicts = await page.locator("main .verdict .words").allInnerTexts();
    expect(verdicts.length).toBeGreaterThan(2);
    expect(new Set(verdicts)).toEqual(new Set(["does not hold"]));
    // A figure of a run keeps its sizes, its colours and the ground behind its words, without a style of its own.
    await page.click("nav[aria-label=Texts] >> text=Ramanathan et al.");
    await page.locator("summary:has-text('Fig. 1: eight contenders')").click();
    await page.waitForSelector(".figure svg");
    const looks = await page.locator(".figure svg text").evaluateAll((all) =>
      all.map((one) => {
        const { fontSize, fill, paintOrder } = getComputedStyle(one);
        return `${fontSize} ${fill} ${paintOrder}`;
      }),
    );
    expect(looks[0]).toBe("16px rgb(21, 25, 31) normal");
    expect(looks).toContain("12px rgb(27, 84, 168) stroke");
    await page.click("nav[aria-label=Texts] >> text=Gupta et al.");
    await page.waitForSelector("text=Fig. 2: one round");
    await page.locator("summary:has-text('Figure: ')").first().click();
    await page.waitForSelector(".figure svg");
    await page.click("section:has-text('Fig. 2: one round') >> text=Run it here");
    await settled(page);
    expect(await page.inputValue("select[aria-label=protocol]")).toBe("filter-relay");
    // The claim goes along.
    await page.waitForSelector("[aria-label='The claim'] >> text=Back to the claim");
    await page.click("text=More");
    expect(await page.locator(".more [aria-label=multicast-loss]").count()).toBe(1);
    await page.goto(`${site.url}#/watch?protocol=peterson&n=6&seed=3`);
    await settled(page);
    const more = page.locator(".more input, .more select");
    if ((await more.count()) === 0) await page.click("text=More");
    expect(await page.locator(".more [aria-label=multicast-loss], .more [aria-label=walk]").count()).toBe(0);
  });

  test("a counterexample of the explorer opens, from the server and dropped on the page", async () => {
    const page = await site.open("#/watch?open=found.jsonl");
    await page.waitForSelector("text=Close it");
    await settled(page);
    expect(await page.innerText("[aria-label='The run']")).toContain('It breaks the promise "');
    await page.keyboard.press("End");
    expect(await page.innerText(".status")).toContain("Nobody leads");
    const { events } = traceTrial(resolve({ protocol: "peterson", n: 6, seed: 9 }), 0);
    const recorded = traceText(
      { trace: "simulation", settings: writtenSettings(resolve({ protocol: "peterson", n: 6, seed: 9 })), trial: 0 },
      events,
    );
    await page.setInputFiles("input[type=file]", {
      name: "run.jsonl",
      mimeType: "text/plain",
      buffer: Buffer.from(recorded),
    });
    await page.waitForSelector("text=run.jsonl");
    await settled(page);
    await page.keyboard.press("End");
    await page.waitForFunction(() => /leads;/.test(document.querySelector(".status")?.textContent ?? ""));
    await page.setInputFiles("input[type=file]", {
      name: "<b>.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("nonsense"),
    });
    await page.waitForSelector("text=is not JSON");
    expect(await sentence(page)).not.toContain("nonsense");
    await page.close();
  });

  test("works as static files under any path, and keeps its policy by itself", async () => {
    const types: Record<string, string> = {
      html: "text/html",
      js: "text/javascript",
      css: "text/css",
      svg: "image/svg+xml",
    };
    const server = createServer(({ url = "" }, response) => {
      const [, path] = /^\/some\/where\/([\w./-]*)$/.exec(url) ?? [];
      const file = join(root, "dist/lab", path === "" ? "index.html" : (path ?? "none"));
      if (path === undefined || !existsSync(file)) return void response.writeHead(404).end();
      response
        .writeHead(200, { "content-type": types[file.split(".").at(-1)!] ?? "font/woff2" })
        .end(readFileSync(file));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const page = await site.blank();
    try {
      const missing: string[] = [];
      page.on("response", (answer) => answer.status() >= 400 && missing.push(answer.url()));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/some/where/#/watch?n=5&e=9`);
      await settled(page);
      expect(await sentence(page)).toMatch(/^Node \d/);
      expect(missing).toEqual([]);
      // Its own policy forbids what a stranger might put into it.
      const ran = await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "window.foreign = true";
        document.head.append(script);
        return "foreign" in window;
      });
      expect(ran).toBe(false);
    } finally {
      await page.close();
      server.close();
      server.closeAllConnections();
    }
  });

  const VIEWS = [
    "#/watch?protocol=chang-roberts&n=12&seed=3&e=40&sel=9&fault=20:crash:1",
    "#/watch?protocol=tournament&n=100&seed=3&e=400",
    "#/watch?protocol=tournament-async&n=4&seed=16&delay=uniform:0.2..1&beside=printed&e=30",
    "#/watch?protocol=chang-roberts&n=5000",
    "#/lessons",
    "#/lessons/average?guess=500&answer=shown",
    "#/compare?protocols=peterson&vary=n=8,16&trials=10",
    "#/compare/plan?n=50",
    "#/papers/lecture?verdict=does not hold",
  ];

  test.each(VIEWS.filter((_, i) => isLong || i % 2 === 0))(
    "axe-core finds nothing serious, light and dark, in %s",
    async (view) => {
      const page = await site.visit(view);
      await page.setViewportSize({ width: VIEWS.indexOf(view) % 2 === 0 ? 1440 : 390, height: 900 });
      await page.waitForSelector("main[data-loading=false] h2, main:not([data-loading]) h1", { state: "attached" });
      expect(await faultsOf(page)).toEqual([]);
      await page.setViewportSize({ width: 1440, height: 900 });
    },
  );
});
