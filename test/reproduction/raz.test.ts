import { runAgain } from "./again.ts";

runAgain("raz");
