// @ts-check
// Text enters the page through textContent alone.
import { find, make } from "../shared/dom.js";
import { isWeb, markdownNodes } from "../shared/markdown.js";

/** @import { Mount } from "../shared/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch) {
  const root = find(element, ".push");

  // Gradio's field for passwords takes no such attribute; a browser that kept the token would offer it to others.
  function keepNothing() {
    document.querySelector("#push-token input")?.setAttribute("autocomplete", "off");
  }

  function draw() {
    keepNothing();
    const { state = "idle", text = "", url = "", hasCard = false, header = "", body = "" } = props.value || {};
    root.dataset.state = state;
    find(root, ".pu-said").textContent = state === "failed" ? "" : text;
    find(root, ".pu-problem").textContent = state === "failed" ? text : "";
    const place = find(root, ".pu-done");
    place.replaceChildren();
    if (isWeb(url)) {
      const link = make("a", "", url);
      Object.assign(link, { href: url, target: "_blank", rel: "noopener noreferrer" });
      place.append(link);
    }
    if (!hasCard) return;
    find(root, ".pu-card").replaceChildren(...markdownNodes(body));
    find(root, ".pu-header").textContent = header;
    find(root, ".pu-preview").hidden = false;
  }

  watch("value", draw);
  draw();
}
