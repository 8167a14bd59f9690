// Made from payload.py and models/decoding/trace.py by `make payload-types`.

/** A list for each field of a record. */
export type Table<Kind> = { [Name in keyof Kind]: Kind[Name][] };

export interface Token {
  id: number;
  surface: string;
  unknown: boolean;
  start: number | null;
  end: number | null;
}

export interface Hypothesis {
  node: number;
  token_ids: number[];
  text: string;
  log_prob: number;
  score: number;
  ended: boolean;
  order: number | null;
  group: number;
  utility: number | null;
  written: number[];
}

export interface BeamNode {
  id: number;
  parent: number | null;
  step: number;
  token_id: number;
  token: string;
  log_prob: number;
  cumulative: number;
  score: number;
  rank: number;
  token_rank: number;
  status: "kept" | "finished" | "pruned";
  reason: "chosen" | "within_beam" | "end_token" | "max_length" | "displaced" | "ranked_below" | "end_outside_beam" | "early_stop" | "forced" | "opening" | "closing" | "threshold" | "group_penalty" | "bound" | "budget" | "for_words" | "held_back" | "without_words";
  order: number | null;
  group: number;
  chance: number | null;
}

export interface AttentionOverride {
  step: number;
  weights: number[];
  layer: number | null;
  head: number | null;
}

export interface Exploration {
  expanded: number;
  recorded: number;
  seen: number;
  stop: "complete" | "budget" | "cancelled" | "time" | "shutdown";
  budget: number | null;
}

export interface GreedyOutput {
  text: string;
  token_ids: number[];
}

export interface OutputWithoutWords {
  text: string;
  token_ids: number[];
  log_prob: number;
  score: number;
}

export interface RequiredPhrase {
  text: string;
  token_ids: number[];
}

export interface Utilities {
  metric: string;
  signature: string;
  matrix: number[][];
}

export interface NextToken {
  token_id: number;
  token: string;
  log_prob: number;
}

export interface Picture {
  cells: number;
}

export interface WordPieces {
  useful: boolean;
  flags: Record<string, number>;
  starts: boolean[];
}

export interface PackedRows {
  node: (number | null)[];
  entropy: (number | null)[];
  top: (([number, string, number | null])[])[];
  allowed: ((number | null)[] | null)[];
  chances: (number[] | null)[];
}

export interface PackedAttention {
  shape: number[];
  data: string;
}

export interface PackedTrace {
  checkpoint: string;
  source_text: string;
  source: Table<Token>;
  strategy: string;
  settings: Record<string, any>;
  steps: [rows: number, nodes: number][];
  hypotheses: Table<Hypothesis>;
  forced: number[];
  opening: number;
  overrides: AttentionOverride[];
  exploration: Exploration | null;
  utilities: Utilities | null;
  words: RequiredPhrase[];
  free: OutputWithoutWords | null;
  greedy: GreedyOutput | null;
  task: string;
  languages: string[];
  schema_version: number;
  nodes: Table<BeamNode>;
  rows: PackedRows;
  attention: PackedAttention | null;
}

export interface TracePayload {
  trace: PackedTrace;
  checkpoint: string;
  picture: Picture | null;
  labels: Record<string, string[]>;
  words: WordPieces;
  statuses: Record<string, string>;
  reasons: Record<string, string>;
  captions: Record<string, any>;
  figures: Record<string, any>;
  palette: Record<string, string>;
  dark: Record<string, string>;
  [ofACard: string]: any;
}
