// How a question is answered: with predictions or without, by which logic, from which probability on.

import type { Settings } from "./api.ts";
import { find } from "./dom.ts";

type Chosen = Pick<Settings, "mode" | "by" | "logic" | "threshold">;

export class SettingsForm {
  private readonly mode = find<HTMLInputElement>("#predict");
  private readonly by = find<HTMLSelectElement>("#by");
  private readonly logic = find<HTMLSelectElement>("#logic");
  private readonly threshold = find<HTMLInputElement>("#threshold");
  private readonly output = find<HTMLOutputElement>("#threshold-value");

  constructor(changed: (settings: Chosen) => void) {
    for (const field of [this.mode, this.by, this.logic, this.threshold]) field.addEventListener("change", () => changed(this.get()));
    this.threshold.addEventListener("input", () => this.label());
  }

  private get(): Chosen {
    return {
      mode: this.mode.checked ? "predict" : "exact",
      by: this.by.value as Settings["by"],
      logic: this.logic.value as Settings["logic"],
      threshold: Number(this.threshold.value),
    };
  }

  set(settings: Settings): void {
    this.mode.checked = settings.mode === "predict" && !this.mode.disabled;
    this.by.value = settings.by;
    this.logic.value = settings.logic;
    this.threshold.value = String(settings.threshold);
    this.label();
  }

  /** Without a model there is nothing to switch off. */
  hasModel(has: boolean): void {
    this.mode.disabled = this.by.disabled = !has;
    if (has) return;
    this.mode.checked = false;
    const label = this.mode.closest("label")!;
    label.classList.add("off");
    label.title = "The server has no model: only what the graph states is found.";
  }

  private label(): void {
    this.output.textContent = Number(this.threshold.value).toFixed(2);
  }
}
