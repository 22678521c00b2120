/** What a process group and its processes tell each other, as JSON over their channel. */
import type { Id, Verdict } from "../../protocol.ts";
import type { Params } from "../../protocols/parameters.ts";
import type { ProtocolSource } from "../../protocols/registry.ts";
import type { Impairment } from "../net/impaired.ts";
import type { Member } from "./members.ts";
import type { MemberOutcome } from "./outcome.ts";
import type { ElectOptions } from "./part.ts";

/** An election among members that have joined; each process runs those of them that are its own. */
export interface GroupElection
  extends Pick<ElectOptions, "name" | "tau" | "gather" | "timeout" | "linger" | "multicast" | "stallLimit"> {
  /** Its name, or the module that exports it. */
  readonly protocol: NonNullable<ProtocolSource>;
  /** Those that are not left to their defaults. */
  readonly params: Params;
  readonly members: readonly Member[];
}

export type ProcessOrder =
  /** Open sockets on free ports of loopback, one for each id. */
  | { readonly order: "open"; readonly ids: readonly Id[]; readonly host: string }
  /** Become members of this group, with the sockets opened before. */
  | {
      readonly order: "join";
      readonly members: readonly Member[];
      /** In base64url; null takes the one that everybody knows. */
      readonly key: string | null;
      readonly impairment: Omit<Impairment, "member"> | null;
    }
  | { readonly order: "elect"; readonly election: GroupElection }
  /** Close all sockets. */
  | { readonly order: "leave" };

/** Of one member's part in the election of that name. */
type Part =
  | { readonly news: "begun" }
  | { readonly news: "verdict"; readonly verdict: Verdict }
  | { readonly news: "outcome"; readonly outcome: MemberOutcome };

export type ProcessNews =
  | { readonly news: "opened"; readonly members: readonly Member[] }
  | { readonly news: "joined" }
  | ({ readonly self: Id; readonly name: string } & Part)
  | { readonly news: "left" }
  | { readonly news: "failed"; readonly message: string };
