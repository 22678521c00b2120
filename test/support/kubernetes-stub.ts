/**
 * Lease objects by the rules of the Kubernetes API conventions (resourceVersion, uid, 409, 404), and no more: it is not an API server.
 * Written from the documentation: "Concurrency Control and Consistency" of the API conventions, and the reference of coordination.k8s.io/v1.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

interface Lease {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: object;
  };
  readonly spec: { readonly holderIdentity?: string };
}

const TOKEN = "a token of the tests";

export class KubernetesStub {
  leases = new Map<string, Lease>();
  private version = 1000;
  private server: Server = this.listening();
  private readonly folder = mkdtempSync(join(tmpdir(), "sortition-kubernetes-"));
  private isPaused = false;
  private known = 0;
  private kept = { leases: this.leases, version: this.version };

  static async start(): Promise<KubernetesStub> {
    const stub = new KubernetesStub();
    stub.server.listen(0, "127.0.0.1");
    await once(stub.server, "listening");
    stub.known = (stub.server.address() as { port: number }).port;
    return stub;
  }

  get port(): number {
    return this.known;
  }

  /** A file that tells clients where it is; `port`: of a proxy in front of it. */
  kubeconfig(port = this.port): string {
    const file = join(this.folder, `config-${port}`);
    const config = {
      "current-context": "tests",
      contexts: [{ name: "tests", context: { cluster: "stub", user: "member", namespace: "apps" } }],
      clusters: [{ name: "stub", cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: "member", user: { token: TOKEN } }],
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  async kill(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  async start(): Promise<void> {
    this.server = this.listening();
    this.server.listen(this.port, "127.0.0.1");
    await once(this.server, "listening");
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  /** Lease objects are never changed in place. */
  async copy(): Promise<void> {
    this.kept = { leases: new Map(this.leases), version: this.version };
  }

  async restore(): Promise<void> {
    this.leases = new Map(this.kept.leases);
    this.version = this.kept.version;
  }

  async empty(): Promise<void> {
    this.leases.clear();
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true });
  }

  private listening(): Server {
    return createServer(async (request, response) => {
      const body = await textOf(request);
      while (this.isPaused) await new Promise((resolve) => setTimeout(resolve, 5));
      const [status, said] = this.answer(request, body === "" ? null : JSON.parse(body));
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(said));
    });
  }

  private answer({ url, method, headers }: IncomingMessage, body: Lease | null): [number, object] {
    const failed = (code: number, reason: string, message: string): [number, object] => [
      code,
      { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message },
    ];
    if (headers.authorization !== `Bearer ${TOKEN}`) return failed(401, "Unauthorized", "Unauthorized");
    const [, namespace, name] =
      /^\/apis\/coordination\.k8s\.io\/v1\/namespaces\/([^/]+)\/leases(?:\/([^/?]+))?$/.exec(url!) ?? [];
    if (namespace !== "apps") return failed(403, "Forbidden", `leases is forbidden in the namespace "${namespace}"`);
    const known = name === undefined ? undefined : this.leases.get(name);
    if (method === "POST" && body !== null) {
      const made = body.metadata.name;
      if (this.leases.has(made)) return failed(409, "AlreadyExists", `leases "${made}" already exists`);
      return [201, this.keep(made, body, randomUUID())];
    }
    if (known === undefined) return failed(404, "NotFound", `leases "${name}" not found`);
    if (method === "GET") return [200, known];
    if (method !== "PUT" || body === null) return failed(405, "MethodNotAllowed", "not in this stub");
    const { resourceVersion, uid } = body.metadata;
    const isOther = (wanted: string | undefined, is: string) => wanted !== undefined && wanted !== is;
    if (isOther(uid, known.metadata.uid) || isOther(resourceVersion, known.metadata.resourceVersion))
      return failed(409, "Conflict", "the object has been modified; please apply your changes to the latest version");
    return [200, this.keep(name!, body, known.metadata.uid)];
  }

  private keep(name: string, lease: Lease, uid: string): Lease {
    const kept = { ...lease, metadata: { ...lease.metadata, uid, resourceVersion: String(++this.version) } };
    this.leases.set(name, kept);
    return kept;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Defines tests that share one stub. */
export async function kubernetesStub(
  _what: string,
  tests: (stub: KubernetesStub) => void | Promise<void>,
): Promise<void> {
  const stub = await KubernetesStub.start();
  afterAll(() => stub.close());
  await tests(stub);
}
