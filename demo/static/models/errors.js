// Messages of the library as data: a code, an English template and the values of its fields.

/** @typedef {{ code: string, template: string, fields: Record<string, any> }} MessageData */

/**
 * An error that a reader can fix. The page translates the template before it fills the fields in.
 * Codes and templates are those of the library; a field may be a message of its own.
 */
export class UnrolledError extends Error {
  /**
   * @param {string} code
   * @param {string} template  an English sentence with fields in braces
   * @param {Record<string, string | number | UnrolledError>} [fields]
   */
  constructor(code, template, fields = {}) {
    super(template.replace(/\{(\w+)\}/g, (_, name) => String(fields[name])));
    this.code = code;
    this.template = template;
    this.fields = fields;
  }

  toString() {
    return this.message;
  }

  /** @returns {MessageData} */
  toDict() {
    const fields = Object.entries(this.fields).map(([name, value]) => [
      name,
      value instanceof UnrolledError ? value.toDict() : value,
    ]);
    return { code: this.code, template: this.template, fields: Object.fromEntries(fields) };
  }
}

/** List the first words, each in quotation marks, and the number of further ones. @param {string[]} words */
export function inQuotes(words, maxWords = 5) {
  const distinct = [...new Set(words)];
  const marked = distinct.slice(0, maxWords).map((text) => new UnrolledError("word_in_quotes", "“{text}”", { text }));
  const joined = marked.reduce(
    (first, second) => new UnrolledError("in_a_row", "{first}, {second}", { first, second }),
  );
  if (distinct.length <= maxWords) return joined;
  const count = distinct.length - maxWords;
  return new UnrolledError("words_and_more", "{words} and {count} more", { words: joined, count });
}
