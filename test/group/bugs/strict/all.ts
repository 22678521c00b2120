import type { StrictBug } from "./bug.ts";
import { floorForgotten } from "./floor-forgotten.ts";
import { formerLife } from "./former-life.ts";
import { admitsRival, refusesEqual } from "./guards.ts";
import { lateDeadline } from "./late-deadline.ts";
import { notExtended } from "./not-extended.ts";
import { oldAnswer } from "./old-answer.ts";
import { readOnlyTakeOver } from "./read-only-take-over.ts";
import { releaseHitsSuccessor } from "./release-hits-successor.ts";
import { revived } from "./revived.ts";
import { strayGrant } from "./stray-grant.ts";
import { tokenReused } from "./token-reused.ts";
import { unsettled } from "./unsettled.ts";
import { wakesAsLeader } from "./wakes-as-leader.ts";
import { wrongDrift } from "./wrong-drift.ts";

export const STRICT_BUGS: readonly StrictBug[] = [
  revived,
  lateDeadline,
  wrongDrift,
  unsettled,
  wakesAsLeader,
  tokenReused,
  floorForgotten,
  formerLife,
  releaseHitsSuccessor,
  readOnlyTakeOver,
  notExtended,
  strayGrant,
  oldAnswer,
  refusesEqual,
  admitsRival,
];
