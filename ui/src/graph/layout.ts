/** Places of boxes and links, by ELK in a worker: from left to right, layer by layer. */
import ELK, { type ElkExtendedEdge, type ElkNode } from "elkjs/lib/elk-api.js";
import { elkWorker } from "../surroundings.ts";
import type { Folded } from "./fold.ts";

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  folded: Folded;
  places: Map<string, Point>; // of the upper left corners of boxes
  routes: Map<string, Point[]>; // of links
}

export const WIDTH = 184;
export const HEIGHT = 58;
const LARGE = 600; // boxes from which on a quick layout is asked for

let elk: Promise<InstanceType<typeof ELK>> | undefined;

async function startedElk(): Promise<InstanceType<typeof ELK>> {
  elk ??= elkWorker().then((workerFactory) => new ELK({ workerFactory }));
  return elk;
}

function options(boxes: number): Record<string, string> {
  // Seconds instead of minutes for thousands of boxes.
  const quick = {
    "elk.layered.thoroughness": "1",
    "elk.layered.crossingMinimization.greedySwitch.type": "OFF",
    "elk.layered.layering.strategy": "LONGEST_PATH_SOURCE",
  };
  return {
    "elk.algorithm": "layered",
    "elk.direction": "RIGHT",
    "elk.edgeRouting": "ORTHOGONAL",
    "elk.layered.spacing.nodeNodeBetweenLayers": "44",
    "elk.spacing.nodeNode": "26",
    "elk.spacing.componentComponent": "40",
    "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
    ...(boxes > LARGE ? quick : { "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES" }),
  };
}

function route(edge: ElkExtendedEdge): Point[] {
  const section = edge.sections?.[0];
  return section ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] : [];
}

export async function laidOut(folded: Folded): Promise<Layout> {
  const graph: ElkNode = {
    id: "root",
    layoutOptions: options(folded.boxes.length),
    children: folded.boxes.map((box) => ({ id: box.id, width: WIDTH, height: HEIGHT })),
    edges: folded.links.map((link) => ({ id: link.id, sources: [link.src], targets: [link.dst] })),
  };
  const laid = await (await startedElk()).layout(graph);
  return {
    folded,
    places: new Map((laid.children ?? []).map((box) => [box.id, { x: box.x ?? 0, y: box.y ?? 0 }])),
    routes: new Map((laid.edges ?? []).map((edge) => [edge.id, route(edge)])),
  };
}
