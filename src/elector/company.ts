/** What the watch and councils need of the group, for one handler. */
import { isLive, memberNamed, memberOfLife, note, portTo, publish, size } from "../protocols/membership/parent.ts";
import type { Company } from "./council/company.ts";
import type { Turn } from "./state.ts";

export function companyIn({ state, ctx }: Turn): Omit<Company<never>, "send"> {
  const { members, name, life } = state;
  const liveNamed = (other: string) => {
    const member = memberNamed(members, other);
    return member !== undefined && isLive(members, other, member.life) ? member : null;
  };
  return {
    name,
    life,
    size: () => size(members),
    isLive: (other, otherLife) => isLive(members, other, otherLife),
    nameOf: (otherLife) => memberOfLife(members, otherLife)?.name ?? null,
    lifeOf: (other) => liveNamed(other)?.life ?? null,
    portTo: (other) => (liveNamed(other) === null ? null : portTo(members, other, ctx)),
    publish: (key, number, value) => void publish(members, key, [number, 0], value),
    noted: (key) => note(members, key)?.order[0] ?? 0,
    choose: (n) => ctx.choose(n),
    coin: (p) => ctx.coin(p),
  };
}
