/**
 * Leases in the API of a Kubernetes cluster. All rows of a group are an annotation of one object of coordination.k8s.io/v1, because
 * the API changes one object at a time; `kubectl get lease` shows who leads. A write names the resourceVersion that was read.
 */
import { createHash } from "node:crypto";
import type { EngineOptions, LeaseEngine, Limit } from "./engine.ts";
import { type HttpAnswer, HttpClient } from "./http.ts";
import { type KubernetesAddress, kubernetesAddress } from "./kubernetes-address.ts";
import { rowsInOneValue, type StoredValue, type ValuePart, type ValueStore } from "./one-value.ts";
import { type RowStore, rowEngine } from "./row-engine.ts";
import { type RowTexts, rowsIn } from "./rows.ts";

const ROWS = "sortition/rows";

/** Who holds what as the rows say, whether that has run out or not; `was`: what the object says. */
function specOf(texts: RowTexts, was: Spec, now: number): Spec {
  const rows = rowsIn(texts);
  const holders = rows.seats().flatMap(([seat, { lease }]) => {
    const session = lease === null || lease.over ? null : rows.session(lease.session);
    return session === null || session.ended ? [] : [{ seat, name: session.name }];
  });
  const names = holders.map(({ seat, name }) => (holders.length === 1 ? name : `${seat}=${name}`));
  const holderIdentity = names.join(" ").slice(0, 1024);
  const renewTime = new Date(now).toISOString().replace("Z", "000Z");
  const { acquireTime = renewTime, leaseTransitions = -1 } = was;
  const isSame = holderIdentity === (was.holderIdentity ?? "");
  return {
    holderIdentity,
    leaseDurationSeconds: Math.max(1, Math.ceil((rows.group()?.longest ?? 0) / 1000)),
    acquireTime: isSame ? acquireTime : renewTime,
    renewTime,
    // As client-go counts: the first holder is none, and an end is none.
    leaseTransitions: Math.max(0, leaseTransitions + (isSame || holderIdentity === "" ? 0 : 1)),
  };
}

export const openKubernetes = (address: string, options: EngineOptions): Promise<LeaseEngine> =>
  rowEngine(kubernetesRows(kubernetesAddress(address), options), options);

export const kubernetesRows = (
  address: KubernetesAddress,
  options: Pick<EngineOptions, "group" | "world" | "migrate">,
): RowStore => rowsInOneValue(new LeaseObject(address, options));

/** Names of objects have small letters, digits and "-"; a group with another name gets a hash of it. */
function objectName(group: string, part: ValuePart): string {
  const isPlain = /^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/.test(group);
  const name = isPlain ? group : `x-${createHash("sha256").update(group).digest("hex").slice(0, 32)}`;
  // The dot keeps it apart from groups of such a name.
  return `sortition-${name}${part === "" ? "" : `.${part}`}`;
}

/** What people see of a lease object: `kubectl get lease`, `kubectl describe lease`. */
interface Spec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

interface StoredLease extends StoredValue {
  readonly spec: Spec;
}

/** What there is before the object is made. */
const NONE: StoredLease = {
  text: null,
  version: "",
  incarnation: "",
  revision: null,
  now: null,
  forgets: false,
  spec: {},
};

class LeaseObject implements ValueStore<StoredLease> {
  readonly name: string;
  private readonly address: KubernetesAddress;
  private readonly group: string;
  private readonly all: string;
  private readonly client: HttpClient;
  private readonly wall: () => number;
  private readonly migrate: boolean;

  constructor(
    address: KubernetesAddress,
    { group, world, migrate }: Pick<EngineOptions, "group" | "world" | "migrate">,
  ) {
    this.wall = () => world.wall();
    this.migrate = migrate;
    this.name = address.name;
    this.address = address;
    this.group = group;
    this.all = `${address.server}/apis/coordination.k8s.io/v1/namespaces/${address.namespace}/leases`;
    this.client = new HttpClient(address.tls);
  }

  /** Makes the object if there is none, so that its uid tells it from every later one. */
  async read(part: ValuePart, limit: Limit): Promise<StoredLease> {
    const object = objectName(this.group, part);
    for (;;) {
      const found = await this.call("GET", `${this.all}/${object}`, undefined, limit);
      if (found.status === 200) return this.stored(found.body);
      if (found.status !== 404) throw this.refused(found);
      // Who only looks makes nothing.
      if (!this.migrate) return NONE;
      const made = await this.call("POST", this.all, this.body({ name: object }, {}), limit);
      if (made.status >= 300 && made.status !== 409) throw this.refused(made);
    }
  }

  /** A conflict, or an object that was removed meanwhile: what was read is not what there is. */
  async replace(
    part: ValuePart,
    text: string,
    { version, spec }: StoredLease,
    texts: RowTexts,
    limit: Limit,
  ): Promise<number | null> {
    const name = objectName(this.group, part);
    if (version === "") throw new Error(`there is no Lease object ${name}, and this process must not make it`);
    const [resourceVersion, uid] = version.split(" ");
    const metadata = { name, resourceVersion, uid, annotations: { [ROWS]: text } };
    const body = this.body(metadata, specOf(texts, spec, this.wall()));
    const answer = await this.call("PUT", `${this.all}/${name}`, body, limit);
    if (answer.status === 409 || answer.status === 404) return null;
    if (answer.status !== 200) throw this.refused(answer);
    return this.stored(answer.body).revision;
  }

  async close(): Promise<void> {
    this.client.close();
  }

  private body(metadata: object, spec: object): object {
    const { namespace } = this.address;
    return {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace, ...metadata },
      spec,
    };
  }

  private stored({ metadata, spec }: HttpAnswer["body"]): StoredLease {
    const { annotations, resourceVersion, uid } = metadata;
    return {
      spec: spec ?? {},
      text: annotations?.[ROWS] ?? null,
      version: `${resourceVersion} ${uid}`,
      incarnation: uid,
      revision: Number(resourceVersion) || null,
      now: null,
      forgets: false,
    };
  }

  private call(method: "GET" | "POST" | "PUT", url: string, body: unknown, { signal }: Limit): Promise<HttpAnswer> {
    const token = this.address.token();
    return this.client.call(url, {
      method,
      body,
      signal,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
  }

  private refused({ status, body }: HttpAnswer): Error {
    const { namespace } = this.address;
    if (status === 401)
      return new Error("the API server does not know who this member is: look at its service account");
    if (status === 403)
      return new Error(
        `the service account lacks a right (${body?.message}); it needs get, create and update of leases in ${namespace}`,
      );
    if (status === 422 && /Too long/.test(body?.message))
      return new Error(
        "the leases of this group do not fit into one Lease object (256 KiB): keep fewer seats in a group",
      );
    return new Error(`the API server answered ${status}: ${body?.message ?? "no reason"}`);
  }
}
