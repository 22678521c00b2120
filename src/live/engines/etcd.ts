/**
 * Leases in etcd 3.4 or newer, by its JSON gateway. A row is a key; a commit is one transaction that compares values. Tokens and
 * leases are the register's own: revisions come back after a restore, and etcd's leases outlive their time after a restart.
 */
import { InputError } from "../../errors.ts";
import type { EngineOptions, LeaseEngine, Limit } from "./engine.ts";
import { HttpClient, NotSent, parametersOf, type Tls, tlsIn } from "./http.ts";
import { type Image, MOST_OTHERS, type RowStore, rowEngine, type WantedJobs } from "./row-engine.ts";
import { type Change, RECORD_ROWS } from "./rows.ts";

interface EtcdAddress {
  /** Without the password. */
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly user: string | null;
  readonly password: string;
  readonly prefix: string;
  readonly tls: Tls;
}

const FORM = "etcd://HOST:2379,HOST:2379";
const PARAMETERS = ["tls", "ca", "cert", "key"];
/** Milliseconds for a request of a guard. */
const PATIENCE = 5000;

export function etcdAddress(text: string): EtcdAddress {
  const parts = /^etcd:\/\/(?:([^/?#@]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?(.*))?$/i.exec(text);
  // The text is not shown: it may contain a password.
  if (parts === null) throw new InputError(`the address of etcd must look like ${FORM}`);
  const [, login = "", hosts, path = "", query = ""] = parts;
  const given = parametersOf(query, PARAMETERS, "etcd");
  if (given.has("tls") && given.get("tls") !== "on")
    throw new InputError("tls=on asks for TLS with the authorities that Node knows; leave it out for none");
  const [user, ...password] = login.split(":");
  const scheme = given.size > 0 ? "https" : "http";
  const endpoints = hosts.split(",").map((host) => {
    const full = /:\d+$/.test(host) ? host : `${host}:2379`;
    if (!URL.canParse(`${scheme}://${full}`)) throw new InputError(`"${host}" is no host of etcd: write ${FORM}`);
    return `${scheme}://${full}`;
  });
  const prefix = path === "" ? "sortition" : path.replace(/\/$/, "");
  return {
    name: `etcd://${hosts}${path === "" ? "" : `/${prefix}`}`,
    endpoints,
    user: user === "" ? null : decodeURIComponent(user),
    password: decodeURIComponent(password.join(":")),
    prefix,
    tls: tlsIn(given),
  };
}

export const openEtcd = (address: string, options: EngineOptions): Promise<LeaseEngine> =>
  rowEngine(new EtcdRows(etcdAddress(address), options.group), options);

/** Keys and values are bytes, which JSON has as base64. */
export const etcdBytes = (text: string): string => Buffer.from(text).toString("base64");
export const etcdText = (bytes: string): string => Buffer.from(bytes, "base64").toString();

/** What a transaction compares: the value of a key, or null: that there is none. */
export const etcdCompare = (key: string, value: string | null): object =>
  value === null
    ? { key: etcdBytes(key), target: "CREATE", create_revision: "0" }
    : { key: etcdBytes(key), target: "VALUE", value: etcdBytes(value) };

/** What a transaction writes; null: the key is removed. */
export const etcdWrite = (key: string, value: string | null): object =>
  value === null
    ? { requestDeleteRange: { key: etcdBytes(key) } }
    : { requestPut: { key: etcdBytes(key), value: etcdBytes(value) } };

interface KeyValue {
  readonly key: string;
  readonly value?: string;
}
interface RangeResponse {
  readonly response_range: { readonly kvs?: readonly KeyValue[] };
}
interface KeyRange {
  readonly key: string;
  readonly range_end?: string;
  readonly limit?: number;
  readonly sort_order?: string;
  readonly sort_target?: string;
}
interface Header {
  readonly cluster_id: string;
  readonly revision?: string;
}

export class EtcdRows implements RowStore {
  readonly name: string;
  private readonly prefix: string;
  /** Of all rows but records of jobs. */
  private readonly ranges: readonly KeyRange[];
  private readonly client: EtcdClient;

  constructor(address: EtcdAddress, group: string) {
    this.name = address.name;
    this.client = new EtcdClient(address);
    const place = `${address.prefix}/${encodeURIComponent(group)}`;
    this.prefix = `${place}/`;
    const [first, end] = RECORD_ROWS;
    // "0" follows "/".
    this.ranges = [
      { key: etcdBytes(this.prefix), range_end: etcdBytes(this.prefix + first) },
      { key: etcdBytes(this.prefix + end), range_end: etcdBytes(`${place}0`) },
    ];
  }

  async read({ signal }: Limit, jobs?: WantedJobs): Promise<Image> {
    const { header, responses } = await this.client.post("/v3/kv/txn", { success: this.reads(jobs) }, signal);
    return this.image(responses, header);
  }

  async commit({ seen, puts }: Change, { signal }: Limit, jobs?: WantedJobs): ReturnType<RowStore["commit"]> {
    const compare = [...seen].map(([row, was]) => etcdCompare(this.prefix + row, was));
    const success = [...puts].map(([row, is]) => etcdWrite(this.prefix + row, is));
    const body = { compare, success, failure: this.reads(jobs) };
    const { succeeded, header, responses } = await this.client.post("/v3/kv/txn", body, signal);
    const revision = Number(header.revision ?? 0);
    return { revision, image: succeeded ? null : this.image(responses, header) };
  }

  async close(): Promise<void> {
    this.client.close();
  }

  private reads(jobs?: WantedJobs): readonly { readonly requestRange: KeyRange }[] {
    return [...this.ranges, ...(jobs === undefined ? [] : this.records(jobs))].map((range) => ({
      requestRange: range,
    }));
  }

  private records({ row, after }: WantedJobs): readonly KeyRange[] {
    const [first, end] = RECORD_ROWS.map((name) => this.prefix + name);
    // A key with a zero byte comes next after that key.
    const from = after === "" ? first : `${this.prefix}${after}\0`;
    return [
      { key: etcdBytes(this.prefix + row) },
      { key: etcdBytes(from), range_end: etcdBytes(end), limit: MOST_OTHERS, sort_order: "ASCEND", sort_target: "KEY" },
    ];
  }

  private image(responses: readonly RangeResponse[], { cluster_id, revision }: Header): Image {
    const texts = responses
      .flatMap(({ response_range }) => response_range.kvs ?? [])
      .map(({ key, value }) => [etcdText(key).slice(this.prefix.length), etcdText(value ?? "")] as const);
    return {
      texts: new Map(texts),
      incarnation: cluster_id,
      revision: Number(revision ?? 0),
      now: null,
      forgets: false,
    };
  }
}

/** The JSON gateway of a cluster, as a user if the address names one. */
export class EtcdClient {
  private readonly address: EtcdAddress;
  private readonly client: HttpClient;
  /** The endpoint that is asked first. */
  private first = 0;
  private token: string | null = null;

  constructor(address: EtcdAddress | string) {
    this.address = typeof address === "string" ? etcdAddress(address) : address;
    this.client = new HttpClient(this.address.tls);
  }

  /** An endpoint that refuses connections is left out; one that fails otherwise is asked last from then on. */
  async post(path: string, body: unknown, signal: AbortSignal = AbortSignal.timeout(PATIENCE)) {
    const { endpoints } = this.address;
    for (let tried = 0; ; tried++) {
      const at = endpoints[this.first % endpoints.length];
      try {
        return await this.postTo(at, path, body, signal);
      } catch (error) {
        if (error instanceof Refused) throw error;
        this.first++;
        if (!(error instanceof NotSent) || tried + 1 >= endpoints.length) throw error;
      }
    }
  }

  close(): void {
    this.client.close();
  }

  private async postTo(at: string, path: string, body: unknown, signal: AbortSignal) {
    const { user, password } = this.address;
    const send = (to: string, what: unknown, headers = {}) =>
      this.client.call(at + to, { method: "POST", body: what, headers, signal });
    for (let isFresh = false; ; isFresh = true) {
      if (user !== null && this.token === null) {
        const login = await send("/v3/auth/authenticate", { name: user, password });
        if (login.status !== 200) throw new Refused(`etcd does not let the user "${user}" in: ${words(login.body)}`);
        this.token = login.body.token;
      }
      const { status, body: said } = await send(path, body, this.token === null ? {} : { authorization: this.token });
      if (status === 200) return said;
      const why = words(said);
      // A token of etcd's lasts for some minutes, and no longer than a restart of the server.
      if (this.token !== null && !isFresh && /invalid auth token|auth.*revision/.test(why)) this.token = null;
      else if (/permission denied|user name is empty/.test(why))
        throw new Refused(
          `etcd lacks a right for ${user === null ? "members without a user" : `the user "${user}"`} (${why}): grant it reading and writing of ${this.address.prefix}/`,
        );
      else throw new Error(`etcd at ${new URL(at).host}: ${why}`);
    }
  }
}

/** Said by etcd itself: another endpoint would say the same. */
class Refused extends Error {}

const words = (body: { message?: string; error?: string } | null): string =>
  body?.message ?? body?.error ?? "no reason";
