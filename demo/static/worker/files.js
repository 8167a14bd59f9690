// @ts-check
// The files of the site.

/** A file that did not arrive. */
export class FetchError extends Error {
  name = "FetchError";
}

/**
 * Fetch a file, and report its bytes as they arrive. Throws a FetchError.
 * @type {(address: string, report?: (progress: { loaded: number, total: number }) => void) => Promise<ArrayBuffer>}
 */
export async function fetchFile(address, report = () => {}) {
  try {
    const response = await fetch(address);
    if (!response.ok || !response.body) throw new FetchError(`${address}: ${response.status}`);
    const total = Number(response.headers.get("content-length")) || 0; // a server that packs the file says its packed size
    const parts = [];
    let loaded = 0;
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      loaded += part.value.length;
      report({ loaded, total: Math.max(loaded, total) });
    }
    report({ loaded, total: loaded });
    return await new Blob(parts).arrayBuffer();
  } catch (error) {
    throw error instanceof FetchError ? error : new FetchError(`${address}: ${error}`);
  }
}

/** @param {string} address @returns {Promise<any>} */
export const fetchJson = async (address) => JSON.parse(new TextDecoder().decode(await fetchFile(address)));
