/**
 * filter-relay written a second time, from the paper and with nothing in common with the protocol: whole rounds at once, no
 * timers, no hosts, views as a matrix, members in a random order. It shows what the protocol's statistics should be.
 */
import type { Source } from "../../src/random/source.ts";

export interface ModelSetting {
  readonly n: number;
  readonly loss: number;
  readonly multicastLoss: number;
  readonly crash: number;
  readonly view: number;
  readonly K: number;
  readonly rounds: number;
  readonly suppression: "lossy" | "ideal";
  readonly expects: boolean;
}

export interface ModelRun {
  readonly rounds: number;
  readonly unicasts: number;
  readonly multicasts: number;
  readonly relays: number;
  readonly strong: number;
  readonly weak: number;
}

export function modelRun(setting: ModelSetting, source: Source): ModelRun {
  const { n, loss, multicastLoss, crash, view, rounds, suppression } = setting;
  const members = Array.from({ length: n }, (_, i) => i);
  const knows = members.map((i) => members.map((j) => i === j || source.coin(view)));
  const dead = members.map(() => false);
  const leader: (number | null)[] = members.map(() => null);
  let unicasts = 0;
  let multicasts = 0;
  let relayed = 0;
  const multicast = (from: number, act: (to: number) => void) => {
    multicasts++;
    for (const to of members) if (to === from || !source.coin(multicastLoss)) act(to);
  };
  let invited = new Set<number>();
  multicast(source.choose(n), (to) => invited.add(to));

  for (let round = 1; ; round++) {
    for (const i of members) if (source.coin(crash)) dead[i] = true;
    const K = round === rounds ? n : Math.min(n, setting.K * 2 ** (round - 1));
    const admitted = members.map(() => source.uniform() * n < K);
    const relays = shuffled(
      [...invited].filter((i) => admitted[i] && !dead[i]),
      source,
    );
    relayed += relays.length;
    const aware = new Set(round === 1 && setting.expects ? members : invited);
    const best = new Map(relays.map((i) => [i, knows[i].indexOf(true)]));
    const known = new Map(
      relays.map((i) => [i, new Set(members.filter((j) => j !== i && admitted[j] && knows[i][j]))]),
    );
    let travelling: { from: number; to: number; choice: number }[] = [];
    const send = (from: number, to: number) => {
      unicasts++;
      if (!source.coin(loss)) travelling.push({ from, to, choice: best.get(from)! });
    };
    for (const i of relays) for (const j of known.get(i)!) send(i, j);
    for (let step = 1; step <= 1.5 * K; step++) {
      const arriving = travelling;
      travelling = [];
      for (const { from, to, choice } of arriving) {
        if (dead[to]) continue;
        aware.add(to);
        const mine = best.get(to);
        if (mine === undefined) continue;
        known.get(to)!.add(from);
        knows[to][from] = true;
        if (choice < mine) {
          best.set(to, choice);
          for (const j of known.get(to)!) if (j !== from) send(to, j);
        } else if (choice > mine) send(to, from);
      }
    }
    const heard = members.map(() => new Set<number>());
    for (const i of relays) {
      multicast(i, (to) => {
        heard[to].add(best.get(i)!);
        aware.add(to);
      });
    }
    const playing = [...aware].filter((i) => !dead[i]);
    for (const i of playing) leader[i] = heard[i].size === 1 ? [...heard[i]][0] : null;
    const alarmed = shuffled(
      playing.filter((i) => leader[i] === null),
      source,
    );
    if (round === rounds || alarmed.length === 0) {
      return { rounds: round, unicasts, multicasts, relays: relayed, ...success(leader, dead) };
    }
    invited = new Set();
    for (const i of alarmed) {
      if (!invited.has(i) && (suppression === "lossy" || invited.size === 0)) multicast(i, (to) => invited.add(to));
    }
    for (const i of invited) leader[i] = null;
  }
}

function success(leader: readonly (number | null)[], dead: readonly boolean[]): { strong: number; weak: number } {
  const alive = leader.filter((_, i) => !dead[i]);
  const followers = new Map<number, number>();
  for (const l of alive) if (l !== null) followers.set(l, (followers.get(l) ?? 0) + 1);
  const strong = [...followers].some(([l, count]) => count === alive.length && !dead[l]);
  return { strong: strong ? 1 : 0, weak: Math.max(0, ...followers.values()) / alive.length };
}

function shuffled<X>(items: X[], source: Source): X[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = source.choose(i + 1);
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items;
}
