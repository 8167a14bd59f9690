// Text enters the page through textContent alone.
const root = element.querySelector(".push");
const find = (selector) => root.querySelector(selector);

// Gradio's field for passwords takes no such attribute; a browser that kept the token would offer it to others.
function keepNothing() {
  document.querySelector("#push-token input")?.setAttribute("autocomplete", "off");
}

function draw() {
  keepNothing();
  const { state = "idle", text = "", url = "", hasCard = false, header = "", body = "" } = props.value || {};
  root.dataset.state = state;
  find(".pu-said").textContent = state === "failed" ? "" : text;
  find(".pu-problem").textContent = state === "failed" ? text : "";
  const place = find(".pu-done");
  place.replaceChildren();
  if (isWeb(url)) {
    const link = make("a", "", url);
    Object.assign(link, { href: url, target: "_blank", rel: "noopener noreferrer" });
    place.append(link);
  }
  if (!hasCard) return;
  find(".pu-card").replaceChildren(...markdownNodes(body));
  find(".pu-header").textContent = header;
  find(".pu-preview").hidden = false;
}

watch("value", draw);
draw();
