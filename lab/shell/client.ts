/** The one worker of the page. */
import { Client } from "../run/client.ts";

export const client = new Client();
