// A picture under one row of attention: what was looked at stays and turns orange, the rest is veiled.
const LOOK_SVG = "http://www.w3.org/2000/svg";
const [VEIL, CLEARED] = [0.8, 0.34]; // opacity over a cell without attention; how much less over the strongest

function lookNode(tag, attributes, text) {
  const node = document.createElementNS(LOOK_SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  if (text !== undefined) node.textContent = text;
  return node;
}

// Of the strongest weight in sight, steep at first as in every heatmap of the page.
const lookShare = (weight, most) => (most > 0 ? Math.min(1, weight / most) ** 0.625 : 0);

const cellName = (at, cells) => t("row {row}, column {column}", { row: Math.floor(at / cells) + 1, column: (at % cells) + 1 });

function createLook(source, cells) {
  const node = make("span", "tv-look");
  const veil = lookNode("svg", { viewBox: `0 0 ${cells} ${cells}`, "aria-hidden": "true", preserveAspectRatio: "none" });
  const squares = Array.from({ length: cells * cells }, (_, at) =>
    lookNode("rect", { x: at % cells, y: Math.floor(at / cells), width: 1, height: 1 }));
  veil.append(...squares);
  node.append(pictureImage(source, "", ""), veil);
  return {
    node, veil,
    show: (weights, most) => squares.forEach((square, at) => square.style.setProperty("--share", lookShare(weights[at], most).toFixed(3))),
  };
}
