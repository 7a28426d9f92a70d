/** Tables of rows, alone or two beside each other with what only one of them has marked. */
import type { Cell, Table } from "../types.ts";

const SIDE_BY_SIDE = 3; // columns of tables that fit beside each other

/** The rows of one table that another of the same columns has not, or not as often. */
export function rowsAlone(mine: Table, other: Table): number[] {
  const left = new Map<string, number>();
  const key = (row: Cell[]) => JSON.stringify(row);
  for (const row of other.rows.map(key)) left.set(row, (left.get(row) ?? 0) + 1);
  return mine.rows.map(key).flatMap((row, i) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count > 0 ? [] : [i];
  });
}

export function Rows({ name, table, marked, mark }: { name: string; table: Table; marked?: number[]; mark?: string }) {
  const marks = new Set(marked);
  const hidden = (table.count ?? table.rows.length) - table.rows.length;
  return (
    <figure className="rows">
      <figcaption>{name}</figcaption>
      <div className="scroll" tabIndex={0} role="group" aria-label={name}>
        <table>
          <thead>
            <tr>
              {mark !== undefined && <th className="mark-head">{mark ? <span className="sr">mark</span> : null}</th>}
              {table.columns.map((column, i) => (
                <th key={i} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, i) => (
              <tr key={i} className={marks.has(i) ? "alone" : ""}>
                {mark !== undefined && <td className="row-mark">{marks.has(i) ? mark : ""}</td>}
                {row.map((cell, j) => (
                  <td key={j}>{cell === null ? <i>null</i> : cell}</td>
                ))}
              </tr>
            ))}
            {!table.rows.length && (
              <tr>
                <td colSpan={Math.max(1, table.columns.length + (mark === undefined ? 0 : 1))}>
                  <i>no rows</i>
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {hidden > 0 && <p className="quiet">and {hidden.toLocaleString("en")} more</p>}
    </figure>
  );
}

/** Two tables; `differ` where they are known to be different, as far as the sinks need them. */
export function TwoTables({ p, q, differ = false }: { p?: Table; q?: Table; differ?: boolean }) {
  if (p && q) {
    const [before, after] = [p.alone ?? rowsAlone(p, q), q.alone ?? rowsAlone(q, p)];
    const isWhole = [p, q].every((table) => (table.count ?? table.rows.length) === table.rows.length);
    return (
      <>
        {differ && isWhole && !before.length && !after.length && <p>The same rows, in another order.</p>}
        <div className={p.columns.length > SIDE_BY_SIDE ? "stacked" : "sides"}>
          <Rows name="P" table={p} marked={before} mark="−" />
          <Rows name="Q" table={q} marked={after} mark="+" />
        </div>
      </>
    );
  }
  const table = p ?? q;
  return table ? <Rows name={p ? "P alone has this operator" : "Q alone has this operator"} table={table} /> : null;
}
