/** One member among others that a test speaks for: handler by handler, without a host. m0 is itself; node i lives in life 100 + i. */
import { SELF } from "../../src/protocol.ts";
import { membership } from "../../src/protocols/membership/membership.ts";
import type { MembershipMessage } from "../../src/protocols/membership/messages.ts";
import { type Profile, profiles } from "../../src/protocols/membership/profile.ts";
import { type KnownMember, type MemberRecord, toEntry } from "../../src/protocols/membership/records.ts";
import type { MembershipContext, MembershipState } from "../../src/protocols/membership/state.ts";
import { store } from "../../src/protocols/membership/view.ts";

export type Kind = MembershipMessage["kind"];
type Of<K extends Kind> = Extract<MembershipMessage, { readonly kind: K }>;

export const lifeOf = (node: number): number => 100 + node;

export const known = (node: number, changes: Partial<KnownMember> = {}): KnownMember => ({
  name: `m${node}`,
  life: lifeOf(node),
  incarnation: 0,
  address: String(node),
  status: "alive",
  meta: null,
  ...changes,
});

export const entry = (node: number, changes: Partial<KnownMember> = {}, by?: readonly number[]): MemberRecord =>
  toEntry(known(node, changes), by);

export class LoneMember {
  /** Since the latest call. */
  sent: { readonly to: number; readonly message: MembershipMessage }[] = [];
  readonly state: MembershipState;
  readonly unlinked: number[] = [];
  readonly ctx: MembershipContext;
  /** What `choose(n)` answers, and what coins show. */
  choose: (n: number) => number = () => 0;
  coin: (p: number) => boolean = () => true;

  /** One of n, which know each other and have nothing new to tell; with seeds it joins instead. */
  constructor(n: number, changes: Partial<Profile> = {}, seeds: readonly string[] = []) {
    this.ctx = {
      address: (port: number) => (port === SELF ? "0" : String(port)),
      link: (address: string) => (address === "0" ? SELF : Number(address)),
      linked: () => true,
      unlink: (port: number) => void this.unlinked.push(port),
      send: (to: number, message: MembershipMessage) => void this.sent.push({ to, message }),
      arm() {},
      disarm() {},
      choose: (most: number) => this.choose(most),
      coin: (p: number) => this.coin(p),
    } as never;
    const self = { life: lifeOf(0), seeds } as never;
    this.state = membership.init({ profile: { ...profiles.lan, ...changes }, name: "m0" }, self, null, this.ctx);
    for (let node = 1; node < n; node++) store(this.state, known(node), this.ctx);
    Object.assign(this.state, { rumours: new Map(), levels: [], news: [] });
    // Nothing happens of itself.
    if (seeds.length === 0) Object.assign(this.state, { probeAt: Infinity, compareAt: Infinity, seekAt: Infinity });
  }

  hear(from: number, message: MembershipMessage): void {
    this.sent = [];
    membership.receive(this.state, from, message, this.ctx);
  }

  /** So many ticks; what is sent in all of them. */
  tick(times = 1): void {
    this.sent = [];
    for (let i = 0; i < times; i++) membership.expire!(this.state, "tick", this.ctx);
  }

  act(what: (state: MembershipState, ctx: MembershipContext) => void): void {
    this.sent = [];
    this.state.news = [];
    what(this.state, this.ctx);
  }

  said<K extends Kind>(kind: K): readonly (Of<K> & { readonly node: number })[] {
    return this.sent
      .filter(({ message }) => message.kind === kind)
      .map(({ to, message }) => ({ node: to, ...(message as Of<K>) }));
  }

  get told(): readonly string[] {
    return this.state.news.map((news) => `${news.what} ${"name" in news ? news.name : news.key}`);
  }
}
