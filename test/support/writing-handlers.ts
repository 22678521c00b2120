/** Some tests watch hosts through handlers that write down what happens to them: each call must then run once. */
import { afterAll, beforeAll } from "vitest";
import { sampling } from "../../src/protocols/purity.ts";

export function letHandlersWrite(): void {
  beforeAll(() => {
    sampling.isOn = false;
  });
  afterAll(() => {
    sampling.isOn = true;
  });
}
