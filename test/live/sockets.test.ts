/** What only real sockets can tell: families of addresses, and that the world as it is will do. */
import { expect, test } from "vitest";
import { insecureKeyring } from "../../src/live/net/keyring.ts";
import { openUdp } from "../../src/live/net/udp.ts";
import { LiveMember } from "../../src/live/once/member.ts";
import { parametersFor } from "../../src/live/once/members.ts";
import { protocolNamed } from "../../src/protocols/catalogue.ts";

test.each([
  ["IPv4", ["127.0.0.1", "127.0.0.1", "127.0.0.1"]],
  ["IPv6", ["::1", "::1", "::1"]],
  ["both in one list", ["127.0.0.1", "::1", "127.0.0.1"]],
])("%s", async (_name, hosts) => {
  const protocol = protocolNamed("chang-roberts");
  const transports = await Promise.all(hosts.map((host) => openUdp({ host, port: 0 })));
  const listed = transports.map(({ address }, i) => ({ id: 10 * (i + 1), ...address }));
  const membership = { members: listed, edges: [] };
  const members = listed.map(
    ({ id }, i) => new LiveMember({ self: id, members: listed, keyring: insecureKeyring(), transport: transports[i] }),
  );
  const outcomes = await Promise.all(
    members.map((member) =>
      member.elect({
        protocol,
        params: parametersFor(protocol, {}, membership),
        membership,
        initiator: null,
        name: "1",
        tau: 25,
        gather: 5000,
        stallLimit: 100,
        multicast: "auto",
        state: null,
        timeout: null,
        linger: 150,
      }),
    ),
  );
  await Promise.all(members.map((member) => member.close()));
  expect(outcomes.map(({ status, leader }) => [status, leader])).toEqual([
    ["not-elected", 30],
    ["not-elected", 30],
    ["elected", 30],
  ]);
});
