/** Which candidates no other beats: as few messages, as quick and as safe, and better in one of these. */

export interface Weighed {
  readonly datagrams: number;
  readonly time: number;
  readonly pMany: number;
  readonly split: number;
}

/** Chances are compared by their order of magnitude: parameters are chosen for a target, and what is left of it is chance. */
const magnitude = (p: number): number => Math.ceil(Math.log10(p));

const weightsOf = ({ datagrams, time, pMany, split }: Weighed): number[] => [
  datagrams,
  time,
  magnitude(pMany),
  splits({ split }) ? 1 : 0,
];

/** From this chance on a partition counts as one that gives two leaders. */
const SPLITS = 0.01;

/** Whether two may lead where the network falls in two. */
export const splits = ({ split }: Pick<Weighed, "split">): boolean => split > SPLITS;

export function frontierOf(all: readonly Weighed[]): boolean[] {
  const weights = all.map(weightsOf);
  const beats = (a: readonly number[], b: readonly number[]) =>
    a.every((weight, i) => weight <= b[i]) && a.some((weight, i) => weight < b[i]);
  return weights.map((one) => !weights.some((other) => beats(other, one)));
}
