/** What happens in a group, as lines for people. */
import { epsilonInWords, lossInWords } from "../../elector/report.ts";
import { eventInWords, type ToldEvent } from "../../events/events.ts";
import { harmless } from "./table.ts";

/** Says nothing twice in a row: not how many members there are, nor how sure elections are, nor a term that was just won. */
export function narrator(): (at: number, event: ToldEvent) => string[] {
  let shown: number | undefined;
  let sure = "";
  let won = "";
  return (at, event) => {
    // The error that ends the process says it.
    if (event.event === "refused") return [];
    const isWon = event.event === "term" && `${event.office} ${event.term}` === won;
    const isKnown = isWon || (event.event === "view" && event.members === shown);
    if (event.event === "requesting") won = `${event.office} ${event.term}`;
    shown = event.members ?? shown;
    const lines = isKnown ? [] : [eventInWords(event)];
    const odds = oddsInWords(event);
    if (odds !== "" && odds !== sure) {
      sure = odds;
      lines.push(odds);
    }
    const time = new Date(at).toISOString().slice(11, 23);
    return lines.map((line) => harmless(`${time}  ${line}`));
  };
}

function oddsInWords({ odds }: ToldEvent): string {
  if (odds === undefined) return "";
  const { epsilon, loss, lossLow, lossFrom, protocol } = odds;
  if (loss === null || lossLow === null || lossFrom === null || protocol === null) return "";
  return `elections by ${protocol}; ${epsilonInWords({ epsilon, protocol })}; ${lossInWords({ loss, lossLow, lossFrom })}`;
}
