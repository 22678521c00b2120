/** What openapi.json says, held against what is answered: by path, method and status. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

interface Media {
  readonly schema: object;
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export class Contract {
  /** "get /v1/leader 200": what was answered at least once. */
  readonly seen = new Set<string>();
  private readonly description: Description;
  private readonly ajv = new Ajv2020({ strict: false });
  private readonly checks = new Map<string, ValidateFunction>();

  constructor(description: Description) {
    this.description = description;
  }

  /** Every answer that is described, as in `seen`. */
  get described(): string[] {
    return Object.entries(this.description.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { responses }]) =>
        Object.keys(responses).map((status) => `${method} ${path} ${status}`),
      ),
    );
  }

  /** What is wrong with an answer; null where nothing is. */
  complaint(method: string, path: string, status: number, type: string, text: string): string | null {
    const key = `${method} ${path} ${status}`;
    const content = this.description.paths[path]?.[method]?.responses[status]?.content;
    if (content === undefined) return `${key} is not described`;
    const media = content[type];
    if (media === undefined) return `${key}: the type ${type} is not described`;
    this.seen.add(key);
    const value = type.endsWith("json") ? JSON.parse(text) : text;
    const check = this.checkOf(key, media.schema);
    return check(value) ? null : `${key}: ${this.ajv.errorsText(check.errors)} in ${text.slice(0, 500)}`;
  }

  /** By the strict reading: a field that is not described is wrong here, though not for clients. */
  private checkOf(key: string, schema: object): ValidateFunction {
    const known = this.checks.get(key);
    if (known !== undefined) return known;
    const check = this.ajv.compile(strict({ ...schema, components: this.description.components }) as object);
    this.checks.set(key, check);
    return check;
  }
}

function strict(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(strict);
  if (typeof given !== "object" || given === null) return given;
  const fields = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, strict(value)]));
  const isClosed = "properties" in fields && !("additionalProperties" in fields) && fields.type === "object";
  return isClosed ? { ...fields, additionalProperties: false } : fields;
}
