/** Statements about members and notes, put into messages of bounded size. */
import { encodedSize } from "../../wire/codec.ts";
import type { Gossip, MembershipMessage } from "./messages.ts";
import { type KnownMember, type MemberRecord, type Note, type NoteEntry, toEntry, toNoteEntry } from "./records.ts";
import type { MembershipState } from "./state.ts";

/** Bytes of a message besides its head and the entries of its two lists: field names, lengths, and the mark of a part. */
const LISTS = 32;

/** A message that is filled with statements one by one. */
export class Packet {
  private readonly members: MemberRecord[] = [];
  private readonly notes: NoteEntry[] = [];
  private left: number;

  /** `head`: the message without statements. */
  constructor({ profile }: MembershipState, head: MembershipMessage) {
    this.left = profile.packet - encodedSize(head) - LISTS;
  }

  /** Adds a statement; false if it does not fit. */
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

/** Statements by record. Records never change, and in a large group each is sent thousands of times. */
const statements = new WeakMap<KnownMember | Note, Statement>();

/** What is known of a subject, in the form of messages. A claim that is not proven yet is passed on as it was heard. */
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

/** Several packets, and the first subject that did not fit; null if all did. */
interface Packed {
  readonly gossip: Gossip;
  readonly next: string | null;
}

/** What is known of some subjects, in at most `most` packets. The first has the fields of `head`. */
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
