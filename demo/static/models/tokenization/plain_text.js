// The text that every tokenizer reads: ordinary white space, and nothing that cannot be seen.
// The rules are those of models/tokenization/plain_text.py, which says why each stands there.

const BLANK = "\\u{2800}\\u{3164}\\u{ffa0}"; // drawn as wide as a letter, but empty
const INVISIBLE =
  "\\u{0}-\\u{8}\\u{e}-\\u{1b}\\u{7f}-\\u{84}\\u{86}-\\u{9f}\\u{ad}\\u{34f}\\u{61c}\\u{115f}" +
  "\\u{1160}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}\\u{200b}-\\u{200f}\\u{202a}-\\u{202e}" +
  "\\u{2060}-\\u{206f}\\u{fe00}-\\u{fe0f}\\u{feff}\\u{fff9}-\\u{fffb}\\u{1bca0}-\\u{1bca3}" +
  "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}";
// White space as Python has it: the `\s` of JavaScript has U+FEFF as well.
const SPACE = "\u{9}-\u{d}\u{1c}-\u{20}\u{85}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";
const SPELLING = [
  "[\\u{600}-\\u{109f}\\u{1700}-\\u{17b3}\\u{17b6}-\\u{180a}\\u{1810}-\\u{18af}\\u{1900}-\\u{1cff}" +
    "\\u{a800}-\\u{a95f}\\u{a980}-\\u{abff}\\u{fb50}-\\u{fdff}\\u{fe70}-\\u{fefc}" +
    "\\u{10a00}-\\u{11fff}][\\u{200c}\\u{200d}]",
  "[\\u{e00}-\\u{eff}\\u{1000}-\\u{109f}\\u{1780}-\\u{17b3}\\u{17b6}-\\u{17ff}\\u{1950}-\\u{19df}" +
    "\\u{1a20}-\\u{1aaf}\\u{a9e0}-\\u{a9ff}\\u{aa60}-\\u{aadf}]\\u{200b}",
  "[0-9#*]\\u{fe0f}?\\u{20e3}",
  "\\u{1f3f4}[\\u{e0020}-\\u{e007e}]+\\u{e007f}",
  "[\\u{a9}\\u{ae}\\u{203c}\\u{2049}\\u{2100}-\\u{27ff}\\u{2900}-\\u{2bff}\\u{3030}\\u{303d}" +
    "\\u{3297}\\u{3299}\\u{1f000}-\\u{1faff}]\\u{fe0f}?[\\u{1f3fb}-\\u{1f3ff}]?(?:\\u{200d}[\\u{a9}" +
    "\\u{ae}\\u{203c}\\u{2049}\\u{2100}-\\u{27ff}\\u{2900}-\\u{2bff}\\u{3030}\\u{303d}\\u{3297}" +
    "\\u{3299}\\u{1f000}-\\u{1faff}]\\u{fe0f}?[\\u{1f3fb}-\\u{1f3ff}]?)*",
  "[\\u{1000}-\\u{109f}\\u{2200}-\\u{22ff}\\u{3001}-\\u{303f}\\u{3400}-\\u{9fff}" +
    "\\u{a840}-\\u{a87f}\\u{f900}-\\u{faff}\\u{20000}-\\u{3ffff}][\\u{fe00}-\\u{fe0f}" +
    "\\u{e0100}-\\u{e01ef}]",
  "[\\u{1807}\\u{1810}-\\u{18af}][\\u{180b}-\\u{180f}]",
  "[\\u{1100}-\\u{115f}\\u{a960}-\\u{a97c}][\\u{1160}-\\u{11a7}]",
];
const UNUSUAL = new RegExp(
  `(?<spelling>${SPELLING.join("|")})|(?<space>[${INVISIBLE}]*[${SPACE}${BLANK}][${SPACE}${BLANK}${INVISIBLE}]*)|[${INVISIBLE}]+`,
  "gu",
);

/**
 * A text as a tokenizer reads it.
 * @typedef {object} PlainText
 * @property {string} typed  the text, with U+FFFD for each half of a surrogate pair
 * @property {string[]} characters  N code points
 * @property {{ start: number, end: number }[]} spans  N, in the code points of `typed`
 */

/** Return the plain text: single spaces, none at either end. @param {string} text @returns {PlainText} */
export function plainText(text) {
  const typed = text.replace(/[\ud800-\udfff]/gu, "\ufffd");
  /** @type {{ character: string, start: number, end: number }[]} */
  const read = [];
  let [position, index] = [0, 0]; // in code points, and in code units
  const copy = (/** @type {number} */ until) => {
    for (const character of typed.slice(index, until)) read.push({ character, start: position++, end: position });
    index = until;
  };
  for (const match of typed.matchAll(UNUSUAL)) {
    if (match.groups?.spelling) continue;
    copy(match.index);
    const start = position;
    position += [...match[0]].length;
    index += match[0].length;
    if (match.groups?.space && read.length && index < typed.length) read.push({ character: " ", start, end: position });
  }
  copy(typed.length);
  return {
    typed,
    characters: read.map(({ character }) => character),
    spans: read.map(({ start, end }) => ({ start, end })),
  };
}
