// Links: written from what the page shows, opened when it loads. Knows the parameters from demo/links.py.
(() => {
  const config = /*CONFIG*/ null;
  const root = document.documentElement;
  const arrived = new URL(window.location); // as the visitor came
  const wanted = (name) => arrived.searchParams.get(name) ?? "";
  const firstTab = wanted("run") ? "training" : Object.hasOwn(config.parameters, wanted("tab")) ? wanted("tab") : "decode";
  const LOST = "unrolled-lost";
  const gathered = {}; // by tab: what its controls say
  let onShow = "decode"; // the tab on show
  let settled = false; // until then the page chooses its tab by itself
  const secret = new RegExp(`^(?:${config.runName})$`); // the checkpoint of a training run is called so
  let publicNames = []; // checkpoints that everybody can open, whatever they are called

  const hide = (names) => {
    root.dataset.hide = names.filter((name) => Object.hasOwn(config.parts, name)).join(" ");
    document.dispatchEvent(new CustomEvent("unrolled:hide"));
  };
  hide(wanted("hide").split(",").map((name) => name.trim())); // before anything is drawn

  // Half a character has no place in an address.
  const whole = (text) => text.replace(/[\ud800-\udfff]/gu, "\ufffd");
  const strict = (text) => encodeURIComponent(whole(text)).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const encode = (text) => strict(text).replaceAll("%2C", ",").replaceAll("%3A", ":");

  function writtenItem(item) {
    if (Array.isArray(item)) return item.join(",");
    const { strategy, ...others } = item;
    return [strategy, ...Object.entries(others).map(([name, value]) => `${name}:${strict(String(value)).replaceAll("~", "%7E")}`)].join(",");
  }
  const written = (value) => (Array.isArray(value) ? value.map(writtenItem).join("~") : String(value));

  // Only what differs from the default, as `query` in demo/links.py.
  function query(tab, values, hidden = []) {
    const pairs = [["tab", tab]];
    for (const name of config.parameters[tab]) {
      const value = values[name] ?? null;
      if (value !== null && value !== config.defaults[name]) pairs.push([name, written(value)]);
    }
    if (hidden.length) pairs.push(["hide", hidden.join(",")]);
    return pairs.filter(([, text]) => text).map(([name, text]) => `${name}=${encode(text)}`).join("&");
  }

  // Of the form of a comparison only what its mode asks for; the one strategy of a pair by its settings.
  function compared({ mode, checkpoint, other_checkpoint, text, other_text, reference, strategies, strategy }) {
    if (mode === "strategies") return { mode, checkpoint, text, reference, strategies };
    const other = mode === "checkpoints" ? { other_checkpoint } : { other_text };
    return { mode, checkpoint, text, ...other, ...strategy?.[0] };
  }

  // What a tab's controls and its result say together, and what a link cannot carry.
  function contents(tab) {
    const values = tab === "compare" ? compared(gathered.compare) : { ...gathered[tab] };
    const words = [];
    for (const name of ["checkpoint", "other_checkpoint"]) {
      const base = values[name]?.replace(/@.*$/, ""); // its variants, and its weights of 8 bits, are no other one
      if (!base || !secret.test(base) || publicNames.includes(base)) continue;
      delete values[name];
      words.push(t("A checkpoint of your own training is not in the link: who knows its name could watch and stop the run."));
    }
    for (const name of ["text", "other_text"]) {
      if (!values[name]?.startsWith("data:") || values[name].length <= config.mostPicture) continue;
      delete values[name];
      words.push(t("The picture is too large for a link: send it along."));
    }
    let lost = words.length > 0;
    const view = document.querySelector(tab === "decode" ? "#trace .trace-view" : "#comparison .compare");
    if (view?.dataset.stale === "true") words.push(t("The result is from before your last change; the link asks for what the controls say now."));
    else {
      const shown = view?.unrolled?.read();
      Object.assign(values, shown?.values);
      if (tab === "compare" && values.opened) Object.assign(values, document.querySelector("#compare-trace .trace-view")?.unrolled?.read().values);
      words.push(...(shown?.words ?? []));
      lost ||= Boolean(shown?.words.length);
    }
    return { values, lost, words: [...new Set(words)] };
  }

  function link(tab, hidden) {
    const { values, lost, words } = contents(tab);
    const url = new URL(window.location);
    url.search = query(tab, values, hidden);
    url.hash = "";
    return { href: url.href, lost, words };
  }

  // The address of the page as it stands, for whoever has to load it anew.
  async function here() {
    const now = new URL(window.location);
    if (!["decode", "compare"].includes(onShow)) return now; // the others keep nothing that a link could carry
    delete gathered[onShow];
    await new Promise((resolve) => {
      document.addEventListener("unrolled:gathered", resolve, { once: true });
      setTimeout(resolve, 1000);
      document.dispatchEvent(new CustomEvent("unrolled:gather", { detail: onShow }));
    });
    if (!(onShow in gathered)) return now;
    const { href, lost } = link(onShow, (root.dataset.hide ?? "").split(" ").filter(Boolean));
    if (lost) remember(LOST, "true");
    const url = new URL(href);
    for (const [name, value] of now.searchParams) if (name.startsWith("__")) url.searchParams.set(name, value);
    return url;
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch { // no clipboard over http, or none in a frame
      return copyTheOldWay(text);
    }
  }

  function copyTheOldWay(text) {
    const held = document.activeElement;
    const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
    field.style.cssText = "position: fixed; inset: 0 auto auto 0; opacity: 0";
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    held?.focus({ preventScroll: true });
    return copied;
  }

  // For the page that comes after this one. A frame may keep nothing.
  function remember(name, value) {
    try {
      const before = sessionStorage.getItem(name);
      if (value) sessionStorage.setItem(name, value);
      else sessionStorage.removeItem(name);
      return before;
    } catch {
      return null;
    }
  }

  // Wait for what a tab draws only once it is opened.
  async function there(selector, seconds = 20) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
      const found = document.querySelector(selector);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${selector} is not on the page`);
  }

  async function notice(sentences) {
    if (!sentences.length) return;
    const box = await there(".link-notice");
    const list = box.querySelector("ul");
    const known = [...list.children].map((item) => item.textContent);
    list.append(...sentences.filter((sentence) => !known.includes(sentence)).map((sentence) => {
      const item = document.createElement("li");
      item.textContent = sentence;
      return item;
    }));
    box.hidden = false;
  }

  // The server has filled in the controls and says what else the link wants.
  async function open(answer) {
    if (!answer) return;
    settled = true;
    publicNames = answer.names;
    const left = remember(LOST) ? [t("What no link can carry did not come along: a large picture, a checkpoint of your own training, an attention that you replaced, or too many edits.")] : [];
    notice([...left, ...answer.faults]);
    // A visitor who has chosen a tab by now stays there, as does a page that the link of a run has opened.
    if (answer.tab !== "decode" && onShow === "decode") (await there(`[role=tablist] [data-tab-id="${answer.tab}"]`)).click();
    if (answer.fill) {
      await Promise.all(["#comparison .compare", "#compare-strategies .sp[data-ready]", "#compare-run-strategies"].map((selector) => there(selector)));
      (await there(".link-notice")).unrolled.fill();
      return;
    }
    if (answer.tab === "decode") {
      if (answer.run || answer.view) (await there("#trace .trace-view")).unrolled.restore(answer.view ?? {}, answer.run);
      if (answer.run) (await there("#run")).click();
    } else if (answer.tab === "compare" && answer.run) {
      (await there("#comparison .compare")).unrolled.restore(answer.view ?? {});
      if (answer.view?.opened) (await there("#compare-trace .trace-view")).unrolled.restore(answer.view, true);
      (await there(`#compare-run-${answer.mode}`)).click();
      window.unrolled.opening = "";
    } else if (answer.tab === "checkpoints" && answer.view)
      (await there("#gallery .gallery")).unrolled.restore(answer.view);
  }

  // Reload stays in the tab; back in the first one, the address is again what the visitor came by.
  function enter(tab) {
    if (!settled) return;
    const url = new URL(arrived);
    if (tab !== firstTab) {
      for (const name of [...url.searchParams.keys()]) if (!name.startsWith("__") && name !== "hide") url.searchParams.delete(name);
      url.searchParams.set("tab", tab);
    }
    const theme = new URL(window.location).searchParams.get("__theme");
    if (theme) url.searchParams.set("__theme", theme);
    if (url.href !== window.location.href) window.history.replaceState(window.history.state, "", url);
  }

  // Whoever chooses a tab: the visitor, a button of another tab, a link.
  function followTabs() {
    const chosen = document.querySelector("#tabs [role=tab][aria-selected=true]")?.dataset.tabId;
    if (chosen && chosen !== onShow) enter(chosen);
    onShow = chosen ?? onShow;
  }
  // The root, since the script may run before there is a body.
  new MutationObserver(followTabs).observe(root, { subtree: true, attributeFilter: ["aria-selected"] });

  document.addEventListener("click", (event) => {
    if (event.target.closest(".link-notice button")) event.target.closest(".link-notice").hidden = true;
    if (event.target.closest(".link-hidden button")) hide([]);
  });

  const opening = firstTab === "compare" && [...arrived.searchParams.keys()].some((name) => config.parameters.compare.includes(name));
  Object.assign((window.unrolled ??= {}), {
    query, link, here, copy, notice, open: (answer) => { open(answer).catch(console.error); }, enter,
    parts: (tab) => Object.entries(config.parts).filter(([, [, tabs]]) => tabs.includes(tab)).map(([name, [label]]) => [name, label]),
    opening: opening ? "compare" : "", // then it makes no comparison of its own
    gather: (tab, names, values) => {
      gathered[tab] = Object.fromEntries(names.map((name, at) => [name, values[at]]));
      document.dispatchEvent(new CustomEvent("unrolled:gathered", { detail: tab }));
    },
  });
})();
