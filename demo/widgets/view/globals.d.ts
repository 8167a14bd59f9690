// Globals of the page's scripts besides the DOM, for the type checker.
interface Window {
  Plotly?: any;
}
interface HTMLScriptElement {
  whenLoaded?: Promise<any>;
}
declare var gradio_config: { i18n_translations?: Record<string, Record<string, string>> | null } | undefined;
declare var unrolled: any;
