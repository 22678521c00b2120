/**
 * Questions of the front to the member's thread. Only a few are under way at a time, so that a turn of the member's event loop stays
 * short. Requests that wait for the same answer are answered by one question, which is asked after the last of them has come.
 */
import type { HandlerName, HandlerRequest } from "./handlers.ts";
import { ApiError, GivenProblem } from "./problem.ts";
import type { FromFront, ToFront } from "./thread.ts";

/** Questions at a time: those that only read, and those that change something, which may take seconds. */
const READS = 8;
const CHANGES = 16;

type Settle = (outcome: string | GivenProblem) => void;

interface Question {
  readonly handler: HandlerName;
  readonly request: HandlerRequest;
  readonly settle: Settle[];
  readonly isRead: boolean;
}

export class Asks {
  private readonly post: (message: FromFront) => void;
  private readonly waiting = new Map<string, Question>();
  private readonly asked = new Map<number, Question>();
  private reads = 0;
  private next = 0;

  constructor(post: (message: FromFront) => void) {
    this.post = post;
  }

  /** `settle` is called in the turn in which the answer comes, before anything else that the member's thread has said since. */
  read(handler: HandlerName, request: HandlerRequest, settle: Settle): void {
    const key = JSON.stringify([handler, request.params, request.query]);
    const question = this.waiting.get(key);
    if (question !== undefined) {
      question.settle.push(settle);
      return;
    }
    this.waiting.set(key, { handler, request, settle: [settle], isRead: true });
    this.pump();
  }

  ask(handler: HandlerName, request: HandlerRequest, isRead: boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const settle: Settle = (outcome) => (outcome instanceof GivenProblem ? reject(outcome) : resolve(outcome));
      if (isRead) this.read(handler, request, settle);
      else if (this.asked.size - this.reads < CHANGES) this.send({ handler, request, settle: [settle], isRead });
      else reject(new ApiError("TOO_MANY", `${CHANGES} requests are under way already`, "ask again later"));
    });
  }

  hear(message: Extract<ToFront, { readonly kind: "answer" | "problem" }>): void {
    const question = this.asked.get(message.id);
    if (question === undefined) return;
    this.asked.delete(message.id);
    if (question.isRead) this.reads--;
    const outcome = message.kind === "answer" ? message.text : new GivenProblem(message.problem, message.headers);
    for (const settle of question.settle) settle(outcome);
    this.pump();
  }

  private pump(): void {
    for (const [key, question] of this.waiting) {
      if (this.reads >= READS) return;
      this.waiting.delete(key);
      this.reads++;
      this.send(question);
    }
  }

  private send(question: Question): void {
    const id = this.next++;
    this.asked.set(id, question);
    this.post({ kind: "ask", id, handler: question.handler, request: question.request });
  }
}
