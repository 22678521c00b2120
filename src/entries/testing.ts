/**
 * A program of your own on a simulated group: virtual time, faults and seeds. Needs Node.
 *
 * @module sortition/testing
 */
export type { TestClock, TestService } from "../live/testing/clock.ts";
export { TestGroup, type TestGroupOptions, type TestProcess } from "../live/testing/test-group.ts";
export type { Conditions } from "../live/virtual-world.ts";
