/** Folding: what is drawn together, and that it makes no cycle. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { editsBelow, folded } from "../src/graph/fold.ts";
import type { EditKind, Equal, Link, Operator, View } from "../src/types.ts";

function view(operators: [EditKind, Equal, string?][], links: [number, number][]): View {
  const made = operators.map(([edit, equal, kind = "Filter"]): Operator => ({ kind, text: kind, edit, equal, p: null, q: null, in_q: edit !== "removed" }));
  return { format: 1, operators: made, links: links.map(([src, dst]): Link => [src, dst, 0, "both"]), schemas: [], sinks: [] };
}

const none: ReadonlySet<never> = new Set();

test("equal operators that are connected are one box", () => {
  const chain = view([["same", "congruence"], ["same", "congruence"], ["changed", "open"], ["same", "open", "Sink"]], [[0, 1], [1, 2], [2, 3]]);
  const { boxes, links } = folded(chain, "equal", none, none);
  assert.deepEqual(boxes.map((box) => box.places), [[0, 1], [2], [3]]);
  assert.equal(links.length, 2);
});

test("a box that is opened, and an operator that is kept, are drawn alone", () => {
  const chain = view([["same", "congruence"], ["same", "congruence"], ["same", "congruence"]], [[0, 1], [1, 2]]);
  const all = folded(chain, "equal", none, none);
  assert.equal(all.boxes.length, 1);
  assert.equal(folded(chain, "equal", new Set([all.boxes[0]!.id]), none).boxes.length, 3);
  assert.deepEqual(folded(chain, "equal", none, new Set([2])).boxes.map((box) => box.places), [[0, 1], [2]]);
});

test("operators on both sides of an edit are never one box", () => {
  // 0 -> 1 (changed) -> 2, and 0 -> 2: a box of 0 and 2 would feed itself.
  const around = view([["same", "covered"], ["changed", "covered"], ["same", "covered"]], [[0, 1], [1, 2], [0, 2]]);
  const { boxes } = folded(around, "unchanged", none, none);
  assert.equal(boxes.length, 3);
});

test("operators that changed places form a cycle, which ends", () => {
  // P: 0 -> 1 -> 2 -> 3; Q: 0 -> 2 -> 1 -> 3.
  const swapped = view([["same", "congruence"], ["changed", "open"], ["changed", "open"], ["same", "open"]], [[0, 1], [1, 2], [2, 3], [0, 2], [2, 1], [1, 3]]);
  const below = editsBelow(swapped);
  assert.equal(below[0], 0n);
  assert.equal(below[3], 3n);
  assert.equal(below[1], below[2]);
});

test("random graphs: what leaves a box does not come back", () => {
  let seed = 7;
  const random = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % most;
  };
  for (let round = 0; round < 200; round += 1) {
    const size = 4 + random(20);
    const kinds: [EditKind, Equal][] = Array.from({ length: size }, () => (random(5) ? ["same", "covered"] : ["changed", "covered"]));
    const links: [number, number][] = [];
    for (let dst = 1; dst < size; dst += 1) for (let i = 0; i <= random(3); i += 1) links.push([random(dst), dst]);
    const { boxes, links: drawn } = folded(view(kinds, links), "unchanged", none, none);
    // Topological order by repeatedly taking boxes without inputs: all can be taken.
    const left = new Set(boxes.map((box) => box.id));
    for (let taken = true; taken && left.size; ) {
      taken = false;
      for (const id of left) {
        if (!drawn.some((link) => link.dst === id && left.has(link.src))) {
          left.delete(id);
          taken = true;
        }
      }
    }
    assert.equal(left.size, 0);
  }
});
