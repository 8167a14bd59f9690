// @ts-check
// Loads the engine for the first view that needs it, and says what has arrived of a network.
import { numberText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";

const ENGINE = "scripts/static/worker/engine.js";
const MEGABYTE = 1_000_000;
const MEMORY_ERROR = "RangeError"; // the name of the error if there is no room for an array
const NETWORK_ERRORS = ["FetchError", "TypeError"]; // names of errors for a file that did not arrive

/** @param {Error} error */
export function sentence({ name, message }) {
  if (NETWORK_ERRORS.includes(name)) return t("The network could not be loaded. Check the connection, then try again.");
  if (name === MEMORY_ERROR) return t("This device has too little memory for this checkpoint. Choose a smaller one.");
  return message;
}

export const loadingDecoder = () => t("Loading the decoder. This happens once.");

/** @typedef {import("../worker/engine.js").Ask} Ask */
/** @typedef {ReturnType<typeof createLoading>} Loading */
/** @typedef {{ read: (address: string) => Promise<any>, code: string, loading: Loading }} Page */

/** @param {string} language */
export function createLoading(language) {
  /** @type {Promise<Ask> | null} */
  let engine = null;
  /** @type {((text: string) => void)[]} */
  const listeners = [];

  /** @param {{ loaded: number, total: number }} progress of the weights */
  function onProgress({ loaded, total }) {
    const values = { loaded: numberText(loaded / MEGABYTE, 1), total: numberText(total / MEGABYTE, 1) };
    const text = loaded < total ? t("Loading the network: {loaded} of {total} MB", values) : loadingDecoder();
    for (const listen of listeners) listen(text);
  }

  function load() {
    engine ??= import(new URL(ENGINE, document.baseURI).href).then(({ startEngine }) =>
      startEngine({ base: new URL(".", document.baseURI).href, language, onProgress }),
    );
    engine.catch(() => {
      engine = null; // the next decoding tries again
    });
    return engine;
  }

  return {
    /** @param {(text: string) => void} listen to sentences about the progress */
    follow: (listen) => listeners.push(listen),
    /** The engine if it has been asked for. */
    current: () => engine,
    /** What the engine answers, see demo/static/worker/computing.js. @type {Ask} */
    ask: async (call, values) => (await load())(call, values),
  };
}
