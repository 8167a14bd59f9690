// Keys and switches of the whole page. Everything that Gradio's own wiring can do is left to it.
(() => {
  // The result stays until the next one is there; that it is older than the controls is said quietly.
  const markStale = () => {
    const view = document.querySelector("#trace .trace-view");
    if (view) view.dataset.stale = "true";
  };
  // Runs may overlap: one that is asked for during another takes its place.
  let runs = 0;
  window.unrolled = {
    ...window.unrolled,
    t,
    run: (begun) => {
      runs = Math.max(0, runs + (begun ? 1 : -1));
      const button = document.getElementById("run");
      if (!runs && document.activeElement?.id === "stop") button?.focus();
      // While the progress is busy, a screen reader does not read out each of its many changes.
      for (const busy of [button, document.querySelector("#progress [role=status]")]) {
        busy?.setAttribute("aria-busy", String(runs > 0));
      }
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    if (!event.target.closest("#source, #picture, #strategy-card")) return;
    event.preventDefault();
    document.getElementById("run")?.click();
  }, true);

  // Gradio opens a list at every key, also at the one that leaves it.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab" && event.target.matches("input[role=combobox]")) event.stopPropagation();
  }, true);

  // Gradio names each radio button apart, so the browser does not know that they are one choice.
  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const choice = event.target.matches(".segmented input[type=radio]") && event.target.closest("fieldset");
    if (!step || !choice) return;
    event.preventDefault();
    const radios = [...choice.querySelectorAll("input[type=radio]")];
    const next = radios[(radios.indexOf(event.target) + step + radios.length) % radios.length];
    next.focus();
    next.click();
  });

  // Remembered by a cookie, which the server reads; the address serves where a frame may keep none.
  const language = () => document.documentElement.lang.split("-")[0];
  const showLanguage = () => {
    const select = document.querySelector(".language select");
    if (select) select.value = language();
    return Boolean(select);
  };
  document.addEventListener("change", async ({ target }) => {
    if (!target.matches(".language select")) return;
    const secure = window.location.protocol === "https:" ? "; SameSite=None; Secure; Partitioned" : "; SameSite=Lax";
    document.cookie = `unrolled-lang=${target.value}; path=/; max-age=31536000${secure}`;
    const url = await window.unrolled.here(); // what was typed and chosen comes along
    url.searchParams.set("__lang", target.value);
    window.location.replace(url);
  });
  const header = new MutationObserver(() => { if (showLanguage()) header.disconnect(); });
  header.observe(document.documentElement, { childList: true, subtree: true });

  document.addEventListener("click", (event) => {
    if (!event.target.closest(".scheme")) return;
    const dark = document.body.classList.toggle("dark");
    const url = new URL(window.location);
    url.searchParams.set("__theme", dark ? "dark" : "light");
    window.history.replaceState(null, "", url);
  });

  // Not `change`, which a text sends when the focus leaves it, long after it was decoded.
  document.addEventListener("input", (event) => {
    if (event.target.closest("#source, #picture, #strategy-card")) markStale();
  });
})();
