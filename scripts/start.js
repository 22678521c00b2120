/** `npm start`: the demo of the product, in this process, so that signals go where they belong. Plain JavaScript, as build.js is. */
process.argv.splice(2, 0, "demo");
await import("../bin/sortition.js");
