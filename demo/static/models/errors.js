// Messages of the library as data: a code, an English template and the values of its fields.

/**
 * An error that a reader can mend. The page translates the template before it fills the fields in.
 * Codes and templates are those of the library.
 */
export class UnrolledError extends Error {
  /**
   * @param {string} code
   * @param {string} template  an English sentence with fields in braces
   * @param {Record<string, string | number>} [fields]
   */
  constructor(code, template, fields = {}) {
    super(template.replace(/\{(\w+)\}/g, (_, name) => String(fields[name])));
    this.code = code;
    this.template = template;
    this.fields = fields;
  }
}
