/** From the command line of `sweep` to the settings of its points. */

import type { Planned } from "../../../campaign/sweep.ts";
import { InputError } from "../../../errors.ts";
import type { Found } from "../../../protocols/registry.ts";
import { axisOf, type SweepAxis, withValue } from "../../../simulation/axis.ts";
import { resolve } from "../../../simulation/settings.ts";
import { isNumber } from "../../../values.ts";
import { requestFrom, type SimulateOptions } from "../../options/request.ts";

export interface SweepDesign {
  readonly protocols: readonly string[];
  /** What varies: along the x axis, and where there are two, from line to line. */
  readonly axes: readonly SweepAxis[];
  readonly points: readonly Planned[];
}

/** Every point, checked: what cannot work is refused before anything runs. */
export function designOf(found: readonly Found[], vary: readonly string[], options: SimulateOptions): SweepDesign {
  const protocols = found.map(({ protocol }) => protocol);
  const twice = protocols.find(({ name }, i) => protocols.slice(0, i).some((other) => other.name === name));
  if (twice !== undefined) throw new InputError(`a protocol is named twice: ${twice.name}`);
  if (vary.length === 0 || vary.length > 2) {
    throw new InputError(`--vary must be given once or twice, not ${vary.length} times: --vary n=100..10000:log:5`);
  }
  const axes = vary.map((text) => axisOf(text, protocols));
  if (axes.length === 2 && axes[0].name === axes[1].name) throw new InputError(`--vary ${axes[0].name} is given twice`);
  for (const axis of axes) refuseGiven(axis, options);

  const [along, across] = axes;
  // Lines of the figure are compared with the first line, at the same x.
  const points: Planned[] = [];
  for (const x of along.values) {
    const first = points.length;
    for (const { protocol, source } of found) {
      for (const z of across?.values ?? [null]) {
        const varied = withValue(options, along, x);
        const settings = resolve(requestFrom(source!, z === null ? varied : withValue(varied, across, z)));
        const labels = {
          protocol: protocol.name,
          [along.name]: label(x),
          ...(z === null ? {} : { [across.name]: label(z) }),
        };
        points.push({ labels, settings, comparedWith: points.length === first ? null : first });
      }
    }
  }
  const single = protocols.length === 1 && across === undefined;
  return { protocols: protocols.map(({ name }) => name), axes, points: single ? points.map(toFirst(along)) : points };
}

/** Where there is one line only, its points are compared with the first; sizes are not, for they differ in everything. */
const toFirst =
  ({ comparable }: SweepAxis) =>
  (point: Planned, index: number): Planned => ({ ...point, comparedWith: index > 0 && comparable ? 0 : null });

const label = (value: string): string | number => (isNumber(value) ? Number(value) : value);

/** A value that is given and varied at once: one of the two is a mistake. */
function refuseGiven({ name, field }: SweepAxis, options: SimulateOptions): void {
  const given =
    field === null ? options.param?.some((pair) => pair.startsWith(`${name}=`)) === true : options[field] !== undefined;
  if (given) throw new InputError(`${name} is varied and given as well: leave one of them out`);
}
