/** As many rounds as `tournament` plays by default. */
import { tournament } from "../src/protocols/complete/tournament.ts";
import { resolve } from "../src/simulation/settings.ts";

export const exactRounds = (n: number): number => Number(resolve({ protocol: tournament, n }).params.J);
