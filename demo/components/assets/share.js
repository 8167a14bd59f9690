// “Copy link”, and a link for a class that leaves parts out. The link itself is made by links.js.
const root = element.querySelector(".share");
const find = (selector) => root.querySelector(selector);
const [said, byHand, field, preview] = [".sh-said", ".sh-by-hand", ".sh-link", ".sh-preview"].map(find);
let waiting = null; // what to do once the controls have been read

const hidden = () => [...root.querySelectorAll(".sh-parts :checked")].map((box) => box.value);

// The values of the controls are Gradio's: it hands them over on request.
function gather(task) {
  waiting = task;
  trigger("gather");
}

async function copy(names) {
  const { href, words } = window.unrolled.link(props.tab, names);
  const copied = await window.unrolled.copy(href);
  byHand.hidden = copied;
  if (!copied) {
    field.value = href;
    field.focus();
    field.select();
  }
  const done = !copied ? t("The browser keeps the clipboard to itself: press Ctrl+C.")
    : names.length ? t("Link copied. It opens the page without these parts.") : t("Link copied. It opens this view.");
  said.textContent = [done, ...words].join(" ");
}

function show() {
  const { href, words } = window.unrolled.link(props.tab, hidden());
  preview.value = href;
  said.textContent = words.join(" ");
}

function drawParts() {
  find(".sh-parts").replaceChildren(...window.unrolled.parts(props.tab).map(([name, label]) => {
    const line = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name });
    box.addEventListener("change", () => gather(show));
    line.append(box, t(label));
    return line;
  }));
}

find(".sh-copy").addEventListener("click", () => gather(() => copy([])));
find(".sh-copy-class").addEventListener("click", () => gather(() => copy(hidden())));
find(".sh-class").addEventListener("toggle", ({ target }) => {
  if (!target.open) return;
  if (!find(".sh-parts").childNodes.length) drawParts();
  gather(show);
});
preview.addEventListener("focus", () => preview.select());
field.addEventListener("focus", () => field.select());
document.addEventListener("unrolled:gather", ({ detail }) => { if (detail === props.tab) trigger("gather"); });
document.addEventListener("unrolled:gathered", ({ detail }) => {
  if (detail !== props.tab || !waiting) return;
  const task = waiting;
  waiting = null;
  Promise.resolve(task()).catch((error) => {
    console.error(error);
    said.textContent = t("No link could be made. Reload the page, then try again.");
  });
});
