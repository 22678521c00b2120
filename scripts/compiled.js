/** Programs that keep what Node has compiled for them do so in the project, and not in the temporary folder, where it would stay. */
import { fileURLToPath } from "node:url";

process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/sortition-compiled", import.meta.url));
