/** Statements about members and notes, put into messages of bounded size. */
import { encodedSize } from "../../wire/codec.ts";
import type { Gossip, MembershipMessage } from "./messages.ts";
import { type KnownMember, type MemberRecord, type Note, type NoteEntry, toEntry, toNoteEntry } from "./records.ts";
import type { MembershipState } from "./state.ts";

/** What the two lists take in a message beside what is in them, and the mark that it is a part: names and lengths. */
const LISTS = 32;

/** One message's worth of statements, filled up one by one. */
export class Packet {
  private readonly members: MemberRecord[] = [];
  private readonly notes: NoteEntry[] = [];
  private left: number;

  /** `head`: what the message says besides. */
  constructor({ profile }: MembershipState, head: MembershipMessage) {
    this.left = profile.packet - encodedSize(head) - LISTS;
  }

  /** Whether it still fitted in. */
  add(said: Statement): boolean {
    if (said.size > this.left) return false;
    this.left -= said.size;
    if ("member" in said) this.members.push(said.member);
    else this.notes.push(said.note);
    return true;
  }

  get gossip(): Gossip {
    const { members, notes } = this;
    return { ...(members.length > 0 ? { members } : {}), ...(notes.length > 0 ? { notes } : {}) };
  }
}

type Statement =
  | { readonly member: MemberRecord; readonly size: number }
  | { readonly note: NoteEntry; readonly size: number };

/** By record: those never change, and among many members each is said thousands of times. */
const statements = new WeakMap<KnownMember | Note, Statement>();

/** What is known of a subject, as it stands in messages; a claim that is not proven yet is passed on as it was heard. */
export function statement(state: MembershipState, subject: string): Statement | null {
  const key = subject.slice(1);
  if (subject[0] === "n") {
    const note = state.notes.get(key);
    return note === undefined ? null : (statements.get(note) ?? ofNote(note));
  }
  const member = state.claims.get(key)?.member ?? state.members.get(key);
  if (member === undefined) return null;
  const accusers = member.status === "suspect" ? state.suspicions.get(key)?.by : undefined;
  if (accusers !== undefined) return sized(toEntry(member, [...accusers]));
  return statements.get(member) ?? ofMember(member);
}

export const sized = (member: MemberRecord): Statement => ({ member, size: encodedSize(member) });

function ofMember(member: KnownMember): Statement {
  const said = sized(toEntry(member));
  statements.set(member, said);
  return said;
}

function ofNote(note: Note): Statement {
  const entry = toNoteEntry(note);
  const said: Statement = { note: entry, size: encodedSize(entry) };
  statements.set(note, said);
  return said;
}

/** One of several packets, and the subject that would have come next; null where nothing would. */
interface Packed {
  readonly gossip: Gossip;
  readonly next: string | null;
}

/** What is known of some subjects in at most so many packets, the first of which goes with `head`. */
export function packed(
  state: MembershipState,
  subjects: Iterable<string>,
  head: MembershipMessage,
  most: number,
): readonly Packed[] {
  const packets: Packed[] = [];
  let packet = new Packet(state, head);
  for (const subject of subjects) {
    const said = statement(state, subject);
    if (said === null || packet.add(said)) continue;
    packets.push({ gossip: packet.gossip, next: subject });
    if (packets.length === most) return packets;
    packet = new Packet(state, { kind: "answer", from: state.life, young: true });
    packet.add(said);
  }
  return [...packets, { gossip: packet.gossip, next: null }];
}
