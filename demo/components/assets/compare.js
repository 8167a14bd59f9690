// Wiring: a value comes in, one of two views shows it; opening a row is told to the server.
const root = element.querySelector(".compare");
const shown = { value: null };
let pending = null; // what a link wants to be shown

function open(row) {
  root.dataset.open = String(row.id);
  root.querySelector(".cp-opened").textContent = t("{name} in full", { name: row.name ?? row.title });
  if (shown.value.kind === "strategies") table.open(row.id);
  else pair.load(shown.value);
  root.dataset.opened = JSON.stringify(row.request); // what the handler is given
  trigger("open", {});
}

const table = createTable(root, open);
const verdict = createVerdict(root);
const pair = createPair(root, open);

function offer(blob, filename) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function picture() {
  const { value } = shown;
  const family = "Helvetica, Arial, sans-serif"; // a picture has no fonts but those of its reader
  return value.kind === "strategies" ? rowsPicture(value, table.sorted(), table.baseline(), props.palette, family) : pairPicture(value, pair.pinned(), props.palette, family);
}

const FILES = {
  CSV: [t("Download all rows and columns for a spreadsheet"), async () => {
    const { value } = shown;
    const lines = value.kind === "strategies" ? rowsTable(value, table.sorted(), table.baseline()) : pairTable(value);
    offer(new Blob([csvText(lines)], { type: "text/csv;charset=utf-8" }), "unrolled-comparison.csv");
  }],
  PNG: [t("Download the comparison as a picture"), async () => offer(await png(picture()), "unrolled-comparison.png")],
  SVG: [t("Download the comparison as a drawing"), async () => offer(new Blob([new XMLSerializer().serializeToString(picture().node)], { type: "image/svg+xml" }), "unrolled-comparison.svg")],
};

function fileButton([name, [hint, save]]) {
  const button = makeButton("cp-file", async () => {
    button.disabled = true;
    try {
      await save();
      button.textContent = name;
    } catch (error) {
      console.error(error);
      button.textContent = t("failed, try again");
    }
    button.disabled = false;
  });
  button.textContent = name;
  button.title = hint;
  button.setAttribute("aria-label", hint);
  return button;
}

root.querySelectorAll(".cp-files").forEach((place) => place.append(...Object.entries(FILES).map(fileButton)));

function load() {
  const { value } = props;
  shown.value = value;
  root.dataset.kind = value?.kind ?? "none";
  Object.assign(root.dataset, { stopped: "false", stale: "false" });
  if (!value) return;
  const request = JSON.stringify(value.request);
  if (root.dataset.request !== request) Object.assign(root.dataset, { request, open: "" });
  root.dataset.running = String(!value.finished);
  const sentences = value.summary.length ? value.summary : [value.finished ? t("Nothing was decoded: each row says why.") : t("Decoding.")];
  root.querySelector(".cp-summary ul").replaceChildren(...sentences.map((sentence) => make("li", "", sentence)));
  root.querySelector(".cp-summary h3").textContent = value.kind === "strategies" ? t("Who made which mistake") : t("What differs");
  if (!root.dataset.open) root.querySelector(".cp-opened").textContent = "";
  if (value.kind === "strategies") {
    verdict.load(value);
    table.load(value);
  } else pair.load(value);
  if (!value.finished) return;
  if (pending) restoreNow();
  root.dataset.ready = String(Number(root.dataset.ready) + 1);
}

// How the comparison is looked at, as a link says it, and back once its last row is there.
function read() {
  if (!shown.value) return { values: {}, words: [] };
  const opened = root.dataset.open && { opened: Number(root.dataset.open) + 1 };
  return { values: { ...(shown.value.kind === "strategies" ? table : pair).read(), ...opened }, words: [] };
}

function restoreNow() {
  const { value } = shown;
  const view = pending;
  pending = null;
  const faults = [];
  (value.kind === "strategies" ? table : pair).restore(view, faults);
  if (view.opened) {
    const row = value.kind === "strategies" ? value.rows[view.opened - 1] : value.sides[view.opened - 1];
    if (row?.state === "done") open(value.kind === "strategies" ? row : { id: view.opened - 1, ...row });
    else faults.push(t("The link opens row {row}, and there is nothing in it.", { row: view.opened }));
  }
  window.unrolled?.notice(faults);
}

root.unrolled = { read, restore: (view) => { pending = view; } }; // for the script of the page

watch("value", load);
load();

// The result stays until the next one is there; that it is older than the form is said quietly.
document.addEventListener("input", (event) => {
  if (shown.value && event.target.closest("#compare-card")) root.dataset.stale = "true";
});

// The first time that somebody looks, there is an example to see.
new IntersectionObserver((seen, observer) => {
  if (!seen.some((entry) => entry.isIntersecting)) return;
  observer.disconnect();
  if (!shown.value && window.unrolled?.opening !== "compare") trigger("shown", {});
}, { rootMargin: "3000px" }).observe(root);
