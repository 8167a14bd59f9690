// @ts-check
// A picture as the source: an example, a random one from the server, an upload, or a drawing.

import { svgNode } from "../charts/svg.js";
import { pictureImage, pictureSource } from "../pictures/pictures.js";
import { find, findAll, make, makeButton } from "../view/dom.js";
import { t } from "../view/translate.js";
import { corners, createCanvas, createScene, paperOf } from "./drawing.js";

/** @import { Mount } from "../view/mount.js" */

/** @type {Mount} */
export function mount(element, props, watch, trigger, server) {
  const [root, problem] = findAll(element, ".pi", ".pi-problem");
  const canvas = find(element, ".pi-canvas", HTMLCanvasElement);
  const [undo, remove, clear] = [".pi-undo", ".pi-remove", ".pi-clear"].map((part) =>
    find(element, part, HTMLButtonElement),
  );
  const group = `pi-${Math.random().toString(36).slice(2)}`; // radio buttons of one picture
  const MAX_BYTES = 20 * 2 ** 20;
  const COLOUR_NAMES = {
    red: t("red"),
    orange: t("orange"),
    yellow: t("yellow"),
    green: t("green"),
    blue: t("blue"),
    purple: t("purple"),
  };
  const STAMP_NAMES = {
    "large circle": t("large circle"),
    "large square": t("large square"),
    "large triangle": t("large triangle"),
    "large star": t("large star"),
    "small circle": t("small circle"),
    "small square": t("small square"),
    "small triangle": t("small triangle"),
    "small star": t("small star"),
  };
  const scene = createScene(props.colours);
  let caption = "";
  find(element, ".pi-label").textContent = props.label || t("Picture");

  /** @param {string} choices selector of a group of radio buttons */
  const checkedValue = (choices) => find(element, `${choices} :checked`, HTMLInputElement).value;
  const stampNow = () => {
    const [size, kind] = checkedValue(".pi-stamps").split(" ");
    return { kind, colour: checkedValue(".pi-colours"), radius: props.radii[size], tilt: 0 };
  };
  const drawing = createCanvas(canvas, find(element, ".pi-ring"), scene, {
    stamp: stampNow,
    changed: () => publish("input"),
  });

  function say(text = "") {
    problem.textContent = text;
  }

  function mark() {
    undo.disabled = !scene.undoable;
    remove.disabled = !scene.shapes[drawing.chosen];
    clear.disabled = !scene.undoable && !props.value?.picture;
    find(element, ".pi-caption").textContent = caption ? t("What was drawn: {caption}.", { caption }) : "";
    const keys = t("Enter puts the shape, arrow keys move it, Space takes the next one, Delete removes it.");
    const label = t("The picture that the model reads");
    canvas.setAttribute("aria-label", `${label}${caption ? `: ${caption}` : ""}. ${keys}`);
    const picture = props.value?.picture;
    for (const [index, button] of element.querySelectorAll(".pi-example").entries())
      button.setAttribute("aria-pressed", String(props.value.examples[index] === picture));
  }

  // Publishes another picture to the page, whose other parts become outdated.
  function publish(event) {
    if (event === "input") caption = "";
    say();
    props.value = { ...props.value, picture: scene.text ?? canvas.toDataURL("image/png"), caption };
    mark();
    canvas.dispatchEvent(new Event("input", { bubbles: true }));
    trigger(event);
  }

  async function loadImage(text) {
    const image = pictureImage(text, "", "");
    await image.decode();
    return image;
  }

  // The server sends shapes only in the colours of the palette, so they can be moved.
  async function take({ picture, caption: given = "", shapes = [], background = "white" }) {
    const text = pictureSource(picture);
    if (!text) return say(t("The picture cannot be shown. Pick or draw another."));
    const image = await loadImage(text);
    const isSameSize = image.naturalWidth === canvas.width && image.naturalHeight === canvas.height;
    // Known shapes can be moved; the network reads the picture as it came until one is.
    scene.replace({ base: shapes.length ? null : image, background, shapes, text: isSameSize ? text : null });
    caption = given;
    drawing.forget();
    if (isSameSize) paperOf(canvas).drawImage(image, 0, 0);
    publish("chosen");
  }

  async function takeFile(file) {
    if (file.size > MAX_BYTES) return say(t("That file has more than 20 MB. Pick a smaller one."));
    const bitmap = await createImageBitmap(file);
    const side = Math.min(bitmap.width, bitmap.height);
    const cut = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = paperOf(cut);
    context.fillStyle = "white";
    context.fillRect(0, 0, cut.width, cut.height);
    context.imageSmoothingQuality = "high";
    const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
    context.drawImage(bitmap, left, top, side, side, 0, 0, cut.width, cut.height);
    await take({ picture: cut.toDataURL("image/png") });
  }

  const failing = (task, sentence) =>
    task.catch((error) => {
      say(sentence);
      console.warn(error);
    });

  function choice(name, value, title, face, checked) {
    const input = Object.assign(make("input"), { type: "radio", name: `${group}-${name}`, value, checked });
    input.setAttribute("aria-label", title);
    return Object.assign(make("label", "", input, face), { title });
  }

  function face(kind, share) {
    const svg = svgNode("svg", { viewBox: "-1.3 -1.3 2.6 2.6" });
    const points = (places) => places.map(([x, y]) => `${x * share},${y * share}`).join(" ");
    const isRound = kind === "circle";
    svg.append(isRound ? svgNode("circle", { r: share }) : svgNode("polygon", { points: points(corners(kind)(0)) }));
    return svg;
  }

  function swatch(colour) {
    const node = make("i");
    node.style.background = colour;
    return node;
  }

  const colours = Object.entries(props.colours).map(([name, colour], index) =>
    choice("colour", name, COLOUR_NAMES[name] ?? name, swatch(colour), index === 0),
  );
  const stamps = ["large", "small"].flatMap((size, row) =>
    props.kinds.map((kind, column) => {
      const name = `${size} ${kind}`;
      return choice("stamp", name, STAMP_NAMES[name] ?? name, face(kind, row ? 0.55 : 1), !row && !column);
    }),
  );
  find(element, ".pi-colours div").append(...colours);
  find(element, ".pi-stamps div").append(...stamps);

  const paint = () => find(element, ".pi").style.setProperty("--pi-colour", props.colours[checkedValue(".pi-colours")]);
  // Choosing a tool changes no picture, so it makes nothing outdated.
  element.addEventListener("input", (event) => {
    if (event.target !== canvas) {
      event.stopPropagation();
      paint();
    }
  });
  find(element, ".pi-new").addEventListener("click", () =>
    failing(server.new_picture(null).then(take), t("The server did not answer. Try again.")),
  );
  const upload = find(element, ".pi-file", HTMLInputElement);
  upload.addEventListener("change", () => {
    const [file] = upload.files ?? [];
    upload.value = ""; // the same file can then be chosen again
    if (file) failing(takeFile(file), t("That file is not a picture that this browser can read. Pick another."));
  });
  const edit = (act) => () => {
    act();
    drawing.forget();
    publish("input");
  };
  undo.addEventListener("click", edit(scene.undo));
  clear.addEventListener("click", edit(scene.clear));
  remove.addEventListener("click", drawing.remove);
  canvas.addEventListener("pointerup", mark);
  canvas.addEventListener("keyup", mark);

  function example(text, index) {
    const onClick = () => failing(take({ picture: text }), t("That example cannot be shown."));
    const button = makeButton("pi-example", onClick, pictureImage(text, "", ""));
    button.setAttribute("aria-label", t("Example {at}", { at: index + 1 }));
    return button;
  }

  async function load() {
    const { value } = props;
    root.dataset.on = String(Boolean(value));
    if (!value) return;
    canvas.width = canvas.height = value.size;
    caption = value.caption;
    say();
    find(element, ".pi-examples").replaceChildren(...value.examples.filter((text) => pictureSource(text)).map(example));
    const text = pictureSource(value.picture);
    scene.begin({ text, base: text && (await loadImage(text)) });
    drawing.forget();
    mark();
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
  }

  // On a phone the tools unfold for drawing only, since the output stands below them.
  const tools = find(element, ".pi-tools", HTMLDetailsElement);
  const isNarrow = window.matchMedia("(max-width: 640px)");
  const fold = () => {
    tools.open = !isNarrow.matches;
    root.dataset.drawing = String(tools.open);
  };
  tools.addEventListener("toggle", () => {
    root.dataset.drawing = String(tools.open);
  });
  isNarrow.addEventListener("change", fold);
  fold();

  paint();
  watch("value", () => failing(load(), t("The picture cannot be shown. Pick or draw another.")));
  failing(load(), t("The picture cannot be shown. Pick or draw another."));
}
