/** What is Kubernetes' own about its engine, on a real API server: rights, what kubectl shows, and the files of docs/deploy. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { LeaseEngine } from "../../src/live/engines/engine.ts";
import { openEngine } from "../../src/live/engines/open.ts";
import { realWorld } from "../../src/live/real-world.ts";
import type { LeaseAnswer, LeaseRequest } from "../../src/protocols/lease/messages.ts";
import { isLong } from "../support/effort.ts";
import { withKubernetes } from "../support/kubernetes-server.ts";
import { kubernetesStub } from "../support/kubernetes-stub.ts";
import { NEEDS_ROOT, notTested } from "../support/not-tested.ts";
import { life } from "../support/register.ts";

/** Milliseconds: longer than the slowest machine takes for a test. */
const TTL = 600_000;
const [A, B] = [life("A", 1, TTL), life("B", 2, TTL)];
const root = join(import.meta.dirname, "../..");
const DEPLOYMENT = join(root, "docs/deploy/kubernetes-leases.yaml");
const LIMIT = { timeout: 60_000, interval: 100 };

await kubernetesStub("what the Lease object shows", (stub) => {
  let wall = Date.UTC(2026, 0, 1);
  const open = (group: string) => {
    const world = { ...realWorld, wall: () => wall };
    return openEngine(`kubernetes:?kubeconfig=${stub.kubeconfig()}`, {
      group,
      requestTimeout: 20_000,
      migrate: true,
      world,
    });
  };
  const [FIRST, SECOND, THIRD] = [1, 2, 3].map((second) => `2026-01-01T00:00:0${second}.000000Z`);

  test("holders, since when, until when it was extended, and how often that has changed, as client-go counts", async () => {
    const engine = await open("shown");
    const step = async (request: LeaseRequest) => {
      wall += 1000;
      const answer = await engine.ask(request);
      return { answer, spec: stub.leases.get("sortition-shown")!.spec };
    };
    const first = await step(A.acquire("leader", "A1"));
    const held = { holderIdentity: "A", acquireTime: FIRST, leaseTransitions: 0, leaseDurationSeconds: TTL / 1000 };
    expect(first.spec).toEqual({ ...held, renewTime: FIRST });
    expect((await step(A.renew())).spec).toEqual({ ...held, renewTime: SECOND });
    const { token } = first.answer as { token: number };
    const released = await step(A.release("leader", "A1", token));
    expect(released.spec).toMatchObject({ holderIdentity: "", acquireTime: THIRD, leaseTransitions: 0 });
    expect((await step(B.acquire("leader", "B1"))).spec).toMatchObject({ holderIdentity: "B", leaseTransitions: 1 });
    const two = await step(A.acquire("other", "A2"));
    expect(two.spec).toMatchObject({ holderIdentity: "leader=B other=A", leaseTransitions: 2 });
    await engine.close();
  });

  test.each([
    ["jobs", "sortition-jobs"],
    ["a-1", "sortition-a-1"],
    ["Jobs", "sortition-x-2f17a0f8d518e491c5a0c490b2c19918"],
  ])("the object of group %s", async (group, name) => {
    const engine = await open(group);
    await engine.ask(A.acquire("leader", "A1"));
    expect([...stub.leases.keys()]).toContain(name);
    await engine.close();
  });
});

// npm run test:long builds the API server and runs what follows.
if (isLong)
  await withKubernetes("what is Kubernetes' own", (server) => {
    const engines: LeaseEngine[] = [];
    afterEach(async () => {
      await Promise.all(engines.splice(0).map((engine) => engine.close()));
    });
    async function open(group: string, config = server.kubeconfig()): Promise<LeaseEngine> {
      const options = { group, requestTimeout: 20_000, migrate: true, world: realWorld };
      const engine = await openEngine(`kubernetes:?kubeconfig=${config}`, options);
      engines.push(engine);
      return engine;
    }
    const shown = (group: string, field: string) =>
      server.kubectl("get", "lease", `sortition-${group}`, "--output", `jsonpath={.spec.${field}}`);

    test("kubectl shows who leads, for how long, and how often that has changed", async () => {
      const engine = await open("shown");
      const { token } = (await engine.ask(A.acquire("leader", "A1"))) as { token: number };
      expect(await server.kubectl("get", "lease", "sortition-shown")).toMatch(/HOLDER .*\nsortition-shown +A /);
      expect(await shown("shown", "leaseDurationSeconds")).toBe(String(TTL / 1000));
      const acquired = await shown("shown", "acquireTime");
      await engine.ask(A.renew());
      expect(await shown("shown", "acquireTime")).toBe(acquired);
      expect((await shown("shown", "renewTime")) > acquired).toBe(true);
      await engine.ask(A.release("leader", "A1", token));
      expect(await shown("shown", "holderIdentity")).toBe("");
      expect(await shown("shown", "leaseTransitions")).toBe("0");
      await engine.ask(B.acquire("leader", "B1"));
      expect([await shown("shown", "holderIdentity"), await shown("shown", "leaseTransitions")]).toEqual(["B", "1"]);
      await engine.ask(A.acquire("other", "A2"));
      expect(await shown("shown", "holderIdentity")).toBe("leader=B other=A");
    });

    test("an object that is removed under a member that runs is a conflict: made anew, it grants nothing for one TTL", async () => {
      const engine = await open("removed");
      expect(await engine.ask(A.acquire("leader", "A1"))).toMatchObject({ kind: "granted" });
      await server.kubectl("delete", "lease", "sortition-removed");
      expect(await engine.ask(A.renew())).toMatchObject({ kind: "ended" });
      expect(await engine.ask(B.acquire("leader", "B1"))).toMatchObject({ kind: "denied", why: "barred" });
    });

    test("a stranger and an account without rights are told in words", async () => {
      expect((await open("jobs", server.kubeconfig(server.port, "nobody"))).trouble).toContain(
        "does not know who this member is",
      );
      await server.kubectl("create", "serviceaccount", "poor");
      const token = (await server.kubectl("create", "token", "poor")).trim();
      expect((await open("jobs", server.kubeconfig(server.port, token))).trouble).toMatch(
        /lacks a right .*needs get, create and update of leases in apps/,
      );
    });

    test("more seats than one object can keep are refused in words, and the others stay", async () => {
      const engine = await open("many");
      const long = "x".repeat(1000);
      const refusal = await (async () => {
        for (let seat = 0; seat < 300; seat++) await engine.ask(A.acquire(`${seat}${long}`, `A${seat}`));
      })().catch((error: Error) => error.message);
      expect(refusal).toContain("do not fit into one Lease object (256 KiB)");
      const { leases } = (await engine.ask(A.renew())) as Extract<LeaseAnswer, { kind: "renewed" }>;
      expect(leases.length).toBeGreaterThan(50);
    });

    test.each(["rbac.yaml", "kubernetes-leases.yaml", "kubernetes.yaml"])("the server accepts %s", async (file) => {
      const said = await server.kubectl("apply", "--dry-run=server", "--filename", join(root, "docs/deploy", file));
      expect(said).toContain("(server dry run)");
    });

    if (process.getuid?.() !== 0) notTested("pods of the Deployment", `${NEEDS_ROOT}: a service account's folder`);
    else
      test("three processes set up as the pods of the Deployment: one leads, and after its death another", async () => {
        const pods = new Map<string, Pod>();
        const host = () => `127.${randomInt(2, 250)}.${randomInt(1, 250)}.${randomInt(1, 250)}`;
        const hosts = [host(), host(), host()];
        const token = (await server.kubectl("create", "token", "sortition")).trim();
        const key = join(tmpdir(), "sortition-pods.key");
        writeFileSync(key, `${Buffer.alloc(32, 7).toString("base64url")}\n`, { mode: 0o600 });
        const leading = () => [...pods.values()].filter(({ said }) => said.includes("leading")).map(({ name }) => name);
        try {
          for (const [index, at] of hosts.entries()) {
            const pod = startPod(`jobs-${index}`, at, { key, token, hosts, ca: server.ca, port: server.port });
            pods.set(pod.name, pod);
          }
          await expect.poll(leading, LIMIT).toHaveLength(1);
          const [first] = leading();
          expect(
            await shown("jobs", "holderIdentity"),
            [...pods.values()].map(({ errors }) => errors).join(),
          ).toContain(first);
          pods.get(first)!.child.kill("SIGKILL");
          await once(pods.get(first)!.child, "exit");
          pods.delete(first);
          await expect.poll(leading, LIMIT).toHaveLength(1);
          expect(await shown("jobs", "holderIdentity")).toContain(leading()[0]);
        } finally {
          for (const { child } of pods.values()) {
            child.kill("SIGTERM");
            await once(child, "exit");
          }
        }
      });
  });

interface Pod {
  readonly name: string;
  readonly child: ChildProcess;
  said: string;
  errors: string;
}

interface Place {
  readonly key: string;
  readonly token: string;
  readonly hosts: readonly string[];
  readonly ca: string;
  readonly port: number;
}

/** In a mount namespace of its own, where a service account's files are: name of the namespace, authority, token. Then the command. */
const IN_POD = `
set -e
mount -t tmpfs tmpfs /run
account=/run/secrets/kubernetes.io/serviceaccount
mkdir -p $account
printf apps > $account/namespace
cp "$1" $account/ca.crt
printf %s "$2" > $account/token
shift 2
exec "$@"
`;

/** The container of the Deployment, with its environment and its arguments, where the kubelet would start it. */
function startPod(name: string, ip: string, { key, token, hosts, ca, port }: Place): Pod {
  const [, deployment] = parseAllDocuments(readFileSync(DEPLOYMENT, "utf8")).map((each) => each.toJS());
  const [{ args, env }] = deployment.spec.template.spec.containers;
  const given: Record<string, string> = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) };
  for (const { name: variable, value, valueFrom } of env)
    given[variable] = value?.replace("$(POD_IP)", ip) ?? (valueFrom.fieldRef.fieldPath === "status.podIP" ? ip : name);
  // A service's name and a secret's folder are the cluster's.
  given.SORTITION_SEEDS = hosts.map((each) => `${each}:7001`).join();
  given.SORTITION_KEY_FILE = key;
  const command = [process.execPath, join(root, "bin/sortition.js"), ...args];
  const child = spawn("unshare", ["--mount", "sh", "-c", IN_POD, "pod", ca, token, ...command], {
    env: { ...process.env, ...given },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const pod: Pod = { name, child, said: "", errors: "" };
  child.stdout!.setEncoding("utf8").on("data", (text) => {
    pod.said += text;
  });
  child.stderr!.setEncoding("utf8").on("data", (text) => {
    pod.errors += text;
  });
  return pod;
}
