/** What a page is given: the JSON report (`docs/report-format.md`) and the view (`docs/view-format.md`). */
export type Verdict = "equivalent" | "inequivalent" | "unknown";
export type EditKind = "same" | "changed" | "relinked" | "added" | "removed";
export type Equal = "congruence" | "proof" | "covered" | "differs" | "open";
export type Side = "p" | "q";
export type Cell = string | null;

export interface Table {
  columns: string[];
  rows: Cell[][];
  count?: number;
  alone?: number[]; // rows that the other version's table has not, where they are compared
}

/** What is told of an operator of one version. */
export interface OperatorSide {
  id: string;
  text: string;
  properties: [string, string[]][];
  schema: number;
  need: string;
  file?: string;
  line?: number;
  facts?: string[];
}

/** An operator of both versions, or of one; `q` is null where it is the same as `p`. */
export interface Operator {
  kind: string;
  text: string;
  edit: EditKind;
  equal: Equal;
  p: OperatorSide | null;
  q: OperatorSide | null;
  in_q: boolean;
  difference?: string; // of a changed operator whose properties read alike
}

export type Link = [src: number, dst: number, port: number, side: "both" | Side];
export type Field = [name: string, type: string, nullable: boolean];

export interface Step {
  claim: [number | null, number | null];
  text: string;
  rule: "congruence" | "wire" | "sink" | "ev" | "normalize";
  ev: string;
  seconds: number | null;
  places: number[];
  from: number[];
  normalized: boolean;
}

/** The tables of a witness at every operator, by place. */
export interface Trace {
  p: Record<string, Table>;
  q: Record<string, Table>;
  order: number[];
  differing: number[];
  parted: number[];
}

export interface SinkView {
  p: number | null;
  q: number | null;
  steps: Step[];
  windows: number[][];
  resisted: number[];
  trace: Trace | null;
}

export interface View {
  format: number;
  operators: Operator[];
  links: Link[];
  schemas: Field[][];
  sinks: SinkView[];
}

export interface WindowReport {
  p: string[];
  q: string[];
  ev: string;
  verdict: Verdict;
  answer: string;
  seconds: number;
  used: boolean;
  claim: string;
}

export interface Witness {
  kind: "schema" | "rows";
  detail: string;
  columns: string[];
  tables: Record<string, Table>;
  p_rows: Cell[][];
  q_rows: Cell[][];
}

export interface Declaration {
  kind: string;
  text: string;
  ddl: string;
  checks: string[];
}

export interface SinkReport {
  p: string;
  q: string;
  verdict: Verdict;
  reason: string;
  assumptions: string[];
  caveats: string[];
  windows: WindowReport[];
  witness: Witness | null;
  recheck_text: string;
  resisted: { p: string; q: string; p_sql: string; q_sql: string; given: { name: string; p: string; q: string }[]; agrees: boolean } | null;
  hints: { kind: string; text: string; declarations: Declaration[] }[];
  suggestion: { text: string; declarations: Declaration[] } | null;
}

export interface Report {
  p: string;
  q: string;
  verdict: Verdict;
  semantics: string;
  edits: { kind: string; operator: string; detail: string; file: string; line: number }[];
  sinks: SinkReport[];
  counts: Record<string, number>;
  seconds: number;
  limit: number;
}

export interface ComparisonData {
  report: Report;
  view: View | null;
}

export function sideOf(operator: Operator, side: Side): OperatorSide | null {
  if (side === "p") return operator.p;
  return operator.q ?? (operator.in_q ? operator.p : null);
}

/** The operator as it is now; as it was, where it is gone. */
export function current(operator: Operator): OperatorSide {
  return (sideOf(operator, "q") ?? sideOf(operator, "p"))!;
}
