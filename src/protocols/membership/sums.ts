/**
 * What a member knows as a few numbers: subjects (members and notes) fall into parts by their name, and each part has the sum
 * of the digests of what is known of its subjects. Two members compare the sums, and then only what differs.
 */
import { BUCKETS } from "./messages.ts";
import { isLiveStatus, type KnownMember, type Note } from "./records.ts";

export interface SubjectBucket {
  /** The digests of all subjects, combined by exclusive or: a change takes one step, whatever the size of the group. */
  sum: number;
  readonly subjects: Set<string>;
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
  // FNV leaves the low bits of short texts alike; finish as MurmurHash3 does.
  digest = Math.imul(digest ^ (digest >>> 16), 0x85ebca6b);
  digest = Math.imul(digest ^ (digest >>> 13), 0xc2b2ae35);
  return (digest ^ (digest >>> 16)) >>> 0;
}

export const partOf = (subject: string): number => textDigest(subject) % BUCKETS;

/**
 * Suspicion passes or is settled by news of its own: it is no difference between two views. Nor is whether the dead are
 * remembered, of which each has its own time.
 */
const memberDigest = ({ name, life, incarnation, status }: KnownMember): number =>
  isLiveStatus(status) ? textDigest(`${name} ${life} ${incarnation}`) : 0;

const noteDigest = ({ key, order, value }: Note): number => textDigest(`${key} ${order} ${JSON.stringify(value)}`);

export const noParts = (): SubjectBucket[] =>
  Array.from({ length: BUCKETS }, () => ({ sum: 0, subjects: new Set<string>() }));

export function sumMember(
  parts: readonly SubjectBucket[],
  before: KnownMember | undefined,
  after: KnownMember | undefined,
): void {
  change(
    parts,
    memberSubject((after ?? before)!.name),
    before && memberDigest(before),
    after === undefined ? undefined : memberDigest(after),
  );
}

export function sumNote(parts: readonly SubjectBucket[], before: Note | undefined, after: Note): void {
  change(parts, noteSubject(after.key), before && noteDigest(before), noteDigest(after));
}

function change(
  parts: readonly SubjectBucket[],
  subject: string,
  before: number | undefined,
  after: number | undefined,
): void {
  const part = parts[partOf(subject)];
  part.sum = (part.sum ^ (before ?? 0) ^ (after ?? 0)) >>> 0;
  if (before === undefined) part.subjects.add(subject);
  if (after === undefined) part.subjects.delete(subject);
}
