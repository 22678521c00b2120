import { runAgain } from "./again.ts";

runAgain("ramanathan");
