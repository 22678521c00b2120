/** Files of this package that are found by their place: programs of threads and processes, texts, the Lab's page. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InputError } from "./errors.ts";

/** What runs in a thread or a process of its own, and its source. The build makes `dist/programs/NAME.js` of each. */
export const PROGRAMS = {
  "campaign-thread": "campaign/worker",
  "explore-thread": "cli/commands/explore/explore-worker",
  "search-thread": "cli/commands/explore/search-thread",
  "http-thread": "live/agent/http/front",
  "sqlite-thread": "live/engines/sqlite-worker",
  "process-member": "live/once/process-member",
  guardian: "live/run/guardian",
  clerk: "cli/commands/demo/clerk",
  leash: "cli/commands/demo/leash",
  warden: "cli/commands/demo/warden",
} as const;

/** Under Node's type stripping the sources run as they are; the package has what the build made of them. */
export function programUrl(program: keyof typeof PROGRAMS): URL {
  const found = codeUrl(isSource() ? `${PROGRAMS[program]}.ts` : `programs/${program}.js`);
  if (existsSync(found)) return found;
  throw new InputError(
    `sortition was bundled, and its file programs/${program}.js is not beside the bundle: leave sortition out of the bundle (esbuild: --external:sortition)`,
  );
}

export const programFile = (program: keyof typeof PROGRAMS): string => fileURLToPath(programUrl(program));

/** `path`: from the folder of the code, which is `src` or `dist`. */
export const codeFile = (path: string): string => fileURLToPath(codeUrl(path));

/** The build puts all code one folder below `dist`. */
const codeUrl = (path: string): URL => new URL(isSource() ? `./${path}` : `../${path}`, here());

const isSource = (): boolean => here().endsWith("/src/package-files.ts");

/** A bundle in CommonJS has no `import.meta.url`. */
const here = (): string => (import.meta.url as string | undefined) ?? "file:///sortition-was-bundled/code/bundle.js";
