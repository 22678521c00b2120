/** What varies in a sweep, as parts that a sentence can show; the notation is the command line's. */
export type Varied =
  | {
      readonly kind: "range";
      readonly name: string;
      readonly from: string;
      readonly to: string;
      readonly points: string;
      readonly isLog: boolean;
    }
  | { readonly kind: "list"; readonly name: string; readonly values: string };

/** Anything that is no range is a list, also what is wrong. */
export function variedIn(text: string): Varied {
  const at = text.indexOf("=");
  const name = at < 0 ? "n" : text.slice(0, at);
  const values = text.slice(at + 1);
  const range = /^([\d.e-]+)\.\.([\d.e]+)(?::(log))?(?::(\d+))?$/.exec(values);
  if (range === null) return { kind: "list", name, values: values.replaceAll(",", ", ") };
  const [, from, to, log, points = ""] = range;
  return { kind: "range", name, from, to, points, isLog: log !== undefined };
}

export function varyText(varied: Varied): string {
  if (varied.kind === "list") return `${varied.name}=${varied.values.replace(/\s*,\s*/g, ",").trim()}`;
  const { name, from, to, points, isLog } = varied;
  return `${name}=${from}..${to}${isLog ? ":log" : ""}${points === "" ? "" : `:${points}`}`;
}

/** What is worth trying first, for each setting. */
const FIRST: Readonly<Record<string, string>> = {
  n: "n=8..512:log:7",
  loss: "loss=0..0.02:5",
  "multicast-loss": "multicast-loss=0,0.02,0.05,0.1",
  crash: "crash=0,0.05,0.1,0.2",
  initiators: "initiators=10%,50%,100%",
};

export const firstOf = (name: string): string => FIRST[name] ?? `${name}=1,2,4,8`;
export const VARIED = Object.keys(FIRST);
