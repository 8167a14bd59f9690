// Runs before anything is drawn: hides the parts that a link leaves out, and starts loading the page's modules. Calls
// that come before the modules wait for them.
{
  try {
    localStorage.getItem("");
  } catch {
    // Gradio stops at a browser that stores nothing: this visit then has a storage of its own.
    const values = new Map();
    const getItem = (key) => values.get(key) ?? null;
    const storage = {
      getItem,
      setItem: (key, value) => values.set(key, value),
      removeItem: (key) => values.delete(key),
    };
    Object.defineProperty(window, "localStorage", { value: storage });
  }
  const { searchParams } = new URL(window.location);
  const hidden = searchParams.get("hide") ?? "";
  document.documentElement.dataset.hide = hidden
    .split(",")
    .map((name) => name.trim())
    .join(" ");
  if (searchParams.has("__projector")) document.documentElement.dataset.projector = "";
  // Loads modules that only some visitors need: a module that is joined into one file cannot import.
  const loadModule = (address) => import(new URL(address, document.baseURI).href);
  const unrolled = { config: /*CONFIG*/ null, loadModule };
  window.unrolled = unrolled;
  const modules = import(new URL("/*MODULES*/", document.baseURI).href);
  const page = modules.then(({ modules }) => modules["page/scripts/page.js"]);
  const started = page.then(({ start }) => start());
  const waiting = ["run", "decode", "choose", "open", "gather", "sendQuestion", "fillIn", "forgetQuestion"];
  for (const name of waiting) unrolled[name] = (...values) => started.then(() => unrolled[name](...values));
  started.catch(console.error);
  page.then(({ translateTitles }) => translateTitles()).catch(console.error);
}
