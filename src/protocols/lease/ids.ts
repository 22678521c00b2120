/** Names of leases and sessions: text that engines store and guards compare, and that a person can read. */
import type { LeaseId, SessionId } from "./messages.ts";

const idOf = (name: string, life: number, number: number): string => `${life.toString(36)}.${number}.${name}`;

/** `request` counts the leases that one life has asked for. */
export const leaseId = (name: string, life: number, request: number): LeaseId => idOf(name, life, request);

/** `opening` counts the sessions that one life has opened. */
export const sessionId = (name: string, life: number, opening: number): SessionId => idOf(name, life, opening);
