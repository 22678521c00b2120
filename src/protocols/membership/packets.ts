/** Statements about members and notes, put into messages of bounded size. */
import { encodedSize } from "../../wire/codec.ts";
import type { Gossip, MembershipMessage } from "./messages.ts";
import { type Entry, type NoteEntry, toEntry, toNoteEntry } from "./records.ts";
import type { MembershipState } from "./state.ts";

/** What the two lists take in a message beside what is in them, and the mark that it is a part: names and lengths. */
const LISTS = 32;

/** One message's worth of statements, filled up one by one. */
export class Packet {
  private readonly members: Entry[] = [];
  private readonly notes: NoteEntry[] = [];
  private left: number;

  /** `head`: what the message says besides. */
  constructor({ profile }: MembershipState, head: MembershipMessage) {
    this.left = profile.packet - encodedSize(head) - LISTS;
  }

  /** Whether it still fitted in. */
  add(said: Statement): boolean {
    const size = encodedSize("member" in said ? said.member : said.note);
    if (size > this.left) return false;
    this.left -= size;
    if ("member" in said) this.members.push(said.member);
    else this.notes.push(said.note);
    return true;
  }

  get gossip(): Gossip {
    const { members, notes } = this;
    return { ...(members.length > 0 ? { members } : {}), ...(notes.length > 0 ? { notes } : {}) };
  }
}

type Statement = { readonly member: Entry } | { readonly note: NoteEntry };

/** What is known of a subject, as it stands in messages; a claim that is not proven yet is passed on as it was heard. */
export function statement(state: MembershipState, subject: string): Statement | null {
  const key = subject.slice(1);
  if (subject[0] === "n") {
    const note = state.notes.get(key);
    return note === undefined ? null : { note: toNoteEntry(note) };
  }
  const member = state.claims.get(key)?.member ?? state.members.get(key);
  if (member === undefined) return null;
  const accusers = member.status === "suspect" ? state.suspicions.get(key)?.by : undefined;
  return { member: toEntry(member, accusers === undefined ? undefined : [...accusers]) };
}

/** What is known of some subjects in at most so many packets, the first of which goes with `head`; and whether that is all. */
export function packed(
  state: MembershipState,
  subjects: Iterable<string>,
  head: MembershipMessage,
  most: number,
): { readonly packets: readonly Gossip[]; readonly isWhole: boolean } {
  const packets = [new Packet(state, head)];
  for (const subject of subjects) {
    const said = statement(state, subject);
    if (said === null || packets.at(-1)!.add(said)) continue;
    if (packets.length === most) return { packets: packets.map(({ gossip }) => gossip), isWhole: false };
    packets.push(new Packet(state, { kind: "answer", from: state.life, young: true }));
    packets.at(-1)!.add(said);
  }
  return { packets: packets.map(({ gossip }) => gossip), isWhole: true };
}
