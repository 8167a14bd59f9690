// What the page's scripts find in the browser besides the DOM. Read by the type checker alone.
interface Window {
  Plotly?: any;
}
interface HTMLScriptElement {
  whenLoaded?: Promise<any>;
}
declare var gradio_config: { i18n_translations?: Record<string, Record<string, string>> | null } | undefined;
declare var unrolled: any;
