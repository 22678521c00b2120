/** Stores over TLS by an authority of the user's, with passwords. PostgreSQL has a file of its own: postgres-tls.test.ts. */
import { expect, test } from "vitest";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import { localCertificate } from "../support/certificate.ts";
import { isLong } from "../support/effort.ts";
import { GO_ETCD, GO_NATS } from "../support/go-program.ts";
import { NATS } from "../support/nats-server.ts";
import { ETCD, etcdServer, natsServer, type PrivateServer, REDIS, redisServer } from "../support/private-server.ts";
import { type Program, programFile } from "../support/program.ts";
import { life } from "../support/register.ts";

interface Kind {
  readonly name: string;
  readonly program: Program;
  start(files: { readonly cert: string; readonly key: string }): Promise<PrivateServer>;
  /** With the right authority, with those that Node knows, and with the right authority and a wrong password. */
  address(place: string, query: string, password: string): string;
  /** What a member without the authority is told, and one with a wrong password; null: this server asks for none. */
  readonly refused: RegExp;
  readonly wrong: RegExp | null;
}

const UNTRUSTED = /self.signed|certificate/i;
const etcd = (name: string, program: Program): Kind => ({
  name,
  program,
  start: ({ cert, key }) => etcdServer(["--cert-file", cert, "--key-file", key], "https", program),
  address: (place, query) => `etcd://${place}?${query === "" ? "tls=on" : query}`,
  refused: UNTRUSTED,
  wrong: null,
});
const nats = (name: string, program: Program): Kind => ({
  name,
  program,
  start: ({ cert, key }) =>
    natsServer(["--tls", "--tlscert", cert, "--tlskey", key, "--user", "member", "--pass", "right"], program),
  // Its client compares names, and no addresses.
  address: (place, query, password) =>
    `nats://member:${password}@${place.replace("127.0.0.1", "localhost")}${query === "" ? "" : `?${query}`}`,
  refused: UNTRUSTED,
  wrong: /does not accept these credentials/,
});
const KINDS: readonly Kind[] = [
  etcd("etcd", ETCD),
  {
    name: "Redis",
    program: REDIS,
    start: ({ cert, key }) =>
      redisServer(
        [
          ...["--appendonly", "yes", "--requirepass", "right", "--tls-auth-clients", "no"],
          ...["--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert],
        ],
        true,
      ),
    address: (place, query, password) => `rediss://:${password}@${place}${query === "" ? "" : `?${query}`}`,
    refused: UNTRUSTED,
    wrong: /does not accept the password/,
  },
  nats("NATS", NATS),
  ...(isLong ? [etcd("present etcd", GO_ETCD), nats("present NATS", GO_NATS)] : []),
];

const A = life("A", 1, 600_000);

for (const { name, program, start, address, refused, wrong } of KINDS)
  test.skipIf(programFile(program) === null)(`${name} over TLS, by an authority of the user's alone`, async () => {
    const files = await localCertificate();
    const server = await start(files);
    const open = (query: string, password = "right") =>
      openEngine(address(server.place, query, password), {
        group: "g",
        requestTimeout: 5000,
        migrate: true,
        world: realWorld,
      });
    const trouble = async (query: string, password?: string) => {
      const engine = await open(query, password).catch((error: Error) => ({ trouble: error.message, close() {} }));
      await engine.close();
      return engine.trouble;
    };
    try {
      const engine = await open(`ca=${files.cert}`);
      expect(engine.trouble).toBeUndefined();
      expect(await engine.ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
      await engine.close();
      expect(await trouble("")).toMatch(refused);
      if (wrong === null) return;
      const said = await trouble(`ca=${files.cert}`, "hunter2");
      expect(said).toMatch(wrong);
      expect(said).not.toContain("hunter2");
    } finally {
      await server.close();
    }
  });

test("an authority that NATS is to be trusted by must be there", async () => {
  const options = { group: "g", requestTimeout: 5000, migrate: true, world: realWorld };
  await expect(openEngine("nats://127.0.0.1:1?ca=none.pem", options)).rejects.toThrow("ca: cannot read none.pem");
  await expect(openEngine("nats://127.0.0.1:1?cas=x", options)).rejects.toThrow('has "cas", which is none of ca');
});
