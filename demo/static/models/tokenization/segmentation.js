// Ways of cutting a text into tokens, and of joining tokens to a text.

/** @typedef {{ id: number, start: number, end: number }} Piece  positions in the normalised text */

export const [PAD_ID, UNK_ID, BOS_ID, EOS_ID] = [0, 1, 2, 3]; // ids of special tokens; UNK is what a vocabulary lacks
const BLANK = "▁"; // stands for a space in the tokens of BPE
const MARK = /▁?[^\p{L}\p{M}\p{N}▁]/gu;
const WORD =
  /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}\s]+/gu;
const PART_OF_WORD = /\p{Script=Han}|[!-/:-@[-`{-~\p{P}]|[^\s\p{Script=Han}!-/:-@[-`{-~\p{P}]+/gu;
const UNSPACED = "[\\p{Script=Han}\\u3000-\\u303f\\uff00-\\uffef]"; // Chinese characters and marks of full width
const BESIDE_UNSPACED = new RegExp(`(?<=${UNSPACED}) | (?=${UNSPACED})`, "gu");
// The blank before marks and endings, which the tokenizers library drops; no token has a blank inside.
const BEFORE_MARK = /^ (?=[.?!,]|n't|'(?:m|s|ve|re))/;
const MAX_WORD_LENGTH = 100; // characters; a longer word is unknown to WordPiece
const CONTINUES = "##"; // before a piece that continues a word, in WordPiece

/** One way of cutting a text. */
export class Backend {
  /** @param {any} file  the content of a `tokenizer.json` of the tokenizers library */
  constructor({ model, normalizer, pre_tokenizer: cut, decoder }) {
    /** @type {Map<string, number>} */
    this.ids = new Map(Object.entries(model.vocab));
    this.tokens = [...this.ids.keys()];
    for (const [token, id] of this.ids) this.tokens[id] = token;
    this.ranks = new Map(
      (model.merges ?? []).map((/** @type {string[] | string} */ pair, /** @type {number} */ rank) => [
        Array.isArray(pair) ? pair.join(" ") : pair,
        rank,
      ]),
    );
    this.lowercase = JSON.stringify(normalizer).includes("Lowercase");
    this.decoder = decoder;
    this.kind = { BPE: "bpe", WordPiece: "wordpiece", WordLevel: cut.type === "Whitespace" ? "word" : "character" }[
      /** @type {"BPE"} */ (model.type)
    ];
    if (!this.kind) throw new Error(`This page cannot read a tokenizer of the kind ${model.type}.`);
  }

  /** @param {string} token */
  idOf(token) {
    return this.ids.get(token) ?? UNK_ID;
  }

  /** Cut a normalised text. @param {string} text @returns {Piece[]} */
  pieces(text) {
    if (this.kind === "bpe") return this._bpe(text);
    if (this.kind === "character")
      return [...text].map((character, i) => ({ id: this.idOf(character), start: i, end: i + 1 }));
    const parts = text.matchAll(this.kind === "word" ? WORD : PART_OF_WORD);
    return [...parts].flatMap((match) => {
      const start = [...text.slice(0, match.index)].length;
      const characters = [...match[0]];
      if (this.kind === "word") return [{ id: this.idOf(match[0]), start, end: start + characters.length }];
      return this._wordPieces(characters, start);
    });
  }

  /**
   * The longest known pieces of a word, from left to right; an unknown token for a word that has none.
   * @type {(characters: string[], start: number) => Piece[]}
   */
  _wordPieces(characters, start) {
    if (characters.length > MAX_WORD_LENGTH) return [{ id: UNK_ID, start, end: start + characters.length }];
    const pieces = [];
    for (let from = 0; from < characters.length; ) {
      let to = characters.length;
      const spelling = () => (from ? CONTINUES : "") + characters.slice(from, to).join("");
      while (to > from && !this.ids.has(spelling())) to--;
      if (to === from) return [{ id: UNK_ID, start, end: start + characters.length }];
      pieces.push({ id: this.idOf(spelling()), start: start + from, end: start + to });
      from = to;
    }
    return pieces;
  }

  /** Byte-pair encoding inside words and marks. @param {string} text @returns {Piece[]} */
  _bpe(text) {
    const marked = (text.startsWith(BLANK) ? "" : BLANK) + text.replaceAll(" ", BLANK);
    const added = marked.length - text.length; // the blank before the first word is in no text
    const pieces = [];
    let start = -added;
    for (const word of marked.match(/▁[^▁]*|^[^▁]+/gu) ?? [])
      for (const part of isolateMarks(word)) {
        for (const { id, length } of this._merged([...part])) {
          // The added blank stands for the first character, as in the tokenizers library.
          pieces.push({ id, start: Math.max(0, start), end: Math.max(1, start + length) });
          start += length;
        }
      }
    return pieces;
  }

  /** Merge the characters of a part, the earliest merge first. @param {string[]} characters */
  _merged(characters) {
    /** @type {{ spelling: string, id: number, length: number }[]} */
    const symbols = [];
    for (const character of characters) {
      const id = this.idOf(character);
      const last = symbols[symbols.length - 1];
      if (id === UNK_ID && last?.id === UNK_ID) last.length++;
      else symbols.push({ spelling: character, id, length: 1 });
    }
    for (;;) {
      let [best, at] = [Number.POSITIVE_INFINITY, -1];
      for (let i = 0; i + 1 < symbols.length; i++) {
        const rank = this.ranks.get(`${symbols[i].spelling} ${symbols[i + 1].spelling}`);
        if (rank !== undefined && rank < best && symbols[i].id !== UNK_ID && symbols[i + 1].id !== UNK_ID)
          [best, at] = [rank, i];
      }
      if (at < 0) return symbols;
      const spelling = symbols[at].spelling + symbols[at + 1].spelling;
      symbols.splice(at, 2, { spelling, id: this.idOf(spelling), length: symbols[at].length + symbols[at + 1].length });
    }
  }

  /** The text of tokens. @param {string[]} tokens */
  join(tokens) {
    if (this.kind === "character") return tokens.join("");
    if (this.kind === "bpe") return tokens.join("").replaceAll(BLANK, " ").replace(/^ /, "");
    const prefix = this.kind === "wordpiece" ? CONTINUES : "\0";
    const spaced = tokens.map((token, i) =>
      i === 0 ? token : token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`.replace(BEFORE_MARK, ""),
    );
    const text = spaced.join("");
    return this.kind === "wordpiece" ? text.replace(BESIDE_UNSPACED, "") : text;
  }
}

/** Split a word so that its marks stand alone. @param {string} word @returns {string[]} */
function isolateMarks(word) {
  const parts = [];
  let from = 0;
  for (const match of word.matchAll(MARK)) {
    if (match.index > from) parts.push(word.slice(from, match.index));
    parts.push(match[0]);
    from = match.index + match[0].length;
  }
  if (from < word.length) parts.push(word.slice(from));
  return parts;
}
