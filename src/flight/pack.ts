/**
 * The state of a machine as values that the codec can write: maps, sets and objects that are reached in two ways come back as they were.
 * Every list, object, map and set gets a number; what holds it says [number].
 */
import { Malformed } from "../wire/bytes.ts";

/** A kind, then items, names and fields in turn, or keys and values in turn. */
type PackedNode = readonly unknown[];

const LIST = 0;
const OBJECT = 1;
const MAP = 2;
const SET = 3;

/** Throws a TypeError where the state is not plain data. */
export function pack(value: unknown): unknown {
  const nodes: unknown[][] = [];
  const numbers = new Map<object, number>();
  const packed = (part: unknown): unknown => {
    if (typeof part === "function" || typeof part === "symbol") {
      throw new TypeError(`the state holds a ${typeof part}, which is not plain data`);
    }
    if (typeof part !== "object" || part === null) return part;
    const known = numbers.get(part);
    if (known !== undefined) return [known];
    const number = nodes.length;
    numbers.set(part, number);
    const node: unknown[] = [];
    nodes.push(node);
    if (Array.isArray(part)) {
      node.push(LIST);
      for (const item of part) node.push(packed(item));
    } else if (part instanceof Map) {
      node.push(MAP);
      for (const [key, item] of part) node.push(packed(key), packed(item));
    } else if (part instanceof Set) {
      node.push(SET);
      for (const item of part) node.push(packed(item));
    } else {
      const prototype = Object.getPrototypeOf(part);
      if (prototype !== Object.prototype && prototype !== null) {
        throw new TypeError(`the state holds a ${prototype.constructor?.name || "class"}, which is not plain data`);
      }
      node.push(OBJECT);
      for (const [name, field] of Object.entries(part)) node.push(name, packed(field));
    }
    return [number];
  };
  const root = packed(value);
  return [root, ...nodes];
}

/** Throws `Malformed` where nothing of ours has packed it. */
export function unpack(packed: unknown): unknown {
  if (!Array.isArray(packed) || packed.length === 0) throw new Malformed("its state is no state");
  const [root, ...nodes] = packed as [unknown, ...unknown[]];
  const made = nodes.map((node) => emptyOf(node));
  const value = (part: unknown): unknown => {
    if (!Array.isArray(part)) {
      if (typeof part === "object" && part !== null) throw new Malformed("its state is no state");
      return part;
    }
    const [number] = part;
    if (part.length !== 1 || !Number.isInteger(number) || !(number in made)) {
      throw new Malformed("its state refers to nothing");
    }
    return made[number];
  };
  for (const [i, node] of (nodes as PackedNode[]).entries()) fill(made[i], node, value);
  return value(root);
}

type Made = unknown[] | Map<unknown, unknown> | Set<unknown> | Record<string, unknown>;

function emptyOf(node: unknown): Made {
  if (!Array.isArray(node)) throw new Malformed("its state is no state");
  switch (node[0]) {
    case LIST:
      return [];
    case OBJECT:
      return {};
    case MAP:
      return new Map();
    case SET:
      return new Set();
    default:
      throw new Malformed("its state has a part of an unknown kind");
  }
}

function fill(made: Made, node: PackedNode, value: (part: unknown) => unknown): void {
  if (made instanceof Set) for (const item of node.slice(1)) made.add(value(item));
  else if (Array.isArray(made)) for (const item of node.slice(1)) made.push(value(item));
  else {
    if (node.length % 2 === 0) throw new Malformed("its state has a name without a value");
    for (let i = 1; i < node.length; i += 2) {
      const [key, item] = [node[i], value(node[i + 1])];
      if (made instanceof Map) made.set(value(key), item);
      else if (typeof key !== "string" || key === "__proto__") throw new Malformed("its state has a wrong name");
      else made[key] = item;
    }
  }
}
