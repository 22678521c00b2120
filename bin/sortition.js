#!/usr/bin/env node
// This file must parse on every Node there ever was, so that too old a one can be told politely.
// bin/package.json makes it CommonJS, which all of them understand.
/* biome-ignore-all lint: syntax of 2009 on purpose */
"use strict";

var version = process.versions.node.split(".");
var major = Number(version[0]);
var minor = Number(version[1]);

// A member that is just starting reads its keys soon: this signal asks for that, and must not end the process.
if (/^(elect|group|agent|run)$/.test(process.argv[2])) process.on("SIGHUP", function () {});

if (major > 22 || (major === 22 && minor >= 13)) {
  require("../dist/cli/main.js").main(process.argv);
} else {
  process.stderr.write(
    "sortition: needs Node 22.13 or later, this is " + process.versions.node + "; see https://nodejs.org\n",
  );
  process.exit(2);
}
