/** A request under way, as hono hands it to a route. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

export type HttpContext = Context<{ Bindings: HttpBindings }>;
