/** A guard inside etcd: for keys that are written there. The newest lease is compared and replaced in the transaction that writes. */
import { type EtcdClient, etcdBytes, etcdCompare, etcdText, etcdWrite } from "../engines/etcd.ts";
import { type Fence, type Guarding, isNews, type Newest, verifyFence } from "./fence.ts";

/** What is written in one transaction, and what must hold for it. Texts; a value of null: there is no such key, or it is removed. */
export interface EtcdWork {
  readonly puts: Readonly<Record<string, string | null>>;
  readonly where?: Readonly<Record<string, string | null>>;
}

/** Lets only the newest leader write to etcd. */
export interface EtcdGuard {
  /** Writes if the fence is the newest leader's, and says whether what must hold did hold. Throws `FenceRefused`: nothing was written. */
  guarded(etcd: EtcdClient, fence: string | null | undefined, work: EtcdWork): Promise<boolean>;
}

/** Settings of a guard in etcd. */
export interface EtcdGuardOptions extends Guarding {
  /** What the keys of guards begin with; `sortition-guards/` by default. */
  readonly prefix?: string;
}

/** A guard whose key lies in the etcd that it guards. */
export function etcdGuard(options: EtcdGuardOptions): EtcdGuard {
  const { prefix = "sortition-guards/" } = options;
  return {
    async guarded(etcd, text, { puts, where = {} }) {
      const fence: Fence = verifyFence(options, text);
      const key = `${prefix}${encodeURIComponent(fence.group)}/${encodeURIComponent(fence.seat)}`;
      const own = JSON.stringify({ token: String(fence.token), lease: fence.lease });
      const range = { key: etcdBytes(key) };
      for (let kept = valueIn(await etcd.post("/v3/kv/range", range)); ; ) {
        isNews(kept === null ? null : newestIn(kept), fence);
        const compare = Object.entries({ [key]: kept, ...where }).map(([of, value]) => etcdCompare(of, value));
        const success = Object.entries({ [key]: own, ...puts }).map(([of, value]) => etcdWrite(of, value));
        const answer = await etcd.post("/v3/kv/txn", { compare, success, failure: [{ requestRange: range }] });
        if (answer.succeeded) return true;
        const now = valueIn(answer.responses[0].response_range);
        // Nobody else has been here: so it is what the caller demanded that does not hold.
        if (now === kept) return false;
        kept = now;
      }
    },
  };
}

const newestIn = (text: string): Newest => {
  const { token, lease } = JSON.parse(text) as { token: string; lease: string };
  return { token: BigInt(token), lease };
};

const valueIn = ({ kvs }: { kvs?: readonly { value?: string }[] }): string | null =>
  kvs === undefined || kvs.length === 0 ? null : etcdText(kvs[0].value ?? "");
