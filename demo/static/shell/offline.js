// @ts-check
// Starts the script that stores the files. Without it, as in some frames, the page works with a connection.

/** Starts to store what the page has fetched so far, and all that it fetches from now on. */
export async function startOffline() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(new URL("service_worker.js", document.baseURI), { updateViaCache: "none" });
  const { active } = await navigator.serviceWorker.ready;
  const fetched = performance.getEntriesByType("resource").map(({ name }) => name);
  const site = new URL(".", document.baseURI).href;
  active?.postMessage([document.baseURI, ...fetched].filter((address) => address.startsWith(site)));
}
