/**
 * The keys that a member seals and opens with: what it proves to guards with them, how they are replaced while it runs, and what it says
 * of datagrams and members with others.
 */
import type { GroupReport } from "../../elector/report.ts";
import type { GroupState } from "../../elector/state.ts";
import { keysIn } from "../../elector/told-keys.ts";
import { departed, live } from "../../protocols/membership/parent.ts";
import { fenceOf } from "../guards/fence.ts";
import { guardKeys } from "../guards/keys.ts";
import type { HeldLeadership } from "../leading/scope.ts";
import type { RefusedDatagram } from "../net/endpoint.ts";
import { idsOf, type Keyring } from "../net/keyring.ts";
import type { OpenNode } from "./host.ts";
import { type Keyed, Strangers } from "./strangers.ts";

export interface GroupKeysSetup {
  /** This member's. */
  readonly name: string;
  readonly group: string;
  readonly keyring: Keyring;
  readonly node: Pick<OpenNode<GroupState>, "world" | "state" | "rekey" | "command">;
  /** Datagrams, or members, with other keys. */
  dropped(why: string): void;
}

export class GroupKeys {
  private readonly setup: GroupKeysSetup;
  private readonly strangers: Strangers;
  private keyring: Keyring;

  constructor(setup: GroupKeysSetup) {
    this.setup = setup;
    this.keyring = setup.keyring;
    this.strangers = new Strangers(setup.node.world, setup.dropped, {
      own: () => this.ids,
      told: () => this.told(),
    });
  }

  /** The one that it seals with first. */
  get ids(): readonly number[] {
    return idsOf(this.keyring);
  }

  /** What guards verify; null without a lease. */
  fence({ seat, token, lease }: HeldLeadership): string | null {
    if (token === null || lease === null) return null;
    return fenceOf(guardKeys(this.keyring, this.setup.group), { seat, token, lease });
  }

  /** A datagram was not acted on. */
  refused(refusal: RefusedDatagram): void {
    this.strangers.refused(refusal);
  }

  /** In the report. What is to be said of who has joined is said once everything has left. */
  follow({ news }: GroupReport): void {
    const joined = news.flatMap(({ event, member }) => (event === "joined" ? [member] : []));
    if (joined.length === 0) return;
    this.setup.node.world.soon(() => this.strangers.meet(this.others().filter(({ name }) => joined.includes(name))));
  }

  /** From now on this member seals with the first of these, opens with all of them, and tells the others. */
  replace(keyring: Keyring): void {
    const { node } = this.setup;
    const before = this.ids;
    this.keyring = keyring;
    node.rekey(keyring);
    node.command({ kind: "keys", keys: this.ids });
    this.strangers.rekeyed(before, this.others());
  }

  private others(): readonly Keyed[] {
    return live(this.setup.node.state.members)
      .filter(({ name }) => name !== this.setup.name)
      .map(({ name, address, meta }) => ({ name, address, keys: keysIn(meta) }));
  }

  /** Ids of keys that members have told of, those that have failed or left included. */
  private told(): readonly number[] {
    const { members } = this.setup.node.state;
    const known = [...live(members), ...departed(members).map(({ member }) => member)];
    return known.flatMap(({ meta }) => keysIn(meta) ?? []);
  }
}
