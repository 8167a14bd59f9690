// @ts-check
// Draws the state of a push to the Hub. Text enters the page through textContent alone.
import { find, make } from "../../widgets/view/dom.js";
import { isWeb, markdownNodes } from "../../widgets/view/markdown.js";

/** @import { Mount } from "../../widgets/view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch) {
  const root = find(element, ".push");

  // Keeps the browser from storing the token; Gradio's password field has no option for it.
  function keepNothing() {
    document.querySelector("#push-token input")?.setAttribute("autocomplete", "off");
  }

  function draw() {
    keepNothing();
    const { state = "idle", text = "", url = "", hasCard = false, header = "", body = "" } = props.value || {};
    root.dataset.state = state;
    find(root, ".pu-status").textContent = state === "failed" ? "" : text;
    find(root, ".pu-problem").textContent = state === "failed" ? text : "";
    const done = find(root, ".pu-done");
    done.replaceChildren();
    if (isWeb(url)) {
      const link = make("a", "", url);
      Object.assign(link, { href: url, target: "_blank", rel: "noopener noreferrer" });
      done.append(link);
    }
    if (!hasCard) return;
    find(root, ".pu-card").replaceChildren(...markdownNodes(body));
    find(root, ".pu-header").textContent = header;
    find(root, ".pu-preview").hidden = false;
  }

  watch("value", draw);
  draw();
}
