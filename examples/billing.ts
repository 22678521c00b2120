/**
 * A program that charges each invoice once, by whoever leads, and the test that finds out that it does not: node billing.ts.
 * What is wrong with it: it leads when it reads what is open, and believes that it still does when it charges.
 */
import { TestGroup, type TestProcess } from "sortition/testing";

/**
 * Keeps what was charged. With `guarded` it refuses the charges of a leader once a newer one has been there. (A real guard verifies a
 * fence instead of a bare token: docs/guards.md.)
 */
function store(guarded: boolean) {
  const charges: string[] = [];
  let newest = 0n;
  const serve = async (request: Request) => {
    if (request.method === "GET") return Response.json(charges);
    const { invoice = null, token } = (await request.json()) as { invoice?: string; token: string };
    if (guarded && BigInt(token) < newest) return new Response("a newer leader was here", { status: 412 });
    newest = BigInt(token);
    if (invoice !== null) charges.push(invoice);
    return new Response("done");
  };
  return { charges, serve };
}

/** The program: clock and fetch are handed in, so that it runs on real ones as well. */
function biller({ member, clock, fetch }: TestProcess): void {
  member.lead(async ({ token, signal, check }) => {
    const post = (words: object) =>
      fetch("http://store/charges", { method: "POST", body: JSON.stringify({ ...words, token: String(token) }) });
    // Before it reads: from here on a guard refuses whoever led before.
    await post({});
    for (let number = 1; !signal.aborted; ) {
      const charged = (await (await fetch("http://store/charges")).json()) as string[];
      const invoice = `invoice ${number}`;
      check();
      if (charged.includes(invoice)) {
        number++;
        continue;
      }
      await clock.sleep(5); // makes the invoice ready
      await post({ invoice });
      await clock.sleep(100);
    }
  });
}

/** Leaders are paused for longer than their leases, at moments that follow from the seed. Gives what was charged twice. */
async function billed(seed: number, guarded: boolean): Promise<string[]> {
  const { charges, serve } = store(guarded);
  const group = await TestGroup.start({ seed, services: { "http://store": serve }, program: biller });
  for (let times = 0; times < 3; times++) {
    const leader = await group.untilLed();
    await group.run(700 + ((37 * seed) % 101));
    group.pause(leader, 6000);
    await group.run(9000);
  }
  return charges.filter((invoice, i) => charges.indexOf(invoice) !== i);
}

let seed = 1;
while ((await billed(seed, false)).length === 0) seed++;
process.stdout.write(`seed ${seed}: ${await billed(seed, false)} was charged twice\n`);
process.stdout.write(`seed ${seed} with a guard: ${(await billed(seed, true)).length} charged twice\n`);
