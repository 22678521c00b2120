/** The browser's side of the test: runs the sample in a Web Worker. */
import { sample } from "./sample.ts";

declare const postMessage: (message: unknown) => void;

sample().then(
  (result) => postMessage({ result }),
  (error) => postMessage({ error: error.stack }),
);
