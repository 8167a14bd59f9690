// Elements and numbers. Text enters the page through textContent alone.
function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// A token may be written from right to left; its neighbours must not be. The sign for a space steps back.
function makeToken(tag, className, text) {
  const node = make(tag, className);
  const spaced = text.length > 1 && text.startsWith("␣");
  if (spaced) node.append(make("i", "tv-space", "␣"));
  node.append(spaced ? text.slice(1) : text);
  node.dir = "auto";
  node.translate = false; // data, whatever the language of the page
  return node;
}

function makeButton(className, onClick) {
  const button = make("button", className);
  button.type = "button";
  button.addEventListener("click", onClick);
  return button;
}

// Whether a link leaves a part of the page out (demo/hiding.py); a style sheet cannot reach a hint.
const isHidden = (part) => (document.documentElement.dataset.hide ?? "").split(" ").includes(part);

// The true minus sign is as wide as a digit; what rounds to zero has none.
function numberText(value, digits = 2) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = value.toFixed(digits);
  return text.replace("-", Number(text) ? "−" : "");
}

function percentText(logProb) {
  const share = Math.exp(logProb);
  if (share > 0 && share < 0.001) return "<0.1%";
  return `${(100 * share).toFixed(share < 0.995 ? 1 : 0)}%`;
}

// For Plotly, which reads tags in what it draws.
function plotlyText(text, limit = 80) {
  const shown = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return shown.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}
