// @ts-check
// Loads Plotly once for a page, when the first chart needs it.
import { make } from "../view/dom.js";
import { t } from "../view/translate.js";

/** @typedef {() => Promise<any>} LoadPlotly */

const PATIENCE_MILLISECONDS = 5000;

/**
 * Loads Plotly; without an address the page has it already, or a frame beside it in a notebook has.
 * @param {string | undefined} source
 * @returns {Promise<any>}
 */
export function loadPlotly(source) {
  if (!source) {
    if (window.Plotly) return Promise.resolve(window.Plotly);
    return window.parent === window ? Promise.reject(new Error(t("Plotly is missing"))) : fromFrames();
  }
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
 * Asks the frames of a notebook for Plotly, one of which may be plotly_carrier.html.
 * @returns {Promise<any>}
 */
function fromFrames() {
  return new Promise((resolve, reject) => {
    const advice = t("Run Plotly() in a cell of the notebook");
    setTimeout(() => reject(new Error(advice)), PATIENCE_MILLISECONDS);
    window.addEventListener("message", ({ data }) => {
      if (typeof data?.plotly !== "string") return;
      if (!window.Plotly) document.head.append(make("script", "", data.plotly));
      resolve(window.Plotly);
    });
    for (let index = 0; index < window.parent.length; index += 1) window.parent[index].postMessage("plotly", "*");
  });
}

/**
 * Escapes a text for Plotly, which reads tags, and shortens it.
 * @param {string} text
 */
export function plotlyText(text, limit = 80) {
  const short = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return short.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
