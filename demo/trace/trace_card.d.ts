// The types of the view and its cards, for the type checker.
import type { Figure, createChart } from "../widgets/charts/charts.js";
import type { LoadPlotly } from "../widgets/charts/plotly.js";
import type { AnswersByName } from "../widgets/answers/questions.js";
import type { Edits } from "./cards/versions/edits.js";
import type { Change, Selection } from "./reading/selection.js";
import type { Model } from "./reading/trace.js";

export type { Caption } from "../widgets/charts/figures.js";
export type { Hypothesis, NextToken, Token, TracePayload } from "./payload.js";
export type { Shown, State } from "./reading/selection.js";
export type { Node, Picture, Row, Step } from "./reading/trace.js";
export type Chart = ReturnType<typeof createChart>;
export type { AnswersByName, Change, Edits, Figure, Model, Selection };

/** The arguments of a card's constructor. */
export interface View {
  root: HTMLElement;
  selection: Selection;
  plotly: LoadPlotly;
  edits: Edits;
  /** The server's functions by name; empty in an exported page. */
  server: Record<string, (request: object) => Promise<any> | undefined>;
}

/** The view that a link asks for, and the list of its faults. */
export interface Wanted {
  values: Record<string, any>;
  faults: string[];
  /** A value that counts from 1, as an index; null if it is absent, or above `most`, which is a fault. */
  valueUpTo(name: string, most: number): number | null;
}

/** A card; all members are optional. */
export interface Card {
  /** Shows another trace, which has at least one step. */
  load?(model: Model): void;
  /** Follows the reader's selection in the same trace. */
  update?(change: Change): void;
  /** Like `load`, for charts. */
  draw?(): Promise<unknown>;
  /** Like `update`, for charts. */
  follow?(change: Change): Promise<unknown>;
  /** Scrolls the selection into view when all charts are drawn, since it measures the page. */
  reveal?(change?: Change): void;
  /** The view of the card for a link, by the names of a link's parameters. */
  read?(): Record<string, any>;
  restore?(wanted: Wanted): void;
  /** The server's answers, for an exported page. */
  answers?(): AnswersByName;
  /** Charts to download, by the name in `data-chart`. */
  charts?: Record<string, Pick<Chart, "download" | "picture">>;
  /** Texts to copy, by the name in `data-copy`. */
  copies?: Record<string, { hint: string; text(): string }>;
}

/** Lets a figure that has a card of its own follow the selection. */
export interface Follower {
  /** Completes the figure of a new trace, for example by hover texts. */
  prepare?(figure: Figure): void;
  /** Shapes over the figure for the current selection. */
  marks?(figure: Figure): any[];
  /** Whether the marks move with the step, not only with the path. */
  everyStep?: boolean;
  /** Chooses what a point represents. */
  click?(point: any): void;
}

export type CreateCard = (view: View, card: HTMLElement) => Card;
export type FollowFigure = (view: View) => Follower;

/** A card's module: it makes a card, or lets a figure follow the selection. */
export interface CardModule {
  create?: CreateCard;
  follow?: FollowFigure;
}
