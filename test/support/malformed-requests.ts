/** Requests that an API must refuse, from a seed: `kept` ones leave the connection open, `breaking` ones end it. */
import { HostStream } from "../../src/random/streams.ts";

const PATHS = [
  ...[
    "/v1/leader",
    "/v1/offices/leader",
    "/v1/self",
    "/v1/members",
    "/v1/council",
    "/v1/events",
    "/healthz",
    "/metrics",
  ],
  ...["/v1/resign", "/v1/transfer", "/v1/elect", "/v1/rekey", "/openapi.json"],
];
const POSTS = ["/v1/resign", "/v1/transfer", "/v1/elect", "/v1/rekey"];
const METHODS = ["PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "TRACE", "PURGE"];
const HOSTS = [
  ...[
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "[::2]",
    "localhost@evil",
    "a b",
    "%",
    "[",
    "-",
  ],
  ...[
    "localhost:999999",
    "127.0.0.1:80:80",
    "\xff\xfe",
    "http://localhost",
    "localhost/..",
    "xn--",
    "0x7f.1",
    "2130706433",
  ],
];
const ORIGINS = [
  "http://evil.example",
  "null",
  "file://",
  "https://localhost",
  "http://localhost:1",
  "*",
  "http://",
  "\xff",
];
const VALUES = ["1", "true", "null", "[]", "{}", "1e999", '["leader"]', '{"name":"leader"}', "-0", "false"];

export class MalformedRequests {
  private readonly draws: HostStream;
  private readonly token: string;

  constructor(seed: number, token: string) {
    this.draws = new HostStream(seed, 0, "plan");
    this.token = `Authorization: Bearer ${token}\r\n`;
  }

  /** Each is answered, and the next one on the same connection too. */
  kept(): Buffer {
    const { host, token } = this;
    const post = (body: string | Buffer, headers = "", path = this.of(POSTS)) =>
      message(`POST ${path} HTTP/1.1\r\n${host}${token}Content-Type: application/json\r\n${headers}`, body);
    const make: (() => Buffer)[] = [
      () => message(`${this.of(METHODS)} ${this.of(PATHS)} HTTP/1.1\r\n${host}`),
      () => message(`GET /x${this.noise(40)} HTTP/1.1\r\n${host}`),
      () =>
        message(
          `GET /v1/offices/${this.of(["%", "%ff", "%00", "%2e%2e%2f", "a".repeat(3000), "..%2f..", "%F0%9F%92%A9", "shards%230"])} HTTP/1.1\r\n${host}`,
        ),
      () =>
        message(`GET /lab/${this.of(["..", "%2e%2e", "..%2f", "%5c", "%00"])}/x${this.noise(9)} HTTP/1.1\r\n${host}`),
      () => message(`GET ${this.of(PATHS)} HTTP/1.1\r\nHost: ${this.of(HOSTS)}\r\n`),
      () => message(`GET ${this.of(PATHS)} HTTP/1.1\r\n`),
      () => message(`GET ${this.of(PATHS)} HTTP/1.1\r\n${host}Origin: ${this.of(ORIGINS)}\r\n`),
      () => message(`GET ${this.of(PATHS)} HTTP/1.1\r\n${host}Sec-Fetch-Site: cross-site\r\n`),
      () =>
        message(`GET http://${this.of(["evil.example", "localhost", "%", ""])}${this.of(PATHS)} HTTP/1.1\r\n${host}`),
      () =>
        message(
          `GET /v1/council?${this.of(["office=a&office=b", "ofice=x", "office=", "__proto__=1", "office=%ff", "a".repeat(900)])} HTTP/1.1\r\n${host}`,
        ),
      () =>
        message(
          `POST ${this.of(POSTS)} HTTP/1.1\r\n${host}Authorization: ${this.of(["", "Bearer", "Bearer x", "Basic eA==", "Bearer \xff", `Bearer ${"y".repeat(500)}`])}\r\n`,
          "{}",
        ),
      () =>
        post(this.of(["{", "[]", "null", '"x"', "12", "{'a':1}", "{}{}", "NaN", '{"to":', "\u0000", "[".repeat(2000)])),
      () => post(`{"to":${this.of(VALUES)},"office":${this.of(VALUES)}}`, "", "/v1/transfer"),
      () => post(`{"office":${this.of(VALUES)}}`, "", this.of(["/v1/resign", "/v1/elect"])),
      () => post(`{"${this.of(["__proto__", "constructor", "ofice", "Office", "to "])}":"leader"}`),
      () => post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
      () => post('{"to":"nobody at all"}', "", "/v1/transfer"),
      () => post('{"office":"nothing"}', "", this.of(["/v1/resign", "/v1/elect"])),
      () => post("x".repeat(1 + this.draws.choose(16_000)), "Content-Encoding: gzip\r\n"),
      () =>
        chunked(
          `POST ${this.of(POSTS)} HTTP/1.1\r\n${host}${token}Content-Type: application/json\r\n`,
          `x${this.noise(60)}`,
        ),
      () =>
        message(
          `POST ${this.of(POSTS)} HTTP/1.1\r\n${host}${token}Content-Type: ${this.of(["text/plain", "application/xml", "multipart/form-data", "application/jsonp", ""])}\r\n`,
          "{}",
        ),
      () =>
        message(
          `GET ${this.of(["/v1/x", "/v2/leader", "//", "/v1/", "/V1/LEADER", "/v1/leader/", "/v1//leader", "/v1/leader;x"])} HTTP/1.1\r\n${host}X-${this.draws.choose(1e9)}: ${"z".repeat(this.draws.choose(12_000))}\r\n`,
        ),
      () => message(`GET /v1/nothing HTTP/1.0\r\n${host}Connection: keep-alive\r\n`),
    ];
    return make[this.draws.choose(make.length)]();
  }

  /** After each the connection is of no use; some are not answered. */
  breaking(): Buffer {
    const { host, token } = this;
    const head = `POST /v1/resign HTTP/1.1\r\n${host}${token}Content-Type: application/json\r\n`;
    const texts = [
      ...[
        this.noise(200),
        "\r\n\r\n\r\nx",
        "GET\r\n\r\n",
        "GET /v1/leader\r\n\r\n",
        "GET /v1/leader HTTP/9.9\r\n\r\n",
        "GET  /v1/leader HTTP/1.1\r\n\r\n",
      ],
      ...[
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
      ],
      ...[
        `GET /v1/leader HTTP/1.1\r\n${host}no colon\r\n\r\n`,
        `GET /v1/leader HTTP/1.1\r\n${host} folded: x\r\n\r\n`,
        `GET /v1/lea\0der HTTP/1.1\r\n${host}\r\n`,
      ],
      ...[
        `GET /v1/leader HTTP/1.1\r\n${host}X: ${"x".repeat(20_000)}\r\n\r\n`,
        `GET /${"x".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
      ],
      ...[
        `${head}Content-Length: -1\r\n\r\n{}`,
        `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
        `${head}Content-Length: 99999999999999999999\r\n\r\n{}`,
      ],
      ...[
        `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
        `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
        `${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
      ],
      ...[
        `${head}Transfer-Encoding: gzip\r\n\r\n{}`,
        `${head}Transfer-Encoding: chunked\r\n\r\n2;${"e".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
      ],
      ...[
        `${head}Content-Length: 100000\r\n\r\n${"x".repeat(17_000)}`,
        `${head}Transfer-Encoding: chunked\r\n\r\n4400\r\n${"x".repeat(0x4400)}\r\n0\r\n\r\n`,
      ],
      `GET /v1/nothing HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      // Half of a request: the other half never comes.
      ...[
        "GET /v1/lead",
        `${head}Content-Length: 20\r\n\r\n{"office":`,
        `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"o`,
        "POST /v1/resign HTTP/1.1\r\nHost: loc",
      ],
    ];
    return Buffer.from(this.of(texts), "latin1");
  }

  private get host(): string {
    return `Host: ${this.of(["localhost", "127.0.0.1", "LOCALHOST:7070", "[::1]:80"])}\r\n`;
  }

  private of<T>(values: readonly T[]): T {
    return values[this.draws.choose(values.length)];
  }

  /** Whatever may stand in a target. */
  private noise(most: number): string {
    return Array.from({ length: 1 + this.draws.choose(most) }, () => String.fromCharCode(33 + this.draws.choose(94)))
      .join("")
      .replaceAll(/[?#%\\]/g, "x");
  }
}

const message = (head: string, body: string | Buffer = ""): Buffer => {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  const length = bytes.length > 0 ? `Content-Length: ${bytes.length}\r\n` : "";
  return Buffer.concat([Buffer.from(`${head}${length}\r\n`, "latin1"), bytes]);
};

const chunked = (head: string, body: string): Buffer =>
  Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, "latin1");
