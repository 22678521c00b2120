/** Draws docs/figures/messages.svg: `node docs/figures/messages.ts`. Points are simulated, dashed lines are theory. */
import { writeFileSync } from "node:fs";
import { questionOf } from "../../src/campaign/question.ts";
import { simulate } from "../../src/campaign/simulate.ts";
import { predict } from "../../src/theory/predict.ts";

const SIZES = [4, 8, 16, 32, 64, 128, 256, 512, 1024];
const TRIALS = 200;
const COLOURS = {
  "hirschberg-sinclair": "#0072b2",
  peterson: "#d55e00",
  "itai-rodeh": "#009e73",
  "chang-roberts": "#cc79a7",
  "time-slice": "#666666",
};

const [width, height, left, right, top, bottom] = [720, 430, 70, 170, 40, 50];
const x = (n: number) => left + ((width - left - right) * Math.log2(n / 4)) / Math.log2(1024 / 4);
const HIGHEST = 35;
/** Messages are shown per process, so that growth as n log n is a straight line and growth as n a level one. */
const y = (messages: number, n: number) => height - bottom - ((height - top - bottom) * messages) / n / HIGHEST;
const at = (n: number, messages: number) => `${x(n).toFixed(1)},${y(messages, n).toFixed(1)}`;

const parts: string[] = [];
for (const messages of [0, 10, 20, 30]) {
  const row = y(messages, 1).toFixed(1);
  parts.push(`<line x1="${left}" x2="${width - right}" y1="${row}" y2="${row}" stroke="#ddd"/>`);
  parts.push(`<text x="${left - 8}" y="${row}" dy="4" text-anchor="end">${messages}</text>`);
}
for (const n of SIZES) {
  parts.push(`<text x="${x(n).toFixed(1)}" y="${height - bottom + 20}" text-anchor="middle">${n}</text>`);
}

let label = 0;
for (const [protocol, colour] of Object.entries(COLOURS)) {
  const expected = SIZES.map((n) => [n, predict(questionOf({ protocol, n }))?.messages ?? null] as const);
  const line = expected.flatMap(([n, messages]) => (messages === null ? [] : [at(n, messages)]));
  if (line.length > 0) {
    parts.push(`<polyline points="${line.join(" ")}" fill="none" stroke="${colour}" stroke-dasharray="5 4"/>`);
  }
  let end = 0;
  for (const n of SIZES) {
    const { messages } = await simulate({ protocol, n, trials: TRIALS });
    end = y(messages.mean!, n);
    parts.push(`<circle cx="${x(n).toFixed(1)}" cy="${end.toFixed(1)}" r="4" fill="${colour}"/>`);
  }
  // Names keep clear of the one above.
  label = Math.max(end, label + 18);
  parts.push(
    `<text x="${width - right + 12}" y="${label.toFixed(1)}" dy="4" fill="${colour}" font-weight="bold">${protocol}</text>`,
  );
}

writeFileSync(
  new URL("./messages.svg", import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" fill="#333">
<title>Messages per process to elect a leader on a ring</title>
<rect width="${width}" height="${height}" fill="#fff"/>
<text x="${left}" y="22" font-size="15" font-weight="bold">Messages per process to elect a leader on a ring (points: simulated, dashed: theory)</text>
<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">number of processes</text>
${parts.join("\n")}
</svg>
`,
);
