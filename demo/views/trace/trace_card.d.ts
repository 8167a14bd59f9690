// What the cards of the view are to it. Read by the type checker alone.
import type { Figure, createChart } from "../shared/charts/charts.js";
import type { LoadPlotly } from "../shared/charts/plotly.js";
import type { AnswersByName } from "../shared/answers/questions.js";
import type { Edits } from "./edits.js";
import type { Change, Selection } from "./reading/selection.js";
import type { Model } from "./reading/trace.js";

export type Chart = ReturnType<typeof createChart>;
export type { Figure };

/** What a card is made from. */
export interface View {
  root: HTMLElement;
  selection: Selection;
  plotly: LoadPlotly;
  edits: Edits;
  /** What the server answers at once, by name; nothing in an exported page. */
  server: Record<string, (asked: object) => Promise<any> | undefined>;
}

/** What a link wants to be seen, and where its faults are noted. */
export interface Wanted {
  values: Record<string, any>;
  faults: string[];
  /** A value that counts from 1, as an index; null if it is absent or, which is a fault, above `most`. */
  within(name: string, most: number): number | null;
}

/** A card may have any of these. */
export interface Card {
  /** Another trace, of at least one step. */
  load?(model: Model): void;
  /** The reader looks at something else of the same trace. */
  update?(change: Change): void;
  /** Like `load`, for charts. */
  draw?(): Promise<unknown>;
  /** Like `update`, for charts. */
  follow?(change: Change): Promise<unknown>;
  /** Brings what is chosen into view, once all charts are drawn: it reads where things are on the page. */
  reveal?(change?: Change): void;
  /** What a link says of it, by the names of a link's parameters. */
  read?(): Record<string, any>;
  restore?(wanted: Wanted): void;
  /** What the server has told it, which a downloaded page takes along. */
  told?(): AnswersByName;
  /** What can be downloaded from it, by the name in `data-chart`. */
  charts?: Record<string, { download(format: string, filename: string): Promise<unknown>; picture?(): Promise<Blob> }>;
  /** What can be copied from it as a text, by the name in `data-copy`. */
  copies?: Record<string, { hint: string; text(): string }>;
}

/** How a figure that has a card of its own follows the selection. */
export interface Follower {
  /** Completes the figure of a new trace, such as with hover texts. */
  prepare?(figure: Figure): void;
  /** Shapes over the figure: what is chosen now. */
  marks?(figure: Figure): any[];
  /** Whether the marks move with the step, not only with the path. */
  everyStep?: boolean;
  /** Chooses what a point stands for. */
  click?(point: any): void;
}

/** A module beside the view: it makes a card, or it lets a figure follow the selection. */
export interface CardModule {
  create?(view: View, card: HTMLElement): Card;
  follow?(view: View): Follower;
}
