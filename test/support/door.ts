/** Tables for checks of shape: values that a field may have, up to its limits, and values that it may not have. */

type Values = readonly unknown[];
export type Field = readonly [good: Values, bad: Values];

export const COUNT: Field = [
  [0, 1, Number.MAX_SAFE_INTEGER],
  [-1, 0.5, 2 ** 53, "1", null],
];
export const FLAG: Field = [
  [true, false],
  [0, 1, "true", null],
];
export const orNull = ([good, bad]: Field): Field => [
  [null, ...good],
  [...bad.filter((each) => each !== null), undefined],
];
/** A list of what passes, with one among them that does not. */
export const listOf = ([good, bad]: Field): Field => [
  [[], [...good]],
  ["x", null, {}, ...bad.map((each) => [...good, each])],
];

export type Fields = Readonly<Record<string, Field>>;
/** Objects with each value of each field once, and without each field. */
export function shaped(fields: Fields): Field {
  const first = Object.fromEntries(Object.entries(fields).map(([name, [good]]) => [name, good.at(-1)]));
  const each = (side: 0 | 1) =>
    Object.entries(fields).flatMap(([name, field]) => field[side].map((value) => ({ ...first, [name]: value })));
  const without = Object.keys(fields).map((name) => ({ ...first, [name]: undefined }));
  return [
    [...each(0), { ...first, more: 1 }],
    [...each(1), ...without, "x", 1, null],
  ];
}

/** A message of that kind. */
export const of = (kind: string, fields: Fields) => shaped({ kind: [[kind], []], ...fields });

/** What the door decides wrongly. */
export const wrong = (isIn: (value: unknown) => boolean, [good, bad]: Field) => [
  ...good.filter((value) => !isIn(value)),
  ...bad.filter(isIn),
];
