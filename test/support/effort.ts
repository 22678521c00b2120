/**
 * How much a test tries: `npm test` takes the first number, `npm run test:long` the second. The same code and the same
 * assertions; more seeds, more trials, larger groups.
 */
export const effort = (quick: number, long: number): number => (process.env.LONG === "1" ? long : quick);
