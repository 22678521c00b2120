import { runAgain } from "./again.ts";

runAgain("gupta");
