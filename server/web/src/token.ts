// A server may want a token with every request. It is asked for once and kept for as long as the tab is open.

import { h } from "./dom.ts";

const key = "lacuna-token";
let current = read();
let asking: Promise<void> | null = null;

function read(): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return ""; // storage may be forbidden
  }
}

export const token = (): string => current;

/** authorized repeats a request that was refused for want of a token, once there is one. */
export async function authorized(send: () => Promise<Response>): Promise<Response> {
  const response = await send();
  if (response.status !== 401) return response;
  await (asking ??= ask().finally(() => (asking = null)));
  return send();
}

/** ask shows a dialog for the token. Several requests that wait share one. */
function ask(): Promise<void> {
  const field = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  const form = h("form", { method: "dialog" }, h("label", { for: "token" }, "This server asks for a token"), field, h("button", { class: "primary" }, "Go on"));
  const dialog = h("dialog", { class: "token", "aria-label": "Token" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      current = field.value.trim();
      try {
        sessionStorage.setItem(key, current);
      } catch {
        // asked for again after a reload, then
      }
      dialog.remove();
      resolve();
    }),
  );
}
