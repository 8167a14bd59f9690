// @ts-check
// Stores each file that the page uses under its digest, so that it is fetched once and is there without a connection.
const page = /** @type {any} */ (self);
const STORE = "unrolled";
const LIST = "files.json"; // the digest and the size of each file, by its path in the folder
const FIRST = "index.html";

/** @typedef {Record<string, [digest: string, size: number]>} List */

/** @type {Promise<List> | null} */
let current = null;

/** A file's path in the folder. @param {string} address */
function pathOf(address) {
  const { pathname } = new URL(address);
  const folder = new URL(page.registration.scope).pathname;
  return pathname.startsWith(folder) ? decodeURIComponent(pathname.slice(folder.length)) || FIRST : "";
}

const keyOf = (/** @type {string} */ path, /** @type {List} */ list) =>
  new URL(`${path}?${list[path][0]}`, page.registration.scope).href;

/** The list of this visit: a new one if the site has changed, the stored one without a connection. @returns {Promise<List>} */
async function readList() {
  const store = await caches.open(STORE);
  const address = new URL(LIST, page.registration.scope).href;
  const answer = await fetch(address, { cache: "no-cache" }).catch(() => null);
  if (!answer?.ok) return (await store.match(address))?.json() ?? {};
  await store.put(address, answer.clone());
  /** @type {List} */
  const list = await answer.json();
  const keys = new Set([address, ...Object.keys(list).map((path) => keyOf(path, list))]);
  for (const request of await store.keys()) if (!keys.has(request.url)) await store.delete(request);
  return list;
}

/** @type {(path: string, list: List, request: Request) => Promise<Response>} */
async function fromStore(path, list, request) {
  const store = await caches.open(STORE);
  const key = keyOf(path, list);
  const match = await store.match(key);
  if (match) return match;
  const answer = await fetch(request);
  if (answer.status === 200) await store.put(key, answer.clone()).catch(() => {}); // no room: it is fetched again
  return answer;
}

/** @param {Request} request */
async function respond(request) {
  if (request.mode === "navigate" || !current) current = readList();
  const path = pathOf(request.url);
  const list = await current.catch(() => /** @type {List} */ ({}));
  if (!Object.hasOwn(list, path)) return fetch(request);
  return fromStore(path, list, request).catch(() => fetch(request));
}

page.addEventListener("install", () => page.skipWaiting());
page.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(page.clients.claim()));
page.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.method === "GET" && pathOf(event.request.url)) event.respondWith(respond(event.request));
});
// The addresses that the page had fetched before this script ran.
page.addEventListener("message", (/** @type {any} */ event) => {
  event.waitUntil(Promise.all(event.data.map((/** @type {string} */ address) => respond(new Request(address)))));
});
