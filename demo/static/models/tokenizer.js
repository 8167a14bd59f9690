// Text to token ids and back, for the kinds of tokenizer that the shipped checkpoints have.

import { readPicture } from "./pictures.js";
import { plainText } from "./plain_text.js";
import { Backend, UNKNOWN } from "./segmentation.js";

/**
 * @typedef {{ id: number, surface: string, unknown: boolean, start: number | null, end: number | null }} SourceToken
 */
/** @typedef {{ text: string, ids: ArrayLike<number>, tokens: SourceToken[] }} Encoding */
/** @typedef {import("./segmentation.js").Piece} Piece */

const [PAD, START, END] = [0, 2, 3]; // ids of special tokens

export class Tokenizer {
  [Symbol.toStringTag] = "Tokenizer";
  padId = PAD;
  startId = START;
  endId = END;

  /** @param {any} file  the content of a checkpoint's `tokenizer.json` */
  constructor(file) {
    const [source, target] = file.source ? [file.source, file.target] : [file, file];
    /** @type {{ size: number, cells: number } | null} */
    this.picture = source.picture ?? null;
    this.target = new Backend(target);
    this.source = source === target || this.picture ? this.target : new Backend(source);
  }

  /** @param {number} id */
  token(id) {
    return this.target.tokens[id];
  }

  /**
   * Ids with the end token appended. Special tokens in the text are read as plain characters. The ids of a picture
   * are its pixels, but its tokens are its cells.
   *
   * @param {string} text
   * @returns {Promise<Encoding>}
   */
  async encode(text) {
    if (!this.picture) return this._encoded(text);
    const { size, cells } = this.picture;
    const tokens = Array.from({ length: cells * cells }, (_, i) => {
      return { id: i, surface: `${Math.floor(i / cells) + 1},${(i % cells) + 1}`, unknown: false, start: 0, end: 0 };
    });
    return { text, ids: await readPicture(text, size), tokens };
  }

  /** @param {string} text @returns {Encoding} */
  _encoded(text) {
    const { typed, characters, spans } = plainText(text);
    if (!characters.length) throw new Error("There is no text to decode. Type a sentence first.");
    const { text: normal, origins } = normalised(characters, this.source.lowercase);
    const pieces = this.source.pieces(normal);
    const length = [...typed].length;
    const tokens = pieces.map(({ id, start, end }, i) => {
      const [from, to] = [
        origins[start] ?? characters.length,
        end > start ? this._endOf(origins, end, pieces[i + 1], characters) : 0,
      ];
      const span =
        end > start
          ? { start: spans[from].start, end: spans[to - 1].end }
          : { start: spans[from]?.start ?? length, end: spans[from]?.start ?? length };
      return { id, surface: this.token(id), unknown: id === UNKNOWN, ...span };
    });
    tokens.push({ id: END, surface: this.token(END), unknown: false, start: length, end: length });
    return { text: typed, ids: tokens.map(({ id }) => id), tokens };
  }

  /**
   * One past the last character of a piece, with the accents that were merged into its letter.
   *
   * @param {number[]} origins
   * @param {number} end
   * @param {Piece | undefined} following
   * @param {string[]} characters
   */
  _endOf(origins, end, following, characters) {
    const limit = following ? (origins[following.start] ?? characters.length) : characters.length;
    let to = (origins[end - 1] ?? 0) + 1;
    while (to < limit && !/\s/u.test(characters[to])) to++;
    return to;
  }

  /** The target text of ids; start, end and padding leave no trace in it. @param {number[]} ids */
  decode(ids) {
    return this.target.join(ids.filter((id) => ![PAD, START, END].includes(id)).map((id) => this.token(id)));
  }

  /** The ids of a typed text: a single token if there is one, else its pieces. @param {string} text */
  forcedPieces(text) {
    if (text.trim() === this.token(END)) return [END];
    const { characters } = plainText(text);
    const ids = this.target.pieces(normalised(characters, this.target.lowercase).text).map(({ id }) => id);
    const exact = this.target.ids.get(text.trim());
    if (ids.length !== 1 && exact !== undefined && exact > END) return [exact];
    if (!ids.length || ids.includes(UNKNOWN))
      throw new Error(`The vocabulary of this model lacks “${text}”. Type something else.`);
    return ids;
  }

  /** The ids of banned words, each of one token. @param {string} text */
  bannedIds(text) {
    return text
      .split(/\s+/u)
      .filter(Boolean)
      .map((word) => {
        const ids = this.forcedPieces(word);
        if (ids.length > 1)
          throw new Error(
            `“${word}” is not one token but ${ids.length}. Ban one of these, spelt as here: ${ids.map((id) => this.token(id)).join(" ")}`,
          );
        return ids[0];
      });
  }

  /** The phrases between commas with their tokens. @param {string} text */
  requiredWords(text) {
    const typed = text
      .split(/[,，、]/u)
      .map((part) => part.trim())
      .filter(Boolean);
    return typed.map((phrase) => ({ text: phrase, token_ids: this.forcedPieces(phrase) }));
  }
}

/**
 * The text in normal form C, perhaps in lower case, and the character that each of its characters comes from.
 *
 * @param {string[]} characters
 * @param {boolean} lowercase
 */
function normalised(characters, lowercase) {
  let text = "";
  const origins = [];
  for (let first = 0; first < characters.length; ) {
    let end = first + 1; // a letter and the marks behind it
    while (end < characters.length && /\p{M}/u.test(characters[end])) end++;
    const composed = characters.slice(first, end).join("").normalize("NFC");
    const part = lowercase ? composed.toLowerCase() : composed;
    const count = [...part].length;
    for (let i = 0; i < count; i++) origins.push(Math.min(first + i, end - 1));
    text += part;
    first = end;
  }
  return { text, origins };
}
