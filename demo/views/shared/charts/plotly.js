// @ts-check
// Loads Plotly once for a page, when the first chart needs it.
import { t } from "../translate.js";

/** @typedef {() => Promise<any>} LoadPlotly */

/**
 * Loads Plotly; without an address the page has it already.
 * @param {string | undefined} source
 * @returns {Promise<any>}
 */
export function loadPlotly(source) {
  if (!source)
    return window.Plotly ? Promise.resolve(window.Plotly) : Promise.reject(new Error(t("Plotly is missing")));
  const url = new URL(source, document.baseURI).href;
  const earlier = [...document.scripts].find((other) => other.src === url && other.whenLoaded);
  if (earlier?.whenLoaded) return earlier.whenLoaded;
  const script = document.createElement("script");
  script.src = url;
  script.async = true;
  // Stored on the element, so that a second view on the page waits for the same script.
  script.whenLoaded = new Promise((resolve, reject) => {
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => {
      script.remove(); // the next chart tries again
      reject(new Error(t("Plotly could not be loaded")));
    });
  });
  document.head.append(script);
  return script.whenLoaded;
}

/**
 * Escapes a text for Plotly, which reads tags, and shortens it.
 * @param {string} text
 */
export function plotlyText(text, limit = 80) {
  const short = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return short.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
