/** Numbers and lists as people write them. */

/** "1 walk", "3 walks", "no walks". */
export const count = (n: number, noun: string, plural = `${noun}s`): string =>
  n === 0 ? `no ${plural}` : `${n} ${n === 1 ? noun : plural}`;

const MOST_NAMED = 4;

/** "M1", "M1 and M2", "M1, M2 and M3"; more than a few are counted. */
export function namesOrCount(items: readonly string[], noun: string): string {
  if (items.length > MOST_NAMED) return count(items.length, noun);
  if (items.length <= 1) return items[0] ?? count(0, noun);
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}
