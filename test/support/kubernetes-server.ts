/**
 * A real API server of Kubernetes on an etcd of its own: no kubelet and no controllers, so nothing runs in it. A service account has the
 * rights of docs/deploy/rbac.yaml and no others.
 */
import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import { localCertificate } from "./certificate.ts";
import { API_SERVER, findGoProgram, GO_ETCD, KUBECTL, versionOf } from "./go-program.ts";
import { notTested } from "./not-tested.ts";
import { freePort } from "./ports.ts";
import { etcdServer, PrivateServer } from "./private-server.ts";

/** Where members are. */
export const NAMESPACE = "apps";
export const RBAC = fileURLToPath(new URL("../../docs/deploy/rbac.yaml", import.meta.url));

/** What must have been built for it (go-program.ts). */
export const KUBERNETES = [API_SERVER, KUBECTL, GO_ETCD];
export const kubernetesVersion = (): string => versionOf(API_SERVER);

const run = promisify(execFile);

export class KubernetesServer {
  readonly port: number;
  readonly etcd: PrivateServer;
  readonly api: PrivateServer;
  /** Of an administrator. */
  readonly token: string;
  readonly ca: string;
  private readonly folder: string;
  private memberToken = "";

  private constructor(etcd: PrivateServer, api: PrivateServer, token: string, ca: string, folder: string) {
    this.etcd = etcd;
    this.api = api;
    this.port = api.port;
    this.token = token;
    this.ca = ca;
    this.folder = folder;
  }

  static async create(): Promise<KubernetesServer> {
    const folder = mkdtempSync(join(tmpdir(), "sortition-kubernetes-"));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const token = randomBytes(16).toString("hex");
    const { cert: ca, key } = await localCertificate();
    const account = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const [etcd, port] = [await etcdServer([], "http", GO_ETCD), await freePort()];
    const flags = [
      ...["--etcd-servers", `http://${etcd.place}`, "--bind-address", "127.0.0.1", "--secure-port", String(port)],
      ...["--tls-cert-file", ca, "--tls-private-key-file", key],
      ...["--authorization-mode", "RBAC", "--token-auth-file", file("tokens", `${token},root,root,system:masters\n`)],
      ...["--service-account-issuer", "https://kubernetes.default.svc", "--service-cluster-ip-range", "10.0.0.0/24"],
      ...["--service-account-key-file", file("account.pub", account.publicKey)],
      ...["--service-account-signing-key-file", file("account.key", account.privateKey)],
      // It is the only one, and nothing reaches it through a service.
      ...["--endpoint-reconciler-type", "none"],
    ];
    const server = new KubernetesServer(etcd, new PrivateServer(API_SERVER, port, () => flags), token, ca, folder);
    try {
      await server.up();
      await server.kubectl("create", "namespace", NAMESPACE);
      await server.kubectl("apply", "--filename", RBAC);
      server.memberToken = (await server.kubectl("create", "token", "sortition", "--duration", "10h")).trim();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  /** For members, with the rights of their service account; `port`: of a proxy in front of the server. */
  kubeconfig(port = this.port, token = this.memberToken): string {
    const file = join(this.folder, `config-${port}-${token.slice(-8)}`);
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "tests",
      contexts: [{ name: "tests", context: { cluster: "real", user: "me", namespace: NAMESPACE } }],
      clusters: [{ name: "real", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": this.ca } }],
      users: [{ name: "me", user: { token } }],
    };
    writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    return file;
  }

  /** As an administrator, in the members' namespace. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const config = this.kubeconfig(this.port, this.token);
    const home = { ...process.env, HOME: this.folder };
    const { stdout } = await run(findGoProgram(KUBECTL)!, ["--kubeconfig", config, ...args], { env: home });
    return stdout;
  }

  async start(): Promise<void> {
    await this.etcd.start();
    await this.up();
  }

  /** Both at once, as where the machine dies. */
  async kill(): Promise<void> {
    await Promise.all([this.api.kill(), this.etcd.kill()]);
  }

  pause(): void {
    this.api.pause();
  }

  resume(): void {
    this.api.resume();
  }

  /** A copy of all objects, of a server that is down; `restore` puts it back. */
  copy(): void {
    this.etcd.copy();
  }

  restore(): void {
    this.etcd.restore();
  }

  async close(): Promise<void> {
    await Promise.all([this.api.close(), this.etcd.close()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What it says of itself, as an administrator sees it. */
  get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.token}` };
      const asked = request(
        { host: "127.0.0.1", port: this.port, path, headers, rejectUnauthorized: false },
        async (response) => {
          let text = "";
          for await (const part of response.setEncoding("utf8")) text += part;
          resolve({ status: response.statusCode!, text });
        },
      );
      asked.on("error", reject);
      asked.end();
    });
  }

  private async up(): Promise<void> {
    await this.api.start();
    for (let tries = 0; ; tries++) {
      const { status, text } = await this.get("/readyz").catch(({ message }) => ({ status: 0, text: message }));
      if (status === 200) return;
      if (tries > 600) throw new Error(`the API server does not become ready: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Defines tests that share one API server, to be awaited at the top level of their file. */
export async function withKubernetes(
  what: string,
  tests: (server: KubernetesServer) => void | Promise<void>,
): Promise<void> {
  const missing = KUBERNETES.find((program) => findGoProgram(program) === null);
  if (missing !== undefined) return notTested(what, `there is no ${missing.name} (test/support/servers.ts)`);
  const server = await KubernetesServer.create();
  afterAll(() => server.close());
  await tests(server);
}
