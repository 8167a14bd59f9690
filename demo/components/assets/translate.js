// The visitor's language. A key is the English sentence; {fields} are filled in after it was translated.
const t = (text, values = {}) => {
  const words = globalThis.unrolled?.words ?? Object.values(globalThis.gradio_config?.i18n_translations ?? {})[0] ?? {};
  const told = Object.hasOwn(words, text) ? words[text] : text;
  return told.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
};
