/**
 * Digests of what a member knows. Subjects (members and notes) fall into parts by their names. The sum of a part combines the digests of
 * its subjects. Two members compare the sums, and then only the parts that differ.
 */
import { BUCKETS } from "./messages.ts";
import { isLiveStatus, type KnownMember, type Note } from "./records.ts";

export interface SubjectBucket {
  /** The digests of all subjects, combined by exclusive or: a change takes one step, whatever the size of the group. */
  sum: number;
  /** The digest of each subject. */
  readonly subjects: Map<string, number>;
}

/** A subject is a member or a note. */
export const memberSubject = (name: string): string => `m${name}`;
export const noteSubject = (key: string): string => `n${key}`;

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a over the code units of a text. */
export function textDigest(text: string): number {
  let digest = OFFSET;
  for (let i = 0; i < text.length; i++) digest = Math.imul(digest ^ text.charCodeAt(i), PRIME);
  // FNV alone leaves the low bits of short texts alike.
  return mixed(digest);
}

/** Spreads the differences of two numbers over all bits, as MurmurHash3 finishes. */
export function mixed(digest: number): number {
  let bits = Math.imul(digest ^ (digest >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

export const partOf = (subject: string): number => textDigest(subject) % BUCKETS;

/** The digest of a record. Suspicions are left out: they end soon, or are settled by other news. */
const memberDigest = ({ name, life, incarnation, status }: KnownMember): number =>
  textDigest(`${name} ${life} ${incarnation}${isLiveStatus(status) ? "" : " dead"}`);

/** What a record adds to a sum. */
interface Summand {
  readonly subject: string;
  readonly part: number;
  readonly digest: number;
}

/** Summands by record. Records never change, and members of one process share them. */
const summands = new WeakMap<KnownMember, Summand>();

function summandOf(member: KnownMember): Summand {
  const known = summands.get(member);
  if (known !== undefined) return known;
  const subject = memberSubject(member.name);
  const summand = { subject, part: partOf(subject), digest: memberDigest(member) };
  summands.set(member, summand);
  return summand;
}

const noteDigest = ({ key, order, value }: Note): number => textDigest(`${key} ${order} ${JSON.stringify(value)}`);

export const noParts = (): SubjectBucket[] =>
  Array.from({ length: BUCKETS }, () => ({ sum: 0, subjects: new Map<string, number>() }));

/** The dead are not summed, because each member forgets them at another time. */
const isSummed = (member: KnownMember | undefined): boolean => member !== undefined && isLiveStatus(member.status);

export function sumMember(
  parts: readonly SubjectBucket[],
  before: KnownMember | undefined,
  after: KnownMember | undefined,
): void {
  const { subject, part: index, digest } = summandOf((after ?? before)!);
  const part = parts[index];
  if (isSummed(before)) part.sum = (part.sum ^ part.subjects.get(subject)!) >>> 0;
  if (after === undefined) part.subjects.delete(subject);
  else part.subjects.set(subject, digest);
  if (isSummed(after)) part.sum = (part.sum ^ part.subjects.get(subject)!) >>> 0;
}

export function sumNote(parts: readonly SubjectBucket[], note: Note): void {
  const subject = noteSubject(note.key);
  const part = parts[partOf(subject)];
  const digest = noteDigest(note);
  part.sum = (part.sum ^ (part.subjects.get(subject) ?? 0) ^ digest) >>> 0;
  part.subjects.set(subject, digest);
}
