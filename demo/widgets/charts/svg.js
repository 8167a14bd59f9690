// @ts-check
// Elements of SVG, their numbers and texts, blended colours, and drawings as image files.
export const SVG = "http://www.w3.org/2000/svg";

const ENTITIES = /** @type {Record<string, string>} */ ({ "&amp;": "&", "&lt;": "<", "&gt;": ">" });

/**
 * The plain form of a text that was escaped for Plotly.
 * @param {string} text
 */
export const unescapeText = (text) => text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity]);

/** @param {number} pixels */
export const roundPixels = (pixels) => Math.round(100 * pixels) / 100;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 * @returns {SVGElement}
 */
export function svgNode(tag, attributes, text) {
  const node = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text !== undefined) node.textContent = text;
  return node;
}

/**
 * A colour between two colours, written #rrggbb, for a share from 0 to 1.
 * @param {string} low
 * @param {string} high
 * @param {number} share
 */
export function blend(low, high, share) {
  const part = (colour, start) => Number.parseInt(colour.slice(start, start + 2), 16);
  const mix = (start) => Math.round(part(low, start) + (part(high, start) - part(low, start)) * share);
  return `#${[1, 3, 5].map((start) => mix(start).toString(16).padStart(2, "0")).join("")}`;
}

/** @typedef {{ node: SVGElement, width: number, height: number }} Drawing pixels */

/** @param {Drawing} drawing */
export const svgBlob = ({ node }) => new Blob([new XMLSerializer().serializeToString(node)], { type: "image/svg+xml" });

/**
 * A drawing as a PNG, at twice its size for print.
 * @param {Drawing} drawing
 * @returns {Promise<Blob>}
 */
export async function pngBlob(drawing) {
  const { width, height } = drawing;
  const url = URL.createObjectURL(svgBlob(drawing));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: 2 * width, height: 2 * height });
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
