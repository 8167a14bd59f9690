// Files made in the browser: pictures of the charts, the trace, and the view as a page of its own.
const CHART_NAMES = { attention: t("attention"), tree: t("tree"), ranking: t("ranking"), cloud: t("cloud"), utilities: t("utilities") };

function createDownloads(root, selection, charts, { server, plotlySource }) {
  const files = root.querySelector(".tv-files");

  function offer(content, type, filename) {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function button(text, hint, onClick) {
    const node = makeButton("tv-download", async () => {
      node.disabled = true;
      try {
        await onClick();
      } catch (error) {
        console.error(error);
        node.textContent = t("failed, try again");
      }
      node.disabled = false;
    });
    node.textContent = text;
    node.title = hint;
    node.setAttribute("aria-label", hint);
    return node;
  }

  // The page without its contents comes from the server, Plotly from the browser's cache.
  async function page() {
    const [shell, plotly] = await Promise.all([server.shell(), fetch(plotlySource).then((response) => response.text())]);
    const fill = { PLOTLY: plotly, PAYLOAD: selection.state.text };
    return shell.split(/\/\*(PLOTLY|PAYLOAD)\*\//).map((part, at) => (at % 2 ? fill[part] : part)).join("");
  }

  for (const [name, chart] of Object.entries(charts)) {
    const place = root.querySelector(`.tv-downloads[data-chart=${name}]`);
    place.append(...["PNG", "SVG"].map((format) => button(format, t("Download the {name} chart as {format}", { name: CHART_NAMES[name] ?? name, format }),
      () => chart.download(format.toLowerCase(), `unrolled-${name}`))));
  }
  files.append(button(t("Trace (JSON)"), t("Download everything that the search recorded"), () => offer(JSON.stringify(selection.state.model), "application/json", "unrolled-trace.json")));
  if (server?.shell)
    files.append(button(t("Page (HTML)"), t("Download this view as a page that works offline"), async () => offer(await page(), "text/html", "unrolled.html")));
}
