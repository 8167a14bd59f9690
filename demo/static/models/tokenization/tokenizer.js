// Text to token ids and back, for the kinds of tokenizer that the shipped checkpoints have.

import { inQuotes, UnrolledError } from "../errors.js";
import { readPicture } from "./pictures.js";
import { plainText } from "./plain_text.js";
import { Backend, BOS_ID, EOS_ID, PAD_ID, UNK_ID } from "./segmentation.js";

/** @import { Piece } from "./segmentation.js" */

/**
 * @typedef {{ id: number, surface: string, unknown: boolean, start: number | null, end: number | null }} SourceToken
 */
/**
 * `unknown` are the different texts that the vocabulary lacks.
 * @typedef {{ text: string, ids: ArrayLike<number>, tokens: SourceToken[], unknown: string[] }} Encoding
 */

const COMMA = /[,，、]/u; // between required or banned words

export class Tokenizer {
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
   * @type {(text: string) => Promise<Encoding>}
   */
  async encode(text) {
    if (!this.picture) return this._encoded(text, this.source);
    const { size, cells } = this.picture;
    const tokens = Array.from({ length: cells * cells }, (_, i) => {
      return { id: i, surface: `${Math.floor(i / cells) + 1},${(i % cells) + 1}`, unknown: false, start: 0, end: 0 };
    });
    return { text, ids: await readPicture(text, size), tokens, unknown: [] };
  }

  /** Ids of an output. @param {string} text */
  encodeTarget(text) {
    return this._encoded(text, this.target);
  }

  /** @param {string} text @param {Backend} backend @returns {Encoding} */
  _encoded(text, backend) {
    const { typed, characters, spans } = plainText(text);
    if (!characters.length) throw new UnrolledError("no_text", "There is no text to decode. Type a sentence first.");
    const { text: normal, origins } = normalise(characters, backend.lowercase);
    const pieces = backend.pieces(normal);
    const length = [...typed].length;
    /** @type {Set<string>} */
    const unknown = new Set();
    const tokens = pieces.map(({ id, start, end }, i) => {
      const [from, to] = [
        origins[start] ?? characters.length,
        end > start ? this._endOf(origins, end, pieces[i + 1], characters) : 0,
      ];
      const span =
        end > start
          ? { start: spans[from].start, end: spans[to - 1].end }
          : { start: spans[from]?.start ?? length, end: spans[from]?.start ?? length };
      if (id === UNK_ID) unknown.add(characters.slice(from, to).join(""));
      return { id, surface: this.token(id), unknown: id === UNK_ID, ...span };
    });
    tokens.push({ id: EOS_ID, surface: this.token(EOS_ID), unknown: false, start: length, end: length });
    return { text: typed, ids: tokens.map(({ id }) => id), tokens, unknown: [...unknown] };
  }

  /**
   * One past the last character of a piece, with the accents that were merged into its letter.
   * @type {(origins: number[], end: number, following: Piece | undefined, characters: string[]) => number}
   */
  _endOf(origins, end, following, characters) {
    const limit = following ? (origins[following.start] ?? characters.length) : characters.length;
    let to = (origins[end - 1] ?? 0) + 1;
    while (to < limit && !/\s/u.test(characters[to])) to++;
    return to;
  }

  /** The target text of ids; start, end and padding leave no trace in it. @param {number[]} ids */
  decode(ids) {
    return this.target.join(ids.filter((id) => ![PAD_ID, BOS_ID, EOS_ID].includes(id)).map((id) => this.token(id)));
  }

  /** The ids of a typed text: a single token if there is one, else its pieces. @param {string} text */
  tokenIdsOfText(text) {
    const { characters } = plainText(text);
    if (!characters.length)
      throw new UnrolledError(
        "no_token_to_force",
        "There is no token to force. Type a word, or a token as the tree spells it.",
      );
    if (text.trim() === this.token(EOS_ID)) return [EOS_ID];
    const normal = normalise(characters, this.target.lowercase).text;
    const pieces = this.target.pieces(normal);
    const ids = pieces.map(({ id }) => id);
    const exact = this.target.ids.get(text.trim());
    if (ids.length !== 1 && exact !== undefined && exact > EOS_ID) return [exact];
    const unknown = pieces.filter(({ id }) => id === UNK_ID);
    if (unknown.length)
      throw new UnrolledError("words_unknown", "The vocabulary of this model lacks {words}. Type something else.", {
        words: inQuotes(unknown.map(({ start, end }) => [...normal].slice(start, end).join(""))),
      });
    return ids;
  }

  /** The ids of banned words, each of one token, between commas or blanks. @param {string} text */
  bannedIds(text) {
    return text
      .split(/\s+/u)
      .filter(Boolean)
      .flatMap((part) => {
        const words = part.split(COMMA).filter(Boolean);
        return words.length && this.target.ids.get(part) === undefined ? words : [part];
      })
      .map((word) => {
        const ids = this._idsOf(word, (error) => {
          return new UnrolledError("word_cannot_be_banned", "“{word}” cannot be banned. {error}", { word, error });
        });
        if (ids.length > 1)
          throw new UnrolledError(
            "banned_word_in_pieces",
            "“{word}” is not one token but {count}: {spelt}. Ban one of these, spelt as here.",
            { word, count: ids.length, spelt: ids.map((id) => `“${this.token(id)}”`).join(" ") },
          );
        return ids[0];
      });
  }

  /** The phrases between commas with their tokens. @param {string} text */
  requiredPhrases(text) {
    const typed = text
      .split(COMMA)
      .map((part) => part.trim())
      .filter(Boolean);
    if (text.trim() && !typed.length)
      throw new UnrolledError("no_words_required", "There is no word between the commas. Type one, or nothing.");
    return typed.map((phrase) => {
      const ids = this._idsOf(phrase, (error) => {
        const values = { word: phrase, error };
        return new UnrolledError("word_cannot_be_required", "“{word}” cannot be written. {error}", values);
      });
      if (ids.includes(EOS_ID))
        throw new UnrolledError(
          "end_cannot_be_required",
          "The end token is not a word: every output that is not cut off has it. Leave it out.",
        );
      return { text: phrase, token_ids: ids };
    });
  }

  /**
   * The ids of a typed text; `explained` makes the error from the reason why there are none.
   * @type {(text: string, explained: (error: UnrolledError) => UnrolledError) => number[]}
   */
  _idsOf(text, explained) {
    try {
      return this.tokenIdsOfText(text);
    } catch (error) {
      throw error instanceof UnrolledError ? explained(error) : error;
    }
  }
}

/**
 * The text in normal form C, perhaps in lower case, and the character that each of its characters comes from.
 * @type {(characters: string[], lowercase: boolean) => { text: string, origins: number[] }}
 */
function normalise(characters, lowercase) {
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
