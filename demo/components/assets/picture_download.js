// The attention over a picture as a file.
const FIGURE_COLUMNS = 6;
const FIGURE_MARGIN = 16; // pixels

function pictureFigure(state) {
  const { picture, payload: { palette } } = state.model;
  const groups = pathGroups(state);
  const rows = groups.map((group) => strongest(wordRow(state, group), state.mass));
  const labels = groups.map((group) => wordText(group.map((at) => state.model.label(state.path[at].token))));
  const { group, ...size } = lookFigure(picture.source, picture.cells, labels, rows, palette, FIGURE_COLUMNS);
  const [width, height] = [size.width + 2 * FIGURE_MARGIN, size.height + 2 * FIGURE_MARGIN];
  const figure = lookNode("svg", { xmlns: LOOK_SVG, width, height, viewBox: `${-FIGURE_MARGIN} ${-FIGURE_MARGIN} ${width} ${height}` });
  figure.append(lookNode("rect", { x: -FIGURE_MARGIN, y: -FIGURE_MARGIN, width, height, fill: palette.surface }), group);
  return { figure, width, height };
}

async function savePicture({ figure, width, height }, format, filename) {
  const drawing = new Blob([new XMLSerializer().serializeToString(figure)], { type: "image/svg+xml" });
  const url = URL.createObjectURL(drawing);
  const save = (blob) => {
    const link = Object.assign(make("a"), { href: URL.createObjectURL(blob), download: `${filename}.${format}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  try {
    if (format === "svg") return save(drawing);
    const image = Object.assign(new Image(), { src: url });
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    save(await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png")));
  } finally {
    URL.revokeObjectURL(url);
  }
}

// What is downloaded as the attention: the pictures where there is one, else the heatmap.
const pictureOr = (chart, { state }) => ({
  download: (format, filename) => (state.model.picture ? savePicture(pictureFigure(state), format, filename) : chart.download(format, filename)),
});
