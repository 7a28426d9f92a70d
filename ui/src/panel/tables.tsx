/** Tables of rows, alone or two beside each other with what only one of them has marked. */
import type { Cell, Table } from "../types.ts";

const SIDE_BY_SIDE = 3; // columns of tables that fit beside each other

/** For the rows of both tables whether the other has them too, as often; columns by name. */
export function rowsAlone(p: Table, q: Table): { p: boolean[]; q: boolean[] } {
  const shared = p.columns.filter((name) => q.columns.includes(name));
  const key = (table: Table) => {
    const places = shared.map((name) => table.columns.indexOf(name));
    return (row: Cell[]) => JSON.stringify(places.map((place) => row[place]));
  };
  const alone = (mine: Table, other: Table) => {
    const left = new Map<string, number>();
    for (const row of other.rows.map(key(other))) left.set(row, (left.get(row) ?? 0) + 1);
    return mine.rows.map(key(mine)).map((row) => {
      const count = left.get(row) ?? 0;
      left.set(row, count - 1);
      return count <= 0;
    });
  };
  return { p: alone(p, q), q: alone(q, p) };
}

export function Rows({ name, table, marked, mark }: { name: string; table: Table; marked?: boolean[]; mark?: string }) {
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
              <tr key={i} className={marked?.[i] ? "alone" : ""}>
                {mark !== undefined && <td className="row-mark">{marked?.[i] ? mark : ""}</td>}
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

export function TwoTables({ p, q }: { p?: Table; q?: Table }) {
  if (p && q) {
    const alone = rowsAlone(p, q);
    return (
      <div className={p.columns.length > SIDE_BY_SIDE ? "stacked" : "sides"}>
        <Rows name="P" table={p} marked={alone.p} mark="−" />
        <Rows name="Q" table={q} marked={alone.q} mark="+" />
      </div>
    );
  }
  const table = p ?? q;
  return table ? <Rows name={p ? "P alone has this operator" : "Q alone has this operator"} table={table} /> : null;
}
