/** Whom the API answers, and whom it refuses: names, origins, tokens, certificates, slow and broken requests. */
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { connect, type Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { expect, onTestFinished, test } from "vitest";
import { InputError } from "../../src/errors.ts";
import type { GroupError } from "../../src/live/join/errors.ts";
import { membersOf, served, TOKEN } from "../support/api.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** With any header, which `fetch` does not let one set. */
function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith("https") ? secureRequest : request;
    const { origin } = new URL(url);
    send(origin, { path: url.slice(origin.length), headers, agent: false, ...more }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, text }));
    })
      .on("error", reject)
      .end();
  });
}

const codeOf = ({ status, text }: Answer) => `${status} ${status < 400 ? "" : JSON.parse(text).code}`.trim();
const temporary = () => {
  const folder = mkdtempSync(join(tmpdir(), "sortition-http-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

test("names, origins and tokens: on loopback, beyond it, and with configured names", async () => {
  const [member] = await membersOf(["a"], { strict: false });
  const local = await served(member, { settings: { httpHosts: ["agent.example"] } });
  const hosts: [string, string][] = [
    ...["localhost", "LocalHost:1", "127.0.0.1", "127.9.9.9:80", "[::1]:7070", hostname(), "agent.example:80"].map(
      (host): [string, string] => [host, "200"],
    ),
    ...["evil.example", "localhost.evil.example", "agent.example.evil", "10.0.0.1", "[::2]"].map(
      (host): [string, string] => [host, "403 BAD_HOST"],
    ),
  ];
  // What is no name at all is not even read.
  for (const host of ["localhost@evil", "x y"]) hosts.push([host, "400 BAD_REQUEST"]);
  for (const [host, expected] of hosts) {
    expect([host, codeOf(await ask(`${local.api.url}/v1/leader`, { host }))]).toEqual([host, expected]);
  }
  const twice = ["Host", "localhost", "Host", "evil.example"];
  expect(codeOf(await ask(`${local.api.url}/v1/leader`, {}, { headers: twice }))).toBe("400 BAD_REQUEST");
  const host = new URL(local.api.url).host;
  const origins: [Record<string, string>, string][] = [
    [{ origin: `http://${host}` }, "200"],
    [{ origin: `https://${host}` }, "403 BAD_ORIGIN"],
    [{ origin: "http://localhost:3000" }, "403 BAD_ORIGIN"],
    [{ origin: "null" }, "403 BAD_ORIGIN"],
    [{ "sec-fetch-site": "same-origin" }, "200"],
    [{ "sec-fetch-site": "none" }, "200"],
    [{ "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }, "403 BAD_ORIGIN"],
    [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, "200"],
  ];
  for (const [headers, expected] of origins) {
    const answer = await ask(`${local.api.url}/v1/leader`, headers);
    expect([headers, codeOf(answer)]).toEqual([headers, expected]);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  }
  const bearers: [string, string][] = [
    [`Bearer ${TOKEN}`, "200"],
    [`bearer ${TOKEN}`, "200"],
    [`Bearer ${TOKEN}x`, "401 TOKEN_NEEDED"],
    [`Bearer ${TOKEN.slice(1)}`, "401 TOKEN_NEEDED"],
    [`Basic ${TOKEN}`, "401 TOKEN_NEEDED"],
    ["", "401 TOKEN_NEEDED"],
  ];
  const wide = await served(member, { settings: { http: "0.0.0.0:0" } });
  for (const [authorization, expected] of bearers) {
    const answer = await ask(`${wide.api.url}/v1/leader`, { authorization });
    expect([authorization, codeOf(answer)]).toEqual([authorization, expected]);
    if (expected !== "200") expect(answer.headers["www-authenticate"]).toContain("Bearer");
    expect(codeOf(await ask(`${local.api.url}/v1/rekey`, { authorization }, { method: "POST" }))).toBe(expected);
  }
  // Reached by an address that it does not know of, through some translation; the page itself is public.
  expect(
    codeOf(await ask(`${wide.api.url}/v1/leader`, { host: "203.0.113.7", authorization: `Bearer ${TOKEN}` })),
  ).toBe("200");
  for (const path of ["/healthz", "/readyz"]) expect(codeOf(await ask(`${wide.api.url}${path}`))).toBe("200");
  const bare = await served(member, { settings: { httpToken: undefined } });
  expect(codeOf(await ask(`${bare.api.url}/v1/rekey`, {}, { method: "POST" }))).toBe("403 NO_TOKEN");
  expect([...local.lines, ...wide.lines].join("")).not.toContain(TOKEN);
});

test("what cannot be served is refused in words before anything listens", async () => {
  const [member] = await membersOf(["a"], { strict: false });
  const one = await served(member);
  const cases: [Record<string, string | undefined>, string, RegExp][] = [
    [{ http: "0.0.0.0:0", httpToken: undefined }, "BAD_OPTION", /no bearer token/],
    [{ httpToken: "short" }, "BAD_OPTION", /fewer than 16 characters/],
    [{ http: new URL(one.api.url).host }, "ADDRESS_IN_USE", /cannot be served/],
    [{ tlsCert: "cert.pem" }, "BAD_OPTION", /both/],
  ];
  for (const [settings, code, words] of cases) {
    const error = (await served(member, { settings: settings as never }).catch((error) => error)) as GroupError;
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
    expect(error.message).not.toContain("short");
  }
});

test("files of the Lab: nothing outside their folder, HEAD without a body, other methods refused", async () => {
  const [member] = await membersOf(["a"], { strict: false });
  const { api } = await served(member);
  const outside = [
    ...["/lab/../package.json", "/lab/..%2f..%2fpackage.json", "/lab/%2e%2e/%2e%2e/package.json", "/lab//etc/passwd"],
    ...["/lab/..%5c..%5cpackage.json", "/lab/%00", "/lab/%", "/lab/assets", "/lab/....//....//package.json"],
  ];
  for (const path of outside) {
    const answer = await ask(`${api.url}${path}`);
    expect([path, answer.status >= 400, answer.text.includes('"name": "sortition"')]).toEqual([path, true, false]);
  }
  const head = await ask(`${api.url}/v1/leader`, {}, { method: "HEAD" });
  expect([head.status, head.text, Number(head.headers["content-length"]) > 100]).toEqual([200, "", true]);
  expect(codeOf(await ask(`${api.url}/lab/`, {}, { method: "POST" }))).toBe("405 WRONG_METHOD");
  expect((await ask(`${api.url}/`)).headers.location).toBe("/lab/");
});

test("who sends its headers, or its body, too slowly is cut off in words, and others are answered meanwhile", async () => {
  const [member] = await membersOf(["a"], { strict: false });
  const { api } = await served(member, { limits: { headersWithin: 300, requestWithin: 600 } });
  const port = Number(new URL(api.url).port);
  const body = `POST /v1/resign HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 9\r\n\r\n{`;
  const slow = ["GET /v1/leader HTTP/1.1\r\nHost: loc", body].map(
    (text) =>
      new Promise<string>((resolve) => {
        let said = "";
        const socket = connect(port, "127.0.0.1", () => socket.write(text));
        socket.on("data", (chunk) => {
          said += chunk;
        });
        socket.on("error", () => {}).on("close", () => resolve(said));
      }),
  );
  expect(codeOf(await ask(`${api.url}/v1/leader`))).toBe("200");
  for (const said of await Promise.all(slow)) expect(said).toMatch(/^HTTP\/1\.1 408 .*"code":"TOO_SLOW"/s);
});

const POST = `POST /v1/elect HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

/** A connection whose client may end its side first, and what it is told. */
function halfOpen({ url }: { readonly url: string }) {
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  const client = { socket, text: "" };
  socket.setEncoding("utf8").on("data", (piece) => {
    client.text += piece;
  });
  return client;
}

test.each([
  ["a body that ends early", `${POST}Content-Length: 100\r\n\r\n{`, 400, "BAD_REQUEST"],
  ["a chunk of no size", `${CHUNKED}ffffffffffffffffff\r\n`, 400, "BAD_REQUEST"],
  ["a chunk with a long extension", `${CHUNKED}1;${"e".repeat(20_000)}\r\n`, 413, "TOO_LARGE"],
  ["an expectation, of another host", "GET / HTTP/1.1\r\nHost: evil.example\r\nExpect: much\r\n\r\n", 403, "BAD_HOST"],
])("%s is refused in words", async (_, said, status, code) => {
  const [member] = await membersOf(["a"], { strict: false });
  const { api } = await served(member);
  const client = halfOpen(api);
  client.socket.end(said);
  await once(client.socket, "end");
  expect(client.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*"code":"${code}"`, "s"));
});

test.each([
  ["after its refusal has left", true, ""],
  ["with it", false, ""],
  ["with it, behind a request", false, "GET /v1/self HTTP/1.1\r\nHost: localhost\r\n\r\n"],
])(
  "a request that is refused, and whose body then breaks, gets one response: broken %s",
  async (_, isLater, before) => {
    const [member] = await membersOf(["a"], { strict: false });
    const { api } = await served(member);
    const client = halfOpen(api);
    const { socket } = client;
    const [head, broken] = [CHUNKED.replace("localhost", "evil.example"), "2\r\n{}\r\nzz\r\n"];
    socket.write(`${before}${isLater ? head : `${head}${broken}`}`);
    if (isLater) {
      await once(socket, "data");
      socket.write(broken);
    }
    await once(socket, "end");
    socket.end();
    expect(client.text.match(/^HTTP\/1\.1 \d+/gm)).toEqual([
      ...(before === "" ? [] : ["HTTP/1.1 200"]),
      "HTTP/1.1 403",
    ]);
  },
);

test("who opens too many connections loses its oldest; who was answered keeps its place, and who comes is answered", async () => {
  const [member] = await membersOf(["a"], { strict: false });
  const { api } = await served(member, { limits: { connections: 4 } });
  const port = Number(new URL(api.url).port);
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const answerOn = async (socket: Socket) => {
    socket.write("GET /v1/self HTTP/1.1\r\nhost: localhost\r\n\r\n");
    return String((await once(socket, "data"))[0]).split("\r\n")[0];
  };
  const kept = await open();
  expect(await answerOn(kept)).toBe("HTTP/1.1 200 OK");
  const idle: Socket[] = [];
  for (let i = 0; i < 12; i++) idle.push(await open());
  // The newest three, beside the kept one: no others are left.
  await Promise.all(idle.slice(0, 9).map((socket) => socket.destroyed || once(socket.resume(), "close")));
  expect(await answerOn(kept)).toBe("HTTP/1.1 200 OK");
  expect(await answerOn(await open())).toBe("HTTP/1.1 200 OK");
  expect(idle.slice(10).map(({ destroyed }) => destroyed)).toEqual([false, false]);
});

test("TLS by files, which are read again: a new certificate and a new token count from then on", async () => {
  const folder = temporary();
  const [cert, key, tokens] = ["cert.pem", "key.pem", "token"].map((name) => join(folder, name));
  /** Signed by itself, and of nobody. */
  const use = async (name: string) => {
    const made = await generate([{ name: "commonName", value: name }], {
      keyType: "ec",
      extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
    });
    writeFileSync(cert, made.cert);
    writeFileSync(key, made.private, { mode: 0o600 });
  };
  const setToken = (token: string) => writeFileSync(tokens, `${token}\n`, { mode: 0o600 });
  await use("first");
  setToken("the-first-token-of-two");
  const [member] = await membersOf(["a"], { strict: false });
  const settings = { tlsCert: cert, tlsKey: key, httpToken: undefined, httpTokenFile: tokens };
  chmodSync(key, 0o644);
  await expect(served(member, { settings })).rejects.toThrow(
    /key\.pem can be read by others than its owner: chmod 600/,
  );
  chmodSync(key, 0o600);
  const { api } = await served(member, { settings });
  expect(api.url).toMatch(/^https:/);
  const rekey = (token: string, ca: string) =>
    ask(`${api.url}/v1/rekey`, { authorization: `Bearer ${token}` }, { method: "POST", ca });
  const first = readFileSync(cert, "utf8");
  expect(codeOf(await rekey("the-first-token-of-two", first))).toBe("200");

  await use("second");
  setToken("the-second-token-of-two");
  const second = readFileSync(cert, "utf8");
  await expect(rekey("the-first-token-of-two", second)).rejects.toThrow();
  api.reload();
  expect(codeOf(await rekey("the-first-token-of-two", second))).toBe("401 TOKEN_NEEDED");
  expect(codeOf(await rekey("the-second-token-of-two", second))).toBe("200");

  // A file that cannot be used changes nothing.
  writeFileSync(cert, "no certificate");
  expect(() => api.reload()).toThrow(InputError);
  await use("second");
  setToken("short");
  expect(() => api.reload()).toThrow(InputError);
  expect(codeOf(await rekey("the-second-token-of-two", second))).toBe("200");
});
