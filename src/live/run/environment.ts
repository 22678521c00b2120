/** The environment of the command: what it is told about its office, and without the secrets of this process. */
import { AGENT_KEYS, agentSetting, variableOf } from "../../settings/member.ts";
import type { JobLeadership } from "../jobs/job.ts";
import type { Leadership } from "../leading/scope.ts";

type Environment = Record<string, string>;

const SECRETS: readonly string[] = AGENT_KEYS.filter((key) => agentSetting(key).secret).map(variableOf);

/** Without keys, bearer tokens, and addresses that may hold a password. */
export function withoutSecrets(env: Readonly<Record<string, string | undefined>>): Environment {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || SECRETS.includes(name) ? [] : [[name, value]],
    ),
  );
}

export function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  group: string,
  { office, seat, term, token, fence }: Pick<Leadership, "office" | "seat" | "term" | "token" | "fence">,
  job: Pick<JobLeadership, "key" | "scheduledAt" | "attempt"> | null = null,
): Environment {
  // Those of a run around this one would be taken for its own.
  const { SORTITION_TOKEN: _, SORTITION_FENCE: __, SORTITION_SCHEDULED_AT: ___, ...rest } = withoutSecrets(env);
  return {
    ...rest,
    SORTITION_GROUP: group,
    SORTITION_OFFICE: office,
    SORTITION_SEAT: seat,
    SORTITION_TERM: String(term),
    ...(token !== null && { SORTITION_TOKEN: String(token) }),
    ...(fence !== null && { SORTITION_FENCE: fence }),
    ...(job !== null && { SORTITION_JOB: job.key, SORTITION_ATTEMPT: String(job.attempt) }),
    ...(job?.scheduledAt && { SORTITION_SCHEDULED_AT: job.scheduledAt.toISOString() }),
  };
}
