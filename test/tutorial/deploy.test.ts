/** The files of docs/deploy say what the agent understands: held against its own schema. What runs them (systemd, Docker, Kubernetes) is not here. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { configure } from "../../src/live/agent/config.ts";
import { root } from "../cli/run.ts";

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
    expect([bin, config, file]).toEqual(["/usr/local/bin/sortition", "--config", "/etc/sortition/agent.yaml"]);
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
  const [service, set, policy] = documents.map((document) => document.toJS());
  expect([service.kind, set.kind, policy.kind]).toEqual(["Service", "StatefulSet", "NetworkPolicy"]);
  const { labels } = set.spec.template.metadata;
  expect([service.spec.selector, set.spec.selector.matchLabels, policy.spec.podSelector.matchLabels]).toEqual(
    Array(3).fill(labels),
  );
  const { initContainers, volumes } = set.spec.template.spec;
  const [{ env, ports, args, restartPolicy, volumeMounts }] = initContainers;
  expect([args, restartPolicy]).toEqual([["agent"], "Always"]);
  const variables = Object.fromEntries(
    env.map(({ name, value }: { name: string; value?: string }) => [
      name,
      value?.replace("$(POD_IP)", "10.1.2.3") ?? "jobs-0",
    ]),
  );
  const settings = settingsOf(variables);
  expect(settings).toMatchObject({ name: "jobs-0", bind: `10.1.2.3:${ports[0].containerPort}` });
  expect(settings.seeds).toEqual([`${service.metadata.name}:${service.spec.ports[0].port}`]);
  expect(set.spec.serviceName).toBe(service.metadata.name);
  expect(service.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
  const names = (each: { name: string }[]) => each.map(({ name }) => name).sort();
  expect(names(volumes)).toEqual(names(volumeMounts));
  // 0440 in YAML 1.2 is four hundred and forty; Kubernetes reads YAML 1.1, where it is octal.
  expect(read("kubernetes.yaml")).toContain("defaultMode: 0440");
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
