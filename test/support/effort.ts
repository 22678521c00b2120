/** Whether this is `npm run test:long`. */
export const isLong = process.env.LONG === "1";

/**
 * How much a test tries: `npm test` takes the first value, `npm run test:long` the second. The same code and the same
 * assertions; more seeds, more trials, larger groups.
 */
export const effort = <T>(quick: T, long: T): T => (isLong ? long : quick);
