/** What stands in the graph: operators, folded boxes, links, and the regions of windows. */
import { BaseEdge, type Edge, type EdgeProps, Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { current, type Operator, type Table } from "../types.ts";
import { count, EDIT, EQUAL } from "../words.ts";
import { HEIGHT, type Point, WIDTH } from "./layout.ts";

export interface OperatorData extends Record<string, unknown> {
  operator: Operator;
  cut: string;
  highlight: "" | "on" | "off" | "parted";
  rows?: { p?: Table; q?: Table };
}
export interface BoxData extends Record<string, unknown> {
  operators: Operator[];
  highlight: "" | "on" | "off" | "parted";
}
export interface RegionData extends Record<string, unknown> {
  rects: Point[];
  lines: Point[][];
  width: number;
  height: number;
  strong: boolean;
  dim: boolean;
}
export interface LabelData extends Record<string, unknown> {
  label: string;
  dim: boolean;
}
export interface LinkData extends Record<string, unknown> {
  points: Point[];
  side: "both" | "p" | "q";
  count: number;
  dim: boolean;
}
export type OperatorNode = Node<OperatorData, "operator">;
export type BoxNode = Node<BoxData, "box">;
export type RegionNode = Node<RegionData, "region">;
export type LabelNode = Node<LabelData, "label">;
export type GraphNode = OperatorNode | BoxNode | RegionNode | LabelNode;
export type GraphEdge = Edge<LinkData, "routed">;

/** A name as short as a box can hold: of `filter@jobs/shop.py:12` the last file. */
export function shortName(id: string): string {
  const [kind, site] = id.split("@");
  return site?.includes("/") ? `${kind}@${site.slice(site.lastIndexOf("/") + 1)}` : id;
}

export function rowsText(rows: OperatorData["rows"]): string {
  if (!rows) return "";
  const side = (name: string, table?: Table) => (table ? [`${name} ${table.count ?? table.rows.length}`] : []);
  return [...side("P", rows.p), ...side("Q", rows.q)].join(" · ");
}

export function operatorLabel(operator: Operator): string {
  const edit = operator.edit === "same" ? "" : `${EDIT[operator.edit].word}, `;
  return `${operator.kind} ${current(operator).id}: ${edit}${EQUAL[operator.equal].word}`;
}

const Ends = () => (
  <>
    <Handle type="target" position={Position.Left} isConnectable={false} />
    <Handle type="source" position={Position.Right} isConnectable={false} />
  </>
);

export const OperatorBox = memo(({ data, selected }: NodeProps<OperatorNode>) => {
  const { operator, cut, highlight, rows } = data;
  const parameters = operator.text.startsWith(operator.kind) ? operator.text.slice(operator.kind.length) : operator.text;
  return (
    <div className={`op edit-${operator.edit} equal-${operator.equal} ${highlight} ${selected ? "chosen" : ""}`}>
      <Ends />
      <div className="op-head">
        <span className="edit-mark" aria-hidden="true">
          {EDIT[operator.edit].mark}
        </span>
        <b>{operator.kind}</b>
        <span className="op-id">{shortName(current(operator).id)}</span>
        <span className="equal-mark" title={EQUAL[operator.equal].word} aria-hidden="true">
          {EQUAL[operator.equal].mark}
        </span>
      </div>
      <div className="op-text">{parameters}</div>
      {cut && <span className="cut-point" title={cut} aria-hidden="true" />}
      {rows && <span className="op-rows">{rowsText(rows)}</span>}
    </div>
  );
});

export function boxLabel(operators: Operator[]): string {
  const sinks = operators.filter((operator) => operator.kind === "Sink").length;
  const all = operators.every((operator) => operator.equal === "congruence") ? "equal" : "unchanged";
  return `${operators.length.toLocaleString("en")} ${all}` + (sinks ? `, ${count(sinks, "sink")}` : "");
}

export const FoldedBox = memo(({ data, selected }: NodeProps<BoxNode>) => {
  const sources = data.operators.filter((operator) => operator.kind === "Source");
  const names = sources.map((operator) => shortName(current(operator).id));
  const states = new Set(data.operators.map((operator) => operator.equal));
  const state = states.size === 1 ? [...states][0]! : "open";
  return (
    <div className={`op folded equal-${state} ${data.highlight} ${selected ? "chosen" : ""}`}>
      <Ends />
      <div className="op-head">
        <b>{boxLabel(data.operators)}</b>
        <span className="equal-mark" aria-hidden="true">
          {[...states].map((each) => EQUAL[each].mark).join("")}
        </span>
      </div>
      <div className="op-text">{names.length ? `reads ${names.join(", ")}` : "operators; open to see them"}</div>
    </div>
  );
});

/** The operators of a window and the links between them, as one stroke of a highlighter. */
export const Region = memo(({ data }: NodeProps<RegionNode>) => {
  const { rects, lines, width, height, strong, dim } = data;
  const shape = (
    <>
      {lines.map((points, i) => (
        <polyline key={`l${i}`} points={points.map(({ x, y }) => `${x},${y}`).join(" ")} fill="none" />
      ))}
      {rects.map(({ x, y }, i) => (
        <rect key={i} x={x - 12} y={y - 12} width={WIDTH + 24} height={HEIGHT + 24} rx={16} />
      ))}
    </>
  );
  return (
    <div className={`region ${strong ? "strong" : ""} ${dim ? "dim" : ""}`} style={{ width, height }}>
      <svg width={width} height={height} aria-hidden="true">
        <g className="region-edge">{shape}</g>
        <g className="region-fill">{shape}</g>
      </svg>
    </div>
  );
});

/** What a window is called: above all else, so that no box hides it. */
export const RegionLabel = memo(({ data }: NodeProps<LabelNode>) => <span className={`region-label ${data.dim ? "dim" : ""}`}>{data.label}</span>);

function rounded(points: Point[], radius = 7): string {
  const [first, ...rest] = points;
  let path = `M${first!.x},${first!.y}`;
  rest.forEach((point, i) => {
    const next = rest[i + 1];
    const before = points[i]!;
    if (!next) {
      path += `L${point.x},${point.y}`;
      return;
    }
    const toward = (from: Point): Point => {
      const length = Math.hypot(from.x - point.x, from.y - point.y) || 1;
      const part = Math.min(radius, length / 2) / length;
      return { x: point.x + (from.x - point.x) * part, y: point.y + (from.y - point.y) * part };
    };
    const [enter, leave] = [toward(before), toward(next)];
    path += `L${enter.x},${enter.y}Q${point.x},${point.y} ${leave.x},${leave.y}`;
  });
  return path;
}

export const RoutedLink = memo(({ id, data, sourceX, sourceY, targetX, targetY, markerEnd }: EdgeProps<GraphEdge>) => {
  const ends = [
    { x: sourceX, y: sourceY },
    { x: targetX, y: targetY },
  ];
  const points = data && data.points.length > 1 ? data.points : ends;
  return (
    <BaseEdge
      id={id}
      path={rounded(points)}
      markerEnd={markerEnd}
      className={`link side-${data?.side} ${data?.dim ? "dim" : ""}`}
    />
  );
});
