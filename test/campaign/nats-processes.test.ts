/** Campaigns over a real NATS server, with real workers: whatever is killed, the result is that of one machine. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { root, sortition } from "../cli/run.ts";
import { effort, isLong } from "../support/effort.ts";
import { NatsServer, natsProgram } from "../support/nats-server.ts";
import { Told, untimed } from "./queue.ts";

if (natsProgram() === null) {
  test("NOT TESTED: campaigns over NATS: there is no nats-server on this machine (test/support/servers.ts says why)", () => {
    expect(process.env.CI ?? "", "under CI all of it is tested").toBe("");
  });
}

describe.runIf(natsProgram() !== null)("campaigns over NATS", { timeout: effort(60_000, 240_000) }, () => {
  let server: NatsServer;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), "sortition-campaign-"));
  const processes: Told[] = [];

  beforeAll(async () => {
    // Results of more than a few rows go in parts.
    server = await NatsServer.start("max_payload: 16384");
    server.supervise();
    url = `nats://${server.place}`;
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.kill()));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const told = (...begun: ConstructorParameters<typeof Told>): Told => {
    const one = new Told(...begun);
    processes.push(one);
    return one;
  };
  const worker = async (...more: string[]) => {
    const one = told(["worker", "--nats", url, "--threads", "1", ...more]);
    await one.says("waits for campaigns");
    return one;
  };
  const submit = (...args: string[]) => told([...args, "--nats", url]);

  // A kernel would be through before anything happens.
  const LONG = [
    ...["simulate", "chang-roberts", "--kernel", "off", "--n", "1000", "--json", "--seed", "77"],
    ...["--trials", String(effort(400, 10_000))],
  ];

  test("equals one machine byte for byte: rows in parts, a sweep, a precision, a network from a file; two campaigns at once", async () => {
    await Promise.all([worker(), worker()]);
    const [rows, alone] = ["queue.csv", "alone.csv"].map((name) => join(folder, name));
    const few = ["simulate", "peterson", "--n", "50", "--trials", "600", "--seed", "9", "--json"];
    const sweep = ["sweep", "peterson,chang-roberts", "--vary", "n=10,30", "--trials", "60", "--seed", "3", "--json"];
    const precise = ["simulate", "quorum", "--n", "40", "--precision", "3%", "--seed", "4", "--json"];
    // Larger than a message may be.
    const network = join(folder, "network.txt");
    writeFileSync(
      network,
      Array.from({ length: 4000 }, (_, i) => `${i} ${(i * 7 + 1) % 4001}\n${i} ${i + 1}\n`).join(""),
    );
    const graph = ["simulate", "flood-max", "--topology", `file:${network}`, "--trials", "5", "--json"];
    for (const lines of [
      [[...few, "--out", rows], sweep],
      [precise, graph],
    ]) {
      const here = lines.map((line) => sortition(...line.map((word) => (word === rows ? alone : word))));
      const there = lines.map((line) => submit(...line));
      for (const [i, one] of there.entries()) {
        expect([one.stderr, await one.end()]).toEqual([expect.any(String), 0]);
        expect(untimed(one.stdout)).toEqual(untimed((await here[i]).stdout));
      }
    }
    expect(readFileSync(rows, "utf8")).toBe(readFileSync(alone, "utf8"));
  });

  test("workers killed and stopped, the server killed and away, a submitter killed and resumed: nothing is lost, nothing counted twice", async () => {
    const alone = sortition(...LONG, "--threads", "1");
    const [one, two] = await Promise.all([worker(), worker()]);
    const first = submit(...LONG);
    await one.says("takes part");
    await two.says("takes part");
    await one.kill();
    // Nobody works until the submitter is killed: so the campaign is not complete by then, on any machine.
    two.child.kill("SIGSTOP");
    await first.kill();
    const second = submit(...LONG, "--resume");
    await second.says("goes on with campaign");
    two.child.kill("SIGCONT");
    const three = await worker();
    await server.kill();
    two.child.kill("SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, effort(1000, 10_000)));
    await server.again();
    expect(await second.end()).toBe(0);
    expect(untimed(second.stdout)).toEqual(untimed((await alone).stdout));
    expect(await two.end()).toBe(0);
    three.child.kill("SIGTERM");
    expect(await three.end()).toBe(0);
    expect(three.stderr).toMatch(/has ended, after (no|\d+) chunks?/);
  });

  test.runIf(isLong)(
    "one whose submitter lives is not taken over; interrupted, it reports what it has and can be resumed",
    async () => {
      const first = submit(...LONG);
      await first.says("no worker takes part");
      const second = submit(...LONG, "--resume");
      expect(await second.end()).toBe(2);
      expect(second.stderr).toContain("whoever submitted it is still there");
      first.child.kill("SIGINT");
      expect(await first.end()).toBe(130);
      expect(JSON.parse(first.stdout)).toMatchObject({ partial: true, trials: 0 });
    },
  );

  test.runIf(isLong)(
    "a worker of another build, or without the protocol file, is refused in words on both sides",
    async () => {
      const other = join(folder, "other");
      for (const part of ["dist", "bin", "package.json"])
        cpSync(join(root, part), join(other, part), { recursive: true });
      symlinkSync(join(root, "node_modules"), join(other, "node_modules"));
      writeFileSync(join(other, "dist", "another.js"), "export {};\n");
      const stranger = told(["worker", "--nats", url, "--threads", "1"], join(other, "bin", "sortition.js"));
      await stranger.says("waits for campaigns");
      const without = await worker();
      const file = join(root, "examples/my-ring.ts");
      const line = ["simulate", "--protocol-file", file, "--n", "20", "--trials", "50", "--json"];
      const submitted = submit(...line);
      await stranger.says(/cannot take part in campaign .*its build is/);
      await without.says(/cannot take part in campaign .*--protocol-file/);
      await submitted.says(/cannot take part: its build is/);
      await submitted.says(/cannot take part: it has no protocol file/);
      await worker("--protocol-file", file);
      expect(await submitted.end()).toBe(0);
      expect(untimed(submitted.stdout)).toEqual(untimed((await sortition(...line)).stdout));
    },
  );

  test.runIf(isLong)(
    "a chunk that ends every thread it runs on is parked after three tries, and tried again when resumed",
    async () => {
      const [file, mended] = ["poison.ts", "mended"].map((name) => join(folder, name));
      writeFileSync(
        file,
        `import { existsSync } from "node:fs";
export const poison = {
  name: "poison",
  assumes: { topology: "ring", direction: "unidirectional" },
  init(params, self, saved, ctx) {
    if (ctx.coin(0.0005) && !existsSync(${JSON.stringify(mended)})) process.exit(1);
    ctx.send(0, self.id);
    return { id: self.id, leader: null };
  },
  receive(state, port, id, ctx) {
    if (id === state.id) state.leader = id;
    else if (id > state.id) ctx.send(0, id);
  },
  verdict: ({ id, leader }) => ({ status: leader === id ? "elected" : "not-elected", leader, term: 0 }),
};
`,
      );
      const first = await worker("--protocol-file", file);
      const line = ["simulate", "--protocol-file", file, "--n", "20", "--trials", "200", "--json"];
      const submitted = submit(...line);
      expect(await submitted.end()).toBe(2);
      expect(first.stderr).toMatch(/failed, try 3 of 3/);
      expect(submitted.stderr).toMatch(/trials \d+ to \d+ were parked: they were begun 3 times/);
      writeFileSync(mended, "");
      const again = submit(...line, "--resume");
      expect(await again.end()).toBe(0);
      expect(again.stderr).toContain("goes on with campaign");
      expect(untimed(again.stdout)).toEqual(untimed((await sortition(...line)).stdout));
    },
  );

  test("user and password, TLS, no server, no JetStream: it connects, or says why not", async () => {
    const made = await generate([{ name: "commonName", value: "nats" }], {
      keyType: "ec",
      extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
    });
    const [cert, key] = ["cert.pem", "key.pem"].map((name) => join(folder, name));
    writeFileSync(cert, made.cert);
    writeFileSync(key, made.private);
    const files = `cert_file: ${JSON.stringify(cert)}, key_file: ${JSON.stringify(key)}`;
    const guarded = await NatsServer.start(`tls { ${files} }\nauthorization { user: "ann", password: "not a secret" }`);
    try {
      const line = (place: string, ...more: string[]) => [
        "simulate",
        "peterson",
        "--n",
        "8",
        "--trials",
        "5",
        "--json",
        "--nats",
        place,
        ...more,
      ];
      const right = `tls://ann:not%20a%20secret@localhost:${guarded.port}`;
      const helper = told(["worker", "--nats", right, "--nats-ca", cert, "--threads", "1"]);
      await helper.says("waits for campaigns");
      expect(helper.stderr).not.toContain("secret");
      expect(await told(line(right, "--nats-ca", cert)).end()).toBe(0);
      const wrong: [string[], RegExp][] = [
        [line(`tls://ann:wrong@localhost:${guarded.port}`, "--nats-ca", cert), /does not accept these credentials/],
        [line(right), /its certificate is not trusted/],
        [line("nats://127.0.0.1:1"), /cannot connect to NATS at 127\.0\.0\.1:1: nobody listens there/],
        [line("http://127.0.0.1"), /the address of NATS is none/],
        [["simulate", "peterson", "--resume"], /--resume is for campaigns over --nats/],
      ];
      for (const [args, words] of wrong) {
        const refused = told(args);
        expect([args, await refused.end()]).toEqual([args, 2]);
        expect(refused.stderr).toMatch(words);
        expect(refused.stderr).not.toMatch(/secret|wrong@/);
      }
    } finally {
      await guarded.close();
    }
  });
});
