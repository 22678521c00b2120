/**
 * Messages on their way where all take the same time, in the order of sending. What a contender tells all its mediators is one
 * entry; under loss each copy draws when it is sent, so then every message is an entry.
 */
import { type Requests, receiver } from "./requests.ts";

export interface Post {
  to: number;
  from: number;
  kind: number;
}

/** In the place of a receiver: all mediators of the sender. */
const ALL = -1;
/** Numbers of an entry: receiver or `ALL`, sender, kind, who is left out, and when it arrives. */
const WIDTH = 5;

export class Letters {
  private readonly requests: Requests;
  private readonly firstOf: (contender: number) => number;
  private readonly asked: number;
  private entries: Float64Array = new Float64Array(WIDTH * 1024);
  private head = 0;
  private tail = 0;

  /** `firstOf`: where the requests of a contender begin. */
  constructor(requests: Requests, firstOf: (contender: number) => number, asked: number) {
    this.requests = requests;
    this.firstOf = firstOf;
    this.asked = asked;
  }

  get waiting(): number {
    return this.tail - this.head;
  }

  /** When the first arrives. */
  get at(): number {
    return this.entries[this.head + 4];
  }

  send(to: number, from: number, kind: number, time: number): void {
    const { loss, losses } = this.requests;
    if (loss > 0 && losses.flip()) return;
    this.push(to, from, kind, -1, time);
  }

  /** To all mediators of a contender but one; how many that are. */
  sendAll(from: number, kind: number, except: number, time: number): number {
    const { requests, asked } = this;
    let sent = 0;
    const first = this.firstOf(from);
    for (let i = first; i < first + asked; i++) {
      const to = receiver(requests.list[i]);
      if (to === except) continue;
      sent++;
      if (requests.loss > 0) this.send(to, from, kind, time);
    }
    if (requests.loss === 0) this.push(ALL, from, kind, except, time);
    return sent;
  }

  /** Delivers all that arrives at the time of the first; what is sent meanwhile arrives later. */
  deliver(receive: (post: Post) => void): void {
    const { requests, asked } = this;
    const time = this.at;
    const post: Post = { to: 0, from: 0, kind: 0 };
    while (this.waiting > 0 && this.at === time) {
      const { entries, head } = this;
      const to = entries[head];
      const from = entries[head + 1];
      const except = entries[head + 3];
      post.from = from;
      post.kind = entries[head + 2];
      this.head += WIDTH;
      const first = this.firstOf(from);
      for (let i = 0; i < (to === ALL ? asked : 1); i++) {
        post.to = to === ALL ? receiver(requests.list[first + i]) : to;
        if (to !== ALL || post.to !== except) receive(post);
      }
    }
  }

  private push(to: number, from: number, kind: number, except: number, time: number): void {
    if (this.tail === this.entries.length) this.makeRoom();
    const { entries, tail } = this;
    entries[tail] = to;
    entries[tail + 1] = from;
    entries[tail + 2] = kind;
    entries[tail + 3] = except;
    entries[tail + 4] = time;
    this.tail += WIDTH;
  }

  private makeRoom(): void {
    const left = this.entries.subarray(this.head, this.tail);
    if (2 * left.length > this.entries.length) {
      const larger = new Float64Array(2 * this.entries.length);
      larger.set(left);
      this.entries = larger;
    } else this.entries.copyWithin(0, this.head, this.tail);
    this.tail -= this.head;
    this.head = 0;
  }
}
