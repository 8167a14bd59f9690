// @ts-check
// Starts the script that stores the files. Without it, as in some frames, the page works with a connection.

/** Starts to store what the page has fetched so far, and all that it fetches from now on. */
export async function startOffline() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(new URL("service_worker.js", document.baseURI), { updateViaCache: "none" });
  const { active } = await navigator.serviceWorker.ready;
  const site = new URL(".", document.baseURI).href;
  const store = (/** @type {string[]} */ addresses) =>
    active?.postMessage(addresses.filter((address) => address.startsWith(site)));
  store([document.baseURI]);
  // A fetch that began before the script took over is listed only when it ends.
  new PerformanceObserver((list) => store(list.getEntries().map(({ name }) => name))).observe({
    type: "resource",
    buffered: true,
  });
}
