import { expect, test } from "vitest";
import { VirtualNetwork } from "../virtual-world.ts";
import { Counters } from "./counters.ts";
import { Endpoint } from "./endpoint.ts";
import { keyringOf } from "./keyring.ts";
import { aesGcm } from "./sealing.ts";

const { world } = new VirtualNetwork(1).machine({ host: "10.0.0.1", port: 7001 });
const keyring = keyringOf([new Uint8Array(32)]);
const placeOf = (number: number) => ({ host: `10.1.${number >> 8}.${number & 255}`, port: 7001 });

/** An endpoint; `carry` takes what it sends, and `hear` is for what comes in. */
function open(number: number, carry: (datagram: Uint8Array) => void) {
  const counters = new Counters();
  let hear: (datagram: Uint8Array) => void = () => {};
  const advertised = placeOf(number);
  const transport = {
    address: advertised,
    send: carry,
    listen(receive: (datagram: Uint8Array, from: null) => void) {
      hear = (datagram) => receive(datagram, null);
    },
    close: async () => {},
  };
  const endpoint = new Endpoint({
    group: "g",
    keyring,
    advertised,
    world,
    transport,
    counters,
    sealing: aesGcm,
    receive: () => {},
    refused: () => {},
  });
  endpoint.listen();
  return { endpoint, counters, hear: (datagram: Uint8Array) => hear(datagram) };
}

/** How many datagrams of 256 bytes wait where so many go to each of so many addresses, from which little has come. */
function waiting(addresses: number, each: number): number {
  const { endpoint, counters, hear } = open(0, () => {});
  for (let number = 1; number <= addresses; number++) {
    open(number, hear).endpoint.send(placeOf(0), [Uint8Array.of(0)]);
    for (let i = 0; i < each; i++) endpoint.send(placeOf(number), [new Uint8Array(256)]);
  }
  expect(counters.sent.message).toBe(0);
  return addresses * each - (counters.drops.unproven ?? 0);
}

test("what waits for addresses to be proven is eight datagrams for each, and 256 KiB in all", () => {
  expect(waiting(3, 10)).toBe(3 * 8);
  expect(waiting(130, 8)).toBe(1024);
});
