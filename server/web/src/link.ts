// Shareable links: the question, its settings and the entity that is looked at, in the part of the address behind #.

import type { Settings } from "./api.ts";

export const defaults: Settings = { mode: "predict", by: "", logic: "product", threshold: 0.5, limit: 20 };

/** View is an entity that is looked at, as a list of its facts or as a network. */
export interface View {
  entity: string;
  network: boolean;
}

/** toHash writes what differs from the defaults; the limit is no part of a question. */
export function toHash(question: string, settings: Settings, view: View | null = null): string {
  const params = new URLSearchParams(question ? { q: question } : {});
  if (settings.mode !== defaults.mode) params.set("mode", settings.mode);
  if (settings.by !== defaults.by) params.set("by", settings.by);
  if (settings.logic !== defaults.logic) params.set("logic", settings.logic);
  if (settings.threshold !== defaults.threshold) params.set("threshold", String(settings.threshold));
  if (view) params.set("entity", view.entity);
  if (view?.network) params.set("view", "network");
  return "#" + params.toString();
}

/** fromHash reads a link; what it does not understand it leaves at the defaults. */
export function fromHash(hash: string): { question: string | null; settings: Settings; view: View | null } {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const by = params.get("by");
  const logic = params.get("logic");
  const threshold = Number(params.get("threshold") ?? defaults.threshold);
  const entity = params.get("entity");
  return {
    question: params.get("q"),
    view: entity ? { entity, network: params.get("view") === "network" } : null,
    settings: {
      ...defaults,
      mode: params.get("mode") === "exact" ? "exact" : "predict",
      by: by === "links" || by === "sets" ? by : "",
      logic: logic === "godel" || logic === "lukasiewicz" ? logic : "product",
      threshold: threshold > 0 && threshold <= 1 ? threshold : defaults.threshold,
    },
  };
}
