// The chapters and their checkpoints. Text enters the page through textContent alone.
const root = element.querySelector(".gallery");
const find = (selector) => root.querySelector(selector);
let latest = 0;

function factOf({ name, value, note }) {
  const group = make("div");
  const description = make("dd", "", value);
  if (note) description.append(make("small", "", note));
  group.append(make("dt", "", name), description);
  return group;
}

function lessonOf(text) {
  const lesson = make("p", "cg-lesson");
  lesson.append(make("b", "", "What it shows. "), text);
  return lesson;
}

// The card is made when it is first opened; its title is already there.
function cardOf({ name, body }) {
  const details = make("details", "cg-card");
  const text = make("div", "cg-body");
  details.append(make("summary", "", "The whole card"), text);
  details.addEventListener("toggle", () => {
    if (!text.childNodes.length) text.append(...markdownNodes(body.replace(/^#\s+.*\n/, "")));
    if (details.open) details.closest("li").scrollIntoView({ block: "nearest", behavior: "smooth" });
  });
  details.querySelector("summary").setAttribute("aria-label", `The whole card of ${name}`);
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
  open.textContent = "Open in Decode";
  open.setAttribute("aria-label", `Open ${name} in Decode`);
  item.append(list, open, cardOf(checkpoint));
  return item;
}

function chapterOf({ title, intro, checkpoints }) {
  const chapter = make("div", "cg-chapter");
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
  find(".cg-empty").textContent = chapters.length ? "" : "There is no checkpoint here. Train one, or copy one into the folder of checkpoints.";
  find(".cg-chapters").replaceChildren(...chapters.map(chapterOf));
  find(".cg-problems").replaceChildren(...problems.map((text) => make("li", "cg-problem", text)));
  find(".cg-measured").hidden = !charts.length && !problems.length;
  // Plotly is fetched for whoever has a chart to see.
  if (charts.length) await drawCharts(root, find(".cg-charts"), charts, dark, loadPlotly(props.plotly_source));
  else find(".cg-charts").replaceChildren();
  if (turn === latest) root.dataset.ready = String(Number(root.dataset.ready) + 1);
}

const report = (error) => console.error(error);
watch("value", () => draw().catch(report));
draw().catch(report);
