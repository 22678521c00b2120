import { runAgain } from "./again.ts";

runAgain("lecture");
