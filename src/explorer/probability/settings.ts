/** Faults as coins, as simulations toss them. */
import { setting } from "../../setting.ts";
import { probability } from "../../values.ts";

export const FAULT_CHANCES = {
  loss: setting(probability, {
    value: "p",
    about: "with probabilities: each message, each copy of a multicast too, is lost with probability p",
  }),
  multicastLoss: setting(probability, {
    value: "p",
    about: "with probabilities: each receiver misses a multicast with probability p; as loss where missing",
  }),
  crash: setting(probability, {
    value: "p",
    about: "with probabilities: each node has crashed before the run with probability p",
  }),
};
