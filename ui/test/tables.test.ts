/** Tables: which rows are marked, and columns of one name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { named } from "../src/panel/OperatorPanel.tsx";
import { rowsAlone } from "../src/panel/tables.tsx";
import type { Cell, Field } from "../src/types.ts";

const table = (...rows: Cell[][]) => ({ columns: ["a"], rows });

test("a row is alone that the other table has less often", () => {
  assert.deepEqual(rowsAlone(table(["1"], ["1"], ["2"]), table(["1"], ["2"])), [1]);
  assert.deepEqual(rowsAlone(table(["1"], ["2"]), table(["1"], ["1"], ["2"])), []);
});

test("null is no text, and order does not matter", () => {
  assert.deepEqual(rowsAlone(table([null]), table(["null"])), [0]);
  assert.deepEqual(rowsAlone(table(["1"], ["2"]), table(["2"], ["1"])), []);
});

test("columns of one name are told apart", () => {
  const fields: Field[] = [["id", "int", false], ["a", "int", true], ["id", "string", true]];
  assert.deepEqual([...named(fields).keys()], ["id", "a", "id@2"]);
  assert.equal(named(fields).get("id@2")![1], "string");
});
