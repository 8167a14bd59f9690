// @ts-check
// Work of the server that may take longer than a request: the page follows its states by a stream. The server ends the
// work when the page closes the stream. Answers to earlier requests are dropped here.

/** @typedef {Record<string, any>} State all but the last have `progress`; the first then has the stream's `address` */

export function createWork() {
  let leave = () => {};

  /**
   * Begins work in place of the latest.
   * @param {() => Promise<State>} begin
   * @param {(progress: string) => void} [onProgress]
   * @returns {Promise<State | null>} the last state; null if other work was begun meanwhile, or the page left this
   */
  function ask(begin, onProgress = () => {}) {
    leave();
    return new Promise((settle, fail) => {
      let isLeft = false;
      /** @type {EventSource | null} */
      let stream = null;
      leave = () => {
        isLeft = true;
        stream?.close();
        settle(null);
      };

      /** @param {State} first */
      function follow({ address, progress }) {
        onProgress(progress);
        const events = new EventSource(new URL(address, document.baseURI));
        stream = events;
        events.onmessage = ({ data }) => {
          const state = JSON.parse(data);
          if ("progress" in state) return onProgress(state.progress);
          events.close();
          settle(state);
        };
        events.onerror = () => {
          events.close();
          fail(new Error("the stream ended before the last state"));
        };
      }

      begin()
        .then((state) => {
          if (isLeft) return;
          if (state.address) follow(state);
          else settle(state);
        })
        .catch(fail);
    });
  }

  return {
    ask,
    /** Ends the latest work, whose answer is not awaited any more. */
    leave: () => leave(),
  };
}
