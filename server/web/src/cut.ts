// What may be missing from an answer because its search met a limit.

import { counted } from "./dom.ts";

export interface Cut {
  left_out?: number; // entities whose predicted links were not followed
  stopped?: string; // "time" or "steps", where that bound ended the search early
  likeliest?: number; // anything skipped is at most this likely
}

/** leftOut says it to people. */
export function leftOut(cut?: Cut): string {
  if (!cut) return "";
  const what = cut.stopped ? `the search stopped early, at its limit of ${cut.stopped}` : `${counted(cut.left_out ?? 0, "unlikely intermediate result")} ${cut.left_out === 1 ? "was" : "were"} skipped`;
  const likeliest = cut.likeliest ?? 0;
  return `${what}; ${likeliest >= 1 ? "some likely answers may be missing" : `anything skipped is at most ${likeliest.toPrecision(2)} likely`}`;
}
