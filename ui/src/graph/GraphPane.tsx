/** The graph of both versions: boxes, links, windows as regions, a minimap, zoom. */
import {
  Background,
  Controls,
  MarkerType,
  MiniMap,
  ReactFlow,
  type ReactFlowInstance,
} from "@xyflow/react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { Trace, View } from "../types.ts";
import {
  type BoxNode,
  boxLabel,
  FoldedBox,
  type GraphEdge,
  type GraphNode,
  OperatorBox,
  operatorLabel,
  type OperatorNode,
  type LabelNode,
  Region,
  RegionLabel,
  type RegionNode,
  RoutedLink,
  rowsText,
} from "./boxes.tsx";
import { type Fold, folded } from "./fold.ts";
import { HEIGHT, laidOut, type Layout, type Point, WIDTH } from "./layout.ts";

const NODE_TYPES = { operator: OperatorBox, box: FoldedBox, region: Region, label: RegionLabel };
const EDGE_TYPES = { routed: RoutedLink };
const MANY = 150; // boxes from which on only those in sight are drawn
const MARGIN = 30; // of a region
const LABEL_HEIGHT = 26; // of its name, with room below
const READABLE_ZOOM = 0.8;
export const EVERYTHING = { padding: 0.06, maxZoom: 1, minZoom: 0.02 };

/** A window: its operators, and what to call it. */
export interface Window {
  keys: string[]; // of the steps it belongs to
  places: number[];
  label: string;
}

/** What the graph should draw attention to. */
export interface Attention {
  places: number[] | null; // others are dimmed
  parted: number[];
  windowKey: string;
  tables: Pick<Trace, "p" | "q"> | null; // of a witness, by place
}

/** What to bring into sight: some operators, or where they are too far apart, the first. */
export interface Focus {
  places: number[];
}

export interface GraphPaneProps {
  view: View;
  fold: Fold;
  opened: ReadonlySet<string>;
  kept: ReadonlySet<number>;
  windows: Window[];
  cuts: ReadonlyMap<number, string>; // cut points, with what each says
  attention: Attention;
  selected: number | null;
  focus: Focus | null;
  onSelect: (place: number) => void;
  onOpen: (box: string) => void;
  onReady: (instance: ReactFlowInstance<GraphNode, GraphEdge>) => void;
}

export function GraphPane(props: GraphPaneProps) {
  const { view, fold, opened, kept, windows, attention, selected } = props;
  const pane = useRef<HTMLDivElement>(null);
  const { layout, waiting } = useLayout(view, fold, opened, kept);
  const [instance, setInstance] = useState<ReactFlowInstance<GraphNode, GraphEdge>>();
  const nodes = useMemo(
    () => (layout ? graphNodes(layout, props) : []),
    // The windows, cuts and attention are new objects only when they change.
    [layout, windows, props.cuts, attention, selected],
  );
  const edges = useMemo(() => (layout ? graphEdges(layout, attention) : []), [layout, attention]);
  useCentered(instance, layout, pane, props);
  useEffect(() => {
    // For those who measure: when the graph is there to be seen.
    if (layout) requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("veer-graph-drawn")));
  }, [layout]);
  const busy = (
    <p className="laying-out" role="status">
      {waiting > MANY || !layout ? `laying out ${waiting.toLocaleString("en")} boxes …` : ""}
    </p>
  );
  if (!layout) return busy;
  return (
    <>
    {busy}
    <ReactFlow<GraphNode, GraphEdge>
      ref={pane}
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      onInit={(made) => {
        setInstance(made);
        props.onReady(made);
      }}
      onNodeClick={(_, node) => chosen(node, props)}
      onNodesChange={(changes) => {
        for (const change of changes) {
          if (change.type === "select" && change.selected && change.id !== `${selected}`) {
            const node = nodes.find((each) => each.id === change.id);
            if (node) chosen(node, props);
          }
        }
      }}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      deleteKeyCode={null}
      selectionKeyCode={null}
      multiSelectionKeyCode={null}
      onlyRenderVisibleElements={layout.folded.boxes.length > MANY}
      minZoom={0.02}
      maxZoom={2}
      proOptions={{ hideAttribution: true }}
      aria-label="graph of both versions"
    >
      <Background gap={24} />
      <Controls showInteractive={false} />
      <MiniMap<GraphNode>
        pannable
        zoomable
        style={{ width: 160, height: 110 }}
        nodeClassName={(node) =>
          node.type === "operator" ? `mini edit-${node.data.operator.edit} equal-${node.data.operator.equal}` : `mini ${node.type}`
        }
        ariaLabel="overview of the graph"
      />
    </ReactFlow>
    </>
  );
}

function chosen(node: GraphNode, props: GraphPaneProps): void {
  if (node.type === "operator") props.onSelect(Number(node.id));
  else if (node.type === "box") props.onOpen(node.id);
}

/** The layout of what is to be drawn, and how many boxes wait for it; the one before stays until then. */
function useLayout(view: View, fold: Fold, opened: ReadonlySet<string>, kept: ReadonlySet<number>): { layout?: Layout; waiting: number } {
  const [layout, setLayout] = useState<Layout>();
  const [waiting, setWaiting] = useState(0);
  useEffect(() => {
    let wanted = true;
    const drawn = folded(view, fold, opened, kept);
    setWaiting(drawn.boxes.length);
    laidOut(drawn).then((made) => {
      if (!wanted) return;
      setLayout(made);
      setWaiting(0);
    });
    return () => {
      wanted = false;
    };
  }, [view, fold, opened, kept]);
  return { layout, waiting };
}

/**
 * Bring the operator that was asked for into sight, once the layout has it. Else, after a new layout,
 * everything if it can be read then, or what is of most interest.
 */
function useCentered(
  instance: ReactFlowInstance<GraphNode, GraphEdge> | undefined,
  layout: Layout | undefined,
  pane: RefObject<HTMLDivElement | null>,
  { view, focus, attention }: GraphPaneProps,
): void {
  const done = useRef<unknown>(null);
  const before = useRef<Layout>(undefined);
  useEffect(() => {
    if (!instance || !layout) return;
    const show = (places: number[], duration: number) => {
      const corners = places.map((place) => layout.places.get(layout.folded.boxOf[place]!)!);
      const { width, height } = pane.current!.getBoundingClientRect();
      const [left, top] = [Math.min(...corners.map(({ x }) => x)), Math.min(...corners.map(({ y }) => y))];
      const [right, bottom] = [Math.max(...corners.map(({ x }) => x)) + WIDTH, Math.max(...corners.map(({ y }) => y)) + HEIGHT];
      const zoom = Math.min(1, (0.88 * width) / (right - left), (0.85 * height) / (bottom - top));
      const far = zoom < READABLE_ZOOM / 1.5;
      const shown = far ? READABLE_ZOOM : zoom;
      // As much of the others as there is room for beside the first.
      const near = (middle: number, first: number, size: number, room: number) =>
        Math.min(Math.max(middle, first + size + 20 - room / shown / 2), first - 20 + room / shown / 2);
      const x = near((left + right) / 2, corners[0]!.x, WIDTH, width);
      const y = near((top + bottom) / 2, corners[0]!.y, HEIGHT, height);
      instance.setCenter(x, y, { zoom: shown, duration: quiet() ? 0 : duration });
    };
    if (focus && done.current !== focus) {
      done.current = focus;
      show(focus.places, 250);
    } else if (before.current !== layout && !focus) {
      // After it is drawn: before, the size of the pane is not known.
      requestAnimationFrame(() => {
        instance.fitView(EVERYTHING).then(() => {
          const first = attention.parted[0] ?? view.operators.findIndex((operator) => operator.edit !== "same");
          if (first >= 0 && instance.getZoom() < READABLE_ZOOM / 1.5) show([first], 0);
        });
      });
    }
    before.current = layout;
  }, [instance, layout, focus]);
}

export function quiet(): boolean {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function graphNodes(layout: Layout, props: GraphPaneProps): GraphNode[] {
  const { view, attention, cuts, selected } = props;
  const on = attention.places && new Set(attention.places);
  const parted = new Set(attention.parted);
  const highlight = (places: number[]) => {
    if (places.some((place) => parted.has(place))) return "parted";
    return on ? (places.some((place) => on.has(place)) ? "on" : "off") : "";
  };
  const boxes = layout.folded.boxes.map((box): OperatorNode | BoxNode => {
    const common = {
      id: box.id,
      position: layout.places.get(box.id)!,
      width: WIDTH,
      height: HEIGHT,
      selected: box.places.length === 1 && box.places[0] === selected,
    };
    if (box.places.length > 1) {
      const operators = box.places.map((place) => view.operators[place]!);
      const data = { operators, highlight: highlight(box.places) } as const;
      return { ...common, type: "box", data, ariaLabel: `${boxLabel(operators)} operators, folded` };
    }
    const place = box.places[0]!;
    const operator = view.operators[place]!;
    const tables = attention.tables;
    const rows = tables ? { p: tables.p[place], q: tables.q[place] } : undefined;
    const shown = rows && (rows.p || rows.q) ? rows : undefined;
    const data = { operator, cut: cuts.get(place) ?? "", highlight: highlight(box.places), rows: shown } as const;
    const label = operatorLabel(operator) + (shown ? `; rows: ${rowsText(shown)}` : "");
    return { ...common, type: "operator", data, ariaLabel: label };
  });
  return [...regions(layout, props), ...boxes];
}

function regions(layout: Layout, { windows, attention }: GraphPaneProps): (RegionNode | LabelNode)[] {
  return windows.flatMap((window): (RegionNode | LabelNode)[] => {
    const ids = [...new Set(window.places.map((place) => layout.folded.boxOf[place]!))];
    const corners = ids.flatMap((id) => layout.places.get(id) ?? []);
    if (!corners.length) return [];
    const inside = new Set(ids);
    const routes = layout.folded.links
      .filter((link) => inside.has(link.src) && inside.has(link.dst))
      .map((link) => layout.routes.get(link.id) ?? []);
    const points = [...corners, ...corners.map(({ x, y }) => ({ x: x + WIDTH, y: y + HEIGHT })), ...routes.flat()];
    const left = Math.min(...points.map(({ x }) => x)) - MARGIN;
    const top = Math.min(...points.map(({ y }) => y)) - MARGIN;
    const width = Math.max(...points.map(({ x }) => x)) + MARGIN - left;
    const height = Math.max(...points.map(({ y }) => y)) + MARGIN - top;
    const moved = ({ x, y }: Point) => ({ x: x - left, y: y - top });
    const first = corners.reduce((a, b) => (b.y < a.y || (b.y === a.y && b.x < a.x) ? b : a));
    const strong = window.keys.includes(attention.windowKey);
    const dim = attention.windowKey !== "" && !strong;
    const fixed = { selectable: false, focusable: false } as const;
    return [
      {
        ...fixed,
        id: `window ${window.keys[0]}`,
        type: "region",
        position: { x: left, y: top },
        width,
        height,
        zIndex: -1,
        data: {
          rects: corners.map(moved),
          lines: routes.map((route) => route.map(moved)),
          width,
          height,
          strong,
          dim,
        },
      },
      {
        ...fixed,
        id: `label ${window.keys[0]}`,
        type: "label",
        position: { x: first.x + 4, y: first.y - LABEL_HEIGHT },
        zIndex: 20,
        ariaLabel: `window: ${window.label}`,
        data: { label: window.label, dim },
      },
    ];
  });
}

function graphEdges(layout: Layout, attention: Attention): GraphEdge[] {
  const on = attention.places && new Set(attention.places.map((place) => layout.folded.boxOf[place]));
  return layout.folded.links.map((link) => ({
    id: link.id,
    type: "routed",
    source: link.src,
    target: link.dst,
    selectable: false,
    focusable: false,
    markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: `var(--link-${link.side})` },
    data: {
      points: layout.routes.get(link.id) ?? [],
      side: link.side,
      count: link.count,
      dim: on !== null && !(on.has(link.src) && on.has(link.dst)),
    },
  }));
}
