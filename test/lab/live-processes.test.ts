/** Live, in a real browser, on a group of real agents: who is killed, resigns, hands over, stands still; and the page without an agent. */

import { once } from "node:events";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { serveDemo } from "../../src/cli/commands/demo/server.ts";
import { inBrowser } from "../browser/browser.ts";
import { root } from "../cli/run.ts";
import { isLong } from "../support/effort.ts";
import { faultsOf } from "./accessible.ts";
import { type Agent, type Agents, LEASE, startAgents, TOKEN } from "./agents.ts";
import { openSite } from "./site.ts";

/** A dozen for the picture in the docs: `PICTURES=write npx vitest run test/lab/live-processes.test.ts`. */
const writes = process.env.PICTURES === "write";
const NAMES = Array.from({ length: writes ? 12 : 4 }, (_, i) => `agent-${String(i + 1).padStart(2, "0")}`);

const site = openSite();

const shows = (page: Page, leader: string) => page.waitForSelector(`main[data-phase=live] h2[data-leader="${leader}"]`);
const sentence = (page: Page) => page.innerText("h2.sentence");

/** Whether the page soon has a term that began as somebody asked for it. */
const showsPlanned = (page: Page): Promise<boolean> =>
  page.waitForSelector("[aria-labelledby=terms-title] tbody tr:has-text('planned')", { timeout: 8_000 }).then(
    () => true,
    () => false,
  );

/** Answers with the status of the leader's agent. */
async function transfer(leader: Agent, heir: Agent): Promise<number> {
  const { status } = await fetch(`${leader.url}/v1/transfer`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ to: heir.name }),
  });
  return status;
}

inBrowser("Live", () => {
  let agents: Agents;
  beforeAll(async () => {
    agents = await startAgents(NAMES);
  });
  afterAll(() => agents?.close());
  const problems: string[] = [];
  afterEach(() => expect(problems.splice(0)).toEqual([]));
  const asked: string[] = [];

  async function open(
    { url }: Pick<Agent, "url">,
    query = `?token=${TOKEN}`,
    context: BrowserContext | null = null,
  ): Promise<Page> {
    const options = { viewport: { width: 1440, height: 900 }, colorScheme: "light" } as const;
    const page = await (context === null ? site.blank(options) : context.newPage());
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${url}/#/live${query}`);
    return page;
  }

  /** Somebody who does not lead, and who stays. */
  let watched!: Agent;
  let page!: Page;

  test("shows members, leader, term and token of a real group; the bearer token is in no address", async () => {
    const leader = await agents.leader();
    watched = agents.all.find((one) => one !== leader)!;
    page = await open(watched);
    await shows(page, leader.name);
    expect(await sentence(page)).toMatch(new RegExp(`^${leader.name} leads term \\d+\\.$`));
    expect(await page.innerText(".status")).toMatch(/^Token [\d,]+\. /);
    expect(await page.innerText(".status")).toContain(`only ${leader.name}'s own page can tell`);
    expect(await page.locator("[role=option]").count()).toBe(NAMES.length);
    expect(await page.getAttribute(`[data-name="${leader.name}"]`, "aria-label")).toBe(`${leader.name}, leads`);
    expect(page.url()).toBe(`${watched.url}/lab/#/live`);
    await page.waitForFunction(() =>
      /datagrams\/s, [\d.]+ kB/.test(document.querySelector("aside")?.textContent ?? ""),
    );
    expect(asked.filter((url) => url.includes(TOKEN) || !url.startsWith(watched.url))).toEqual([]);
    expect(asked.length).toBeGreaterThan(5);
  });

  test("follows a fail-over: the leader is killed, and the page shows the new one", async () => {
    const dead = await agents.leader();
    const before = Number(await page.getAttribute("h2.sentence", "data-term"));
    const killed = performance.now();
    dead.process.kill("SIGKILL");
    await page.waitForFunction(
      ([name, term]) => {
        const { leader, term: now } =
          document.querySelector<HTMLElement>("main[data-phase=live] h2.sentence")?.dataset ?? {};
        return leader !== undefined && leader !== "" && leader !== name && Number(now) > term;
      },
      [dead.name, before] as const,
    );
    const seen = performance.now() - killed;
    const leader = await agents.leader();
    await shows(page, leader.name);
    process.stdout.write(
      `Live shows the next leader ${(seen / 1000).toFixed(1)} s after a SIGKILL, with leases of ${LEASE / 1000} s\n`,
    );
    await page.waitForSelector(`[data-name="${dead.name}"].failed`);
    const rows = await page.locator("[aria-labelledby=terms-title] tbody tr").allInnerTexts();
    expect(rows[0]).toContain(leader.name);
    expect(rows[1]).toContain(dead.name);
    // How long nobody led is between nothing and all of it.
    expect(rows[0]).toMatch(/\t[\d.]+ m?s\tleads$/);
    expect(await page.innerText("[aria-labelledby=happened-title]")).toContain(`${dead.name} is taken for dead`);
    if (!writes) return;
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.click(`[data-name="${watched.name}"]`);
    // Some of the time line, and of the traffic.
    await page.waitForFunction(() => performance.now() > 20_000);
    await page.screenshot({ path: join(root, "docs/figures/lab-live.png") });
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("axe-core finds nothing serious in light and dark, at 360 pixels; the table has everybody", async () => {
    if (isLong) expect(await faultsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    await page.click("button:has-text('Table')");
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.locator("[aria-labelledby=members-title] tbody tr").count()).toBe(NAMES.length);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.click("button:has-text('Map')");
    await page.focus("[role=listbox]");
    await page.keyboard.press("End");
    await page.waitForSelector(`[role=option][aria-selected=true][data-name="${NAMES.at(-1)}"]`);
    await page.waitForFunction(() => location.hash.includes("sel=agent-"));
  });

  test("the leader's own page counts its lease down, hands over and resigns by a click", async () => {
    const leader = await agents.leader();
    const own = await open(leader);
    await shows(own, leader.name);
    const left = Number(/([\d.]+) s left/.exec(await own.innerText("[data-left]"))?.[1]);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(LEASE / 1000);
    const heir = agents.all.find((one) => one !== leader && one.process.signalCode === null)!;
    await own.click(`[data-name="${heir.name}"]`);
    const began = performance.now();
    await own.click(`button:has-text('Transfer to ${heir.name}')`);
    await own.waitForSelector(`text=${heir.name} leads "leader" now.`);
    const took = performance.now() - began;
    process.stdout.write(`a hand-over with Live open took ${took.toFixed(0)} ms, with leases of ${LEASE / 1000} s\n`);
    // A page that looks is promised nothing, since whoever leads would have to keep it before it hands over.
    expect(asked.filter((url) => /\/v1\/(offices|leader|fence)/.test(url))).toEqual([]);
    await shows(own, heir.name);
    await shows(page, heir.name);
    // What was asked for is no outage, on the page that asked and on any other.
    for (const one of [own, page]) {
      // On a busy machine a lease may run out before it is handed over, or after it: then somebody else takes over, and hands over again.
      while (!(await showsPlanned(one))) {
        const from = await agents.leader();
        await transfer(from, agents.all.find((each) => each !== from && each.process.signalCode === null)!);
      }
    }
    const { name, url } = await agents.leader();
    if (name !== leader.name)
      await own.waitForSelector(`[aria-label=Act]:has-text("Open the page of ${name}'s agent")`);
    await own.close();
    const next = await open({ url });
    await next.click(`button:has-text('Let ${name} resign')`);
    await next.waitForSelector(`text=${name} has given up "leader".`);
    await next.close();
  });

  test.runIf(isLong)("seven tabs of one browser, which opens six connections, all show who leads", async () => {
    const leader = await agents.leader();
    const context = await site.context({ viewport: { width: 480, height: 320 } });
    const tabs = await Promise.all(Array.from({ length: 7 }, () => open(watched, "", context)));
    await Promise.all(tabs.map((tab) => shows(tab, leader.name)));
    const words = await Promise.all(tabs.map((tab) => tab.innerText("[role=status]")));
    expect(words.filter((text) => text.includes("asks once a second")).length).toBe(3);
    const heir = agents.all.find((one) => one !== leader && one.process.signalCode === null)!;
    expect(await transfer(leader, heir)).toBe(200);
    await Promise.all(tabs.map((tab) => shows(tab, heir.name)));
    expect(await tabs[0].locator("[aria-labelledby=terms-title] tbody tr").count()).toBeGreaterThan(1);
    await context.close();
  });

  test("without the token, and with a wrong one, it says what is needed and nothing changes", async () => {
    const leader = await agents.leader();
    const own = await open(leader, "?token=not-the-token-of-this-agent");
    await shows(own, leader.name);
    await own.click(`button:has-text('Let ${leader.name} resign')`);
    await own.waitForSelector("text=the bearer token is not the agent's");
    await own.click("text=Forget it");
    expect(await own.isDisabled(`button:has-text('Let ${leader.name} resign')`)).toBe(true);
    await shows(own, leader.name);
    await own.fill("#bearer", TOKEN);
    await own.click("text=Use it");
    await shows(own, leader.name);
    expect(await own.isEnabled(`button:has-text('Let ${leader.name} resign')`)).toBe(true);
    await own.reload();
    await shows(own, leader.name);
    expect(await own.innerText("[aria-label=Act]")).toContain("A bearer token is used");
    await own.close();
  });

  test("a connection that is lost is shown, with everything greyed and nothing to click; then it comes back, or not", async () => {
    // One that stands still answers nothing, though its connections are open.
    watched.process.kill("SIGSTOP");
    const stopped = performance.now();
    await page.waitForSelector("main.lost");
    const silent = performance.now() - stopped;
    await page.waitForSelector("main.lost[data-phase=lost]");
    expect(await page.innerText("[role=status]")).toMatch(/Connection lost\.\s+Last heard [\d.]+ m?s ago/);
    expect(await page.locator("[aria-label=Act] .buttons button:enabled").count()).toBe(0);
    watched.process.kill("SIGCONT");
    await page.waitForSelector("main[data-phase=live]");
    const gone = performance.now();
    watched.process.kill("SIGKILL");
    await page.waitForSelector("main.lost[data-phase=lost]");
    process.stdout.write(
      `Live shows a lost connection ${((performance.now() - gone) / 1000).toFixed(1)} s after the agent's end, ${(silent / 1000).toFixed(1)} s after it was paused\n`,
    );
    expect(await sentence(page)).not.toContain("left.");
    await page.close();
  });

  test("in the demo the leader is killed, paused and continued by a click, and its lease is known whoever is asked", async () => {
    const state = new Map<string, "paused">();
    const demo = await serveDemo({
      port: 0,
      token: TOKEN,
      agents: () =>
        agents.all.map(({ name, url, process: { pid, signalCode } }) => ({
          name,
          url,
          pid: pid!,
          state: signalCode === null ? (state.get(name) ?? "running") : "dead",
        })),
      leader: () => leading,
      async act(act, name) {
        const { process: child } = agents.agent(name);
        child.kill(act === "kill" ? "SIGKILL" : act === "pause" ? "SIGSTOP" : "SIGCONT");
        if (act === "pause") state.set(name, "paused");
        else state.delete(name);
        if (act === "kill" && child.signalCode === null) await once(child, "exit");
        if (act !== "resume") demo.cut(name);
      },
    });
    const found = await agents.leader();
    const { name, url, process: child } = found;
    const leading = { name, url, pid: child.pid!, state: "running" as const };
    const own = await open({ ...found, url: demo.url });
    await shows(own, name);
    await own.waitForSelector("[data-left]");
    expect(own.url()).not.toContain(TOKEN);
    // What happened before this page was opened is on its time line.
    expect(await own.locator("[aria-labelledby=terms-title] tbody tr").count()).toBeGreaterThan(1);
    // Whom the page shows as leader in the very moment of the click: on a busy machine another one may lead a moment later.
    const clickLeaders = async (words: string): Promise<Agent> => {
      const led = await own.waitForFunction((text) => {
        const { leader } = document.querySelector<HTMLElement>("main[data-phase=live] h2.sentence")?.dataset ?? {};
        const buttons = document.querySelectorAll<HTMLButtonElement>("[aria-label=Act] button:enabled");
        const button = [...buttons].find(({ textContent }) => textContent === text);
        if (leader === undefined || leader === "" || button === undefined) return null;
        button.click();
        return leader;
      }, words);
      return agents.agent((await led.jsonValue())!);
    };
    const paused = await clickLeaders("Pause the leader");
    await own.waitForSelector(`text=${paused.name} is paused.`);
    expect([...state]).toEqual([[paused.name, "paused"]]);
    await own.waitForSelector(`[data-name="${paused.name}"].paused`);
    await own.click(`[data-name="${paused.name}"]`);
    await own.click("button:has-text('Resume ')");
    await own.waitForSelector(`text=${paused.name} goes on.`);
    expect([...state]).toEqual([]);
    const victim = await clickLeaders("Kill the leader");
    await own.waitForSelector(`text=${victim.name} was killed.`);
    await own.waitForSelector(`[data-name="${victim.name}"].failed`);
    expect(victim.process.signalCode).toBe("SIGKILL");
    expect(await own.locator("button:has-text('Start all')").count()).toBe(1);
    await own.close();
    await demo.close();
  });

  test("a page that no agent has served says how to get one", async () => {
    // Which complains of nothing in the console, such as a question that the server does not know.
    const alone = await site.open("#/live");
    await alone.waitForSelector("main[data-phase=nobody] >> text=This page was not served by an agent");
    expect(await alone.innerText("main")).toContain("npm start");
    expect(await alone.innerText("main")).toContain("sortition agent");
    expect(await faultsOf(alone)).toEqual([]);
    await alone.close();
  });
});
