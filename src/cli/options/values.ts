/** From the text of an option to its value, for commands whose options are in no table. */
import { number, numbers, readAs, probability as share, whole } from "../../values.ts";

export { pairsOf, paramsOf } from "./options.ts";

export const numberOf = (text: string, option: string): number => readAs(number(), text, option);

export const wholeNumber = (text: string, option: string, least: number, most?: number): number =>
  readAs(whole(least, most), text, option);

export const probabilityOf = (text: string, option: string): number => readAs(share, text, option);

export const listOf = (text: string, option: string): readonly number[] => readAs(numbers, text, option);
