/** An object of which `JSON.stringify` makes something: whole numbers of any size become texts, and no fence is in it. */
export function jsonable<T extends object>(value: T): T {
  return Object.defineProperty(value, "toJSON", {
    enumerable: false,
    configurable: true,
    value(this: object) {
      const fields = Object.entries(this).filter(([name]) => name !== "fence");
      return Object.fromEntries(fields.map(([name, it]) => [name, typeof it === "bigint" ? String(it) : it]));
    },
  });
}
