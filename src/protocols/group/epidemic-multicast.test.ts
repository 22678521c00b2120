import { describe, expect, test } from "vitest";
import { meanOf, means, trials } from "../../../test/support/groups.ts";
import { type EpidemicSetting, exactDelivery } from "../../theory/gupta/epidemic.ts";

const protocol = "epidemic-multicast";

const request = ({ n, multicastLoss, loss, fanout, rounds }: EpidemicSetting) => ({
  protocol,
  n,
  faults: { loss, multicastLoss },
  params: { fanout, rounds },
});

describe("the share of members reached is what the theory says: five standard errors, false alarm 6e-7 each", () => {
  test.each<EpidemicSetting>([
    { n: 20, multicastLoss: 0.5, loss: 0.1, fanout: 1, rounds: 3 },
    { n: 20, multicastLoss: 1, loss: 0.2, fanout: 2, rounds: 4 },
    { n: 60, multicastLoss: 0.9, loss: 0.3, fanout: 3, rounds: 4 },
    { n: 100, multicastLoss: 0.3, loss: 0, fanout: 1, rounds: 2 },
    { n: 5, multicastLoss: 0.7, loss: 0.5, fanout: 4, rounds: 2 },
  ])("%j", (setting) => {
    const runs = trials(request(setting), 1500);
    const delivered = meanOf(runs.map(({ measures }) => measures.delivered));
    const { delivery, everybody } = exactDelivery(setting);
    expect(Math.abs(delivered.mean - delivery)).toBeLessThan(5 * delivered.error);
    const all = runs.filter(({ outcome }) => outcome === "one").length / runs.length;
    expect(Math.abs(all - everybody!)).toBeLessThan(
      5 * Math.sqrt((everybody! * (1 - everybody!)) / runs.length) + 1e-3,
    );
  });
});

test("without loss the dissemination reaches everybody; gossip then costs offers and nothing else", () => {
  const [run] = trials({ protocol, n: 30, params: { fanout: 2, rounds: 3 } }, 1);
  expect(run).toMatchObject({ outcome: "one", messages: 1 + 30 * 2 * 3 });
  expect(run.measures).toMatchObject({ delivered: 1, multicasts: 1, offers: 180, requests: 0, retransmissions: 0 });
});

test("no gossip: what the dissemination loses stays lost", () => {
  const [run] = trials({ protocol, n: 30, faults: { multicastLoss: 1 }, params: { rounds: 0 } }, 1);
  expect(run).toMatchObject({ outcome: "none", messages: 1, measures: { delivered: 0, undecided: 29 } });
});

test("the default number of rounds repairs a dissemination that is lost entirely", () => {
  const { delivered } = means({ protocol, n: 200, faults: { multicastLoss: 1 }, params: { fanout: 2 } }, 20);
  expect(delivered.mean).toBeGreaterThan(0.999);
});

test("rounds in lock-step and events with fixed delays are the same", () => {
  const lossy = { protocol, n: 50, faults: { multicastLoss: 0.5, loss: 0.2 }, params: { fanout: 2, rounds: 4 } };
  expect(trials({ ...lossy, host: "lockstep" }, 5)).toEqual(trials({ ...lossy, host: "events" }, 5));
});

test("tau must be positive", () => {
  expect(() => trials({ protocol, n: 5, params: { tau: 0 } }, 1)).toThrow(/tau must be above 0/);
});
