import { runAgain } from "./again.ts";

runAgain("kutten");
