import { expect, test } from "vitest";
import { ByteReader, ByteWriter, Malformed } from "../../wire/bytes.ts";
import { numeric, parsePlace, readAddress, readPlace, writeAddress } from "./address.ts";
import { addressText } from "./udp.ts";

test.each([
  ["10.0.0.7:7001", "10.0.0.7:7001", false],
  ["[::1]:7001", "[::1]:7001", false],
  ["[10.0.0.7]:7001", "10.0.0.7:7001", false],
  ["[0:0:0::1]:7001", "[::1]:7001", false],
  ["[2001:DB8::0A]:1", "[2001:db8::a]:1", false],
  ["[::ffff:10.0.0.7]:7001", "10.0.0.7:7001", false],
  ["DB-1.example:7001", "db-1.example:7001", true],
  ["localhost:0", "localhost:0", true],
  ["my_service:80", "my_service:80", true],
  ["3com.example:80", "3com.example:80", true],
])("%s is %s", (text, canonical, isName) => {
  const place = readPlace(text)!;
  expect([addressText(place), place.isName]).toEqual([canonical, isName]);
});

test.each([
  ...["", "10.0.0.7", ":7001", "10.0.0.7:", "10.0.0.7:70000", "10.0.0.300:7001", "1.2.3:7001", "::1:7001", "[::1]"],
  ...[
    "[10.0.0.300]:1",
    "[db-1]:1",
    "[fe80::1%eth0]:1",
    "a b:1",
    "-a.example:1",
    "a..b:1",
    "a:1 ",
    "a:1,b:2",
    `${"x".repeat(254)}:1`,
  ],
])('"%s" is no address', (text) => {
  expect(readPlace(text)).toBeNull();
  expect(() => parsePlace(text, "join")).toThrow(/join: ".*" is not an address: write HOST:PORT, such as/);
});

test.each(["10.0.0.7", "255.255.255.255", "::1", "fd00::", "1::2:0:0:3", "1:2:3:4:5:6:7:8"])(
  "%s as bytes and back",
  (host) => {
    const writer = new ByteWriter();
    writeAddress(writer, { host, port: 7001 });
    const isSix = host.includes(":");
    expect(writer.done().length).toBe(isSix ? 18 : 6);
    expect(readAddress(new ByteReader(writer.done()), isSix)).toMatchObject({ host, port: 7001 });
  },
);

test("an address to which nothing can be sent, or which has another form, is malformed", () => {
  for (const [host, port] of [
    ["0.0.0.0", 7001],
    ["::", 7001],
    ["10.0.0.7", 0],
    ["::ffff:a00:7", 7001],
  ] as const) {
    const writer = new ByteWriter();
    writeAddress(writer, { host, port });
    expect(() => readAddress(new ByteReader(writer.done()), host.includes(":"))).toThrow(Malformed);
  }
  expect(numeric("::FFFF:1.2.3.4", 1)).toEqual({ host: "1.2.3.4", port: 1 });
});

test("an address is read as what its bytes say, also where it takes the place of another one that was read before", () => {
  const written = Array.from({ length: 10_000 }, (_, i) => {
    const writer = new ByteWriter();
    const address = { host: `10.${i % 7}.${i >> 8}.${i & 255}`, port: 7001 + (i % 3) };
    writeAddress(writer, address);
    return { address, bytes: writer.done() };
  });
  const read = (bytes: Uint8Array) => readAddress(new ByteReader(bytes), false);
  for (const { address, bytes } of written) {
    const { host, port, text } = read(bytes);
    if (host !== address.host || port !== address.port || text !== addressText(address)) expect(text).toEqual(address);
  }
  expect(read(written[0].bytes)).toBe(read(written[0].bytes.slice()));
});
