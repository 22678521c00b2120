/**
 * Who gets what is sent to it. Datagrams have no sessions, so a recorded one that comes from the life of a sender that this
 * process has not heard (it may itself have just started) cannot be told from a new one; and it names the address to answer
 * to. Therefore an address from which something has come is sent no more bytes than came from it, until it has shown
 * that it gets them: what is sent there carries a token, which its owner returns with whatever it sends next. (As QUIC does,
 * RFC 9000, section 8.1, with a factor of 1 where it has 3.)
 *
 * The token is a code over the address under a secret of this life: nothing is stored for it, and a recorded echo is worth
 * nothing to another life.
 *
 * Addresses that the user has listed need no proof: no datagram can name another one for the answer.
 */
import type { World } from "../world.ts";
import { TOKEN_BYTES } from "./datagram.ts";
import { Recent } from "./recent.ts";
import type { Sealing } from "./sealing.ts";

const MOST_ADDRESSES = 8192;

const NO_MARKS = { token: null, echo: null };

interface Standing {
  isProven: boolean;
  /** Bytes that may be sent there before that. */
  credit: number;
  /** What is to be returned with the next datagram. */
  owed: number | null;
  /** When a bare token may be sent there once more. */
  knockAt: number;
  /** The token of the address, once it was needed. */
  token: number | null;
}

/** Milliseconds after which an address from which nothing has come is sent a bare token all the same, and then again. */
const PATIENCE = 6000;

export class Proofs {
  private readonly sealing: Sealing;
  private readonly secret: Uint8Array;
  private readonly world: World;
  private readonly listed: ReadonlySet<string>;
  private readonly standings = new Recent<string, Standing>(MOST_ADDRESSES);

  constructor(sealing: Sealing, world: World, listed: ReadonlySet<string>) {
    this.sealing = sealing;
    this.world = world;
    this.listed = listed;
    this.secret = world.bytes(32);
  }

  /** An authentic, new datagram of this many bytes has come from there. True where it proves the address just now. */
  heard(address: string, bytes: number, token: number | null, echo: number | null): boolean {
    if (this.isListed(address)) return false;
    let standing = this.standings.get(address);
    if (standing === undefined) {
      standing = { isProven: false, credit: 0, owed: null, knockAt: 0, token: null };
      this.standings.set(address, standing);
    }
    if (token !== null) standing.owed = token;
    if (standing.isProven) return false;
    standing.credit += bytes;
    standing.knockAt = this.world.now() + PATIENCE;
    standing.isProven = echo !== null && echo === this.token(address, standing);
    return standing.isProven;
  }

  /** What to send along: our token as long as the address is not proven, and the other side's where it waits for it. */
  marks(address: string): { readonly token: number | null; readonly echo: number | null } {
    if (this.isListed(address)) return NO_MARKS;
    const standing = this.standings.get(address);
    if (standing?.isProven && standing.owed === null) return NO_MARKS;
    return { token: standing?.isProven ? null : this.token(address, standing), echo: standing?.owed ?? null };
  }

  /** Whether so many bytes may be sent there. Where nothing has come from, they answer nobody. */
  allows(address: string, bytes: number): boolean {
    if (this.isListed(address)) return true;
    const standing = this.standings.get(address);
    return standing === undefined || standing.isProven || standing.credit >= bytes;
  }

  /**
   * Whether a bare token may be sent there although no credit is left: it answers nobody, since nothing has come for so long.
   * Without it two members that had heard of each other could both have spent their credit on datagrams that a partition
   * took, and would wait for each other for ever.
   */
  mayKnock(address: string): boolean {
    const now = this.world.now();
    const standing = this.standings.get(address);
    if (standing === undefined || now < standing.knockAt) return false;
    standing.knockAt = now + PATIENCE;
    return true;
  }

  /** So many bytes are being sent there, and with them the echo. */
  sent(address: string, bytes: number): void {
    const standing = this.standings.get(address);
    if (standing === undefined) return;
    // A bare token that was sent without credit is no debt: the answer to it could not be paid for after a long partition.
    standing.credit = Math.max(0, standing.credit - bytes);
    standing.owed = null;
  }

  private isListed(address: string): boolean {
    return this.listed.size > 0 && this.listed.has(address);
  }

  private token(address: string, standing: Standing | undefined): number {
    const token = standing?.token ?? this.sealing.cookie(this.secret, address).readUIntBE(0, TOKEN_BYTES);
    if (standing !== undefined) standing.token = token;
    return token;
  }
}
