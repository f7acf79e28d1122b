// What an answer lacks because a bound of its search was met.

import { counted } from "./dom.ts";

export interface Cut {
  left_out?: number; // entities whose predicted links were not followed
  stopped?: string; // "time" or "steps", where that bound ended the search early
  likeliest?: number; // no answer that lacks is likelier
}

/** leftOut says it to people. */
export function leftOut(cut?: Cut): string {
  if (!cut) return "";
  const what = cut.stopped ? `the search ended early, by its bound of ${cut.stopped}` : `predictions from ${counted(cut.left_out ?? 0, "entity", "entities")} were left out`;
  const likeliest = cut.likeliest ?? 0;
  return `${what}; ${likeliest >= 1 ? "likely answers may lack" : `no answer that lacks is likelier than ${likeliest.toPrecision(2)}`}`;
}
