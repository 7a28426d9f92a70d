/**
 * Folding: what is the same in both versions becomes one box.
 *
 * Two operators share a box if they are connected and the same edits stand below both. So nothing that
 * leaves a box comes back into it, and the folded graph has no cycle that the whole one has not.
 */
import type { Link, Operator, View } from "../types.ts";

export type Fold = "nothing" | "equal" | "unchanged";

export interface Box {
  id: string;
  places: number[];
}

export interface FoldedLink {
  id: string;
  src: string;
  dst: string;
  side: Link[3];
  count: number;
}

export interface Folded {
  boxes: Box[];
  links: FoldedLink[];
  boxOf: string[]; // by place
}

export const READABLE = 40; // operators that are drawn without folding, unless asked to

function isFoldable(operator: Operator, fold: Fold): boolean {
  if (fold === "nothing" || operator.edit !== "same") return false;
  if (operator.equal === "congruence") return true;
  if (operator.kind === "Sink") return false;
  return fold === "unchanged" || operator.equal === "proof" || operator.equal === "covered";
}

/**
 * For each place the set of edits below it, one bit each. Both versions in one graph may form a cycle,
 * where operators changed places; so sets grow until nothing changes.
 */
export function editsBelow(view: View): bigint[] {
  const outputs: number[][] = view.operators.map(() => []);
  for (const [src, dst] of view.links) outputs[src]!.push(dst);
  let edits = 0n;
  const below = view.operators.map((operator) => (operator.edit === "same" ? 0n : 1n << edits++));
  const waiting = view.operators.map((_, place) => place);
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    for (const above of outputs[place]!) {
      const grown = below[above]! | below[place]!;
      if (grown !== below[above]) {
        below[above] = grown;
        waiting.push(above);
      }
    }
  }
  return below;
}

/** The boxes to draw; those in `opened`, by id, are drawn operator by operator. */
export function folded(view: View, fold: Fold, opened: ReadonlySet<string>, kept: ReadonlySet<number>): Folded {
  const below = editsBelow(view);
  const root = view.operators.map((_, place) => place);
  const find = (place: number): number => {
    while (root[place] !== place) {
      root[place] = root[root[place]!]!;
      place = root[place]!;
    }
    return place;
  };
  const foldable = view.operators.map((operator, place) => isFoldable(operator, fold) && !kept.has(place));
  for (const [src, dst] of view.links) {
    if (foldable[src] && foldable[dst] && below[src] === below[dst]) {
      const [a, b] = [find(src), find(dst)];
      root[Math.max(a, b)] = Math.min(a, b);
    }
  }
  const members = new Map<number, number[]>();
  view.operators.forEach((_, place) => {
    const top = find(place);
    const places = members.get(top);
    if (places) places.push(place);
    else members.set(top, [place]);
  });
  const boxes: Box[] = [];
  const boxOf: string[] = [];
  for (const [top, places] of members) {
    const id = `box ${top}`;
    if (places.length > 1 && !opened.has(id)) {
      boxes.push({ id, places });
      for (const place of places) boxOf[place] = id;
    } else {
      for (const place of places) {
        boxes.push({ id: `${place}`, places: [place] });
        boxOf[place] = `${place}`;
      }
    }
  }
  return { boxes, links: foldedLinks(view, boxOf), boxOf };
}

function foldedLinks(view: View, boxOf: string[]): FoldedLink[] {
  const links = new Map<string, FoldedLink>();
  for (const [src, dst, port, side] of view.links) {
    const [a, b] = [boxOf[src]!, boxOf[dst]!];
    if (a === b) continue;
    const isFolded = a.startsWith("box") || b.startsWith("box");
    const id = isFolded ? `${a} → ${b} ${side}` : `${a} → ${b} ${port} ${side}`;
    const link = links.get(id);
    if (link) link.count += 1;
    else links.set(id, { id, src: a, dst: b, side, count: 1 });
  }
  return [...links.values()];
}
