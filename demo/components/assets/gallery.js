// The chapters and their checkpoints. Text enters the page through textContent alone.
const root = element.querySelector(".gallery");
const find = (selector) => root.querySelector(selector);
let latest = 0;
let pending = null;

function factOf({ name, value, note }) {
  const group = make("div");
  const description = make("dd", "", value);
  if (note) description.append(make("small", "", note));
  group.append(make("dt", "", name), description);
  return group;
}

function lessonOf(text) {
  const lesson = make("p", "cg-lesson");
  lesson.append(make("b", "", `${t("What it shows.")} `), text);
  return lesson;
}

// The card is made when it is first opened; its title is already there.
function cardOf({ name, body }) {
  const details = make("details", "cg-card");
  const text = make("div", "cg-body");
  details.append(make("summary", "", t("The whole card")), text);
  details.addEventListener("toggle", () => {
    if (!text.childNodes.length) text.append(...markdownNodes(body.replace(/^#\s+.*\n/, "")));
    if (details.open) details.closest("li").scrollIntoView({ block: "nearest", behavior: "smooth" });
  });
  details.querySelector("summary").setAttribute("aria-label", t("The whole card of {name}", { name }));
  return details;
}

function itemOf(checkpoint) {
  const { name, summary, lesson, facts, problem } = checkpoint;
  const item = make("li", "tv-card cg-item");
  item.dataset.name = name;
  item.append(make("h3", "", name));
  if (problem) {
    item.append(make("p", "cg-problem", problem));
    return item;
  }
  item.append(make("p", "cg-summary", summary));
  if (lesson) item.append(lessonOf(lesson));
  const list = make("dl", "cg-facts");
  list.append(...facts.map(factOf));
  const open = makeButton("cg-open", () => trigger("open", { name }));
  open.textContent = t("Open in Decode");
  open.setAttribute("aria-label", t("Open {name} in Decode", { name }));
  const buttons = make("div", "cg-buttons");
  buttons.append(open, linkButton(name));
  item.append(list, buttons, cardOf(checkpoint));
  return item;
}

// A link that opens this tab with this card unfolded.
function linkButton(name) {
  const button = makeButton("cg-link", async () => {
    const url = new URL(window.location);
    url.search = window.unrolled.query("checkpoints", { checkpoint: name });
    if (await window.unrolled.copy(url.href)) {
      button.textContent = t("Link copied");
      return;
    }
    const field = make("input", "cg-by-hand");
    Object.assign(field, { readOnly: true, value: url.href, title: t("Copy it from here: Ctrl+C") });
    button.replaceWith(field);
    field.select();
  });
  button.textContent = t("Copy link");
  button.setAttribute("aria-label", t("Copy a link to {name}", { name }));
  return button;
}

// What a link wants to be seen: a checkpoint with its card, or a section.
function restoreNow() {
  const { checkpoint, section } = pending;
  const item = [...root.querySelectorAll(".cg-item")].find((each) => each.dataset.name === checkpoint);
  const part = section === "quality" ? find(".cg-measured") : [...root.querySelectorAll(".cg-chapter")].find((each) => each.dataset.section === section);
  pending = null;
  if (item?.querySelector("details")) item.querySelector("details").open = true;
  if (section && !part) window.unrolled?.notice([t("There is no section {name} among the checkpoints; there are: {names}.", { name: section, names: [...root.querySelectorAll(".cg-chapter")].map((each) => each.dataset.section).concat("quality").join(", ") })]);
  const target = item ?? part;
  if (target) requestAnimationFrame(() => target.scrollIntoView({ block: "start" }));
}

root.unrolled = { restore: (view) => { pending = view; if (Number(root.dataset.ready)) restoreNow(); } }; // for the script of the page

function chapterOf({ section, title, intro, checkpoints }) {
  const chapter = make("div", "cg-chapter");
  chapter.dataset.section = section;
  const list = make("ul", "cg-items");
  list.append(...checkpoints.map(itemOf));
  chapter.append(make("h2", "", title), make("p", "cg-intro", intro), list);
  return chapter;
}

async function draw() {
  if (!props.value) return;
  const turn = (latest += 1);
  const { chapters, charts, problems, dark } = JSON.parse(props.value);
  root.dataset.state = "shown";
  find(".cg-empty").textContent = chapters.length ? "" : t("There is no checkpoint here. Train one, or copy one into the folder of checkpoints.");
  find(".cg-chapters").replaceChildren(...chapters.map(chapterOf));
  find(".cg-problems").replaceChildren(...problems.map((text) => make("li", "cg-problem", text)));
  find(".cg-measured").hidden = !charts.length && !problems.length;
  // Plotly is fetched for whoever has a chart to see.
  if (charts.length) await drawCharts(root, find(".cg-charts"), charts, dark, loadPlotly(props.plotly_source));
  else find(".cg-charts").replaceChildren();
  if (pending && props.value) restoreNow();
  if (turn === latest) root.dataset.ready = String(Number(root.dataset.ready) + 1);
}

const report = (error) => console.error(error);
watch("value", () => draw().catch(report));
draw().catch(report);
