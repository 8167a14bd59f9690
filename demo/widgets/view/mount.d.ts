// The function with which every view begins, for the type checker.

/** `props`, `watch`, `trigger` and `server` are Gradio's; `modules` are all of the page's, by path below the views. */
export type Mount = (
  element: HTMLElement,
  props: Record<string, any>,
  watch: (name: string, changed: () => void) => void,
  trigger: (name: string, data?: any) => void,
  server: any,
  modules: Record<string, any>,
) => void;
