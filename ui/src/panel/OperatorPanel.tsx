/** What is known of one operator: both sides, word by word. */
import type { Field, Operator, OperatorSide, Trace, View } from "../types.ts";
import { sideOf } from "../types.ts";
import { EDIT, EQUAL } from "../words.ts";
import { TwoTables } from "./tables.tsx";
import { PlainText, WordDiff } from "./WordDiff.tsx";

export function OperatorPanel({ view, place, trace, onPlace }: { view: View; place: number; trace: Trace | null; onPlace: (place: number) => void }) {
  const operator = view.operators[place]!;
  const [p, q] = [sideOf(operator, "p"), sideOf(operator, "q")];
  const ends = (side: 0 | 1) => [...new Set(view.links.filter((link) => link[1 - side] === place).map((link) => link[side]))];
  const tables = trace && (trace.p[place] || trace.q[place]) ? { p: trace.p[place], q: trace.q[place] } : null;
  return (
    <article className="panel-part" aria-label={`operator ${(q ?? p)!.id}`}>
      <h2>
        {operator.kind} <span className="op-name">{(q ?? p)!.id}</span>
      </h2>
      <p>
        <State operator={operator} />
      </p>
      {tables && (
        <section>
          <h3>Its table on the witness</h3>
          <TwoTables p={tables.p} q={tables.q} differ={trace!.differing.includes(place)} />
        </section>
      )}
      <section>
        <h3>Properties</h3>
        {operator.difference && (
          <p>
            What differs: <code>{operator.difference}</code>
          </p>
        )}
        <Properties p={p} q={q} />
      </section>
      <section>
        <h3>Where it stands</h3>
        <Sites p={p} q={q} />
        <Neighbours title="reads" places={ends(0)} view={view} onPlace={onPlace} />
        <Neighbours title="feeds" places={ends(1)} view={view} onPlace={onPlace} />
      </section>
      <section>
        <h3>Schema</h3>
        <Schemas p={p && view.schemas[p.schema]!} q={q && view.schemas[q.schema]!} />
      </section>
      <section>
        <h3>Facts</h3>
        <Facts p={p} q={q} />
      </section>
      <section>
        <h3>Obligation</h3>
        <p>What the sinks need of it:</p>
        <WordDiff before={p?.need ?? q!.need} after={q?.need ?? p!.need} />
      </section>
    </article>
  );
}

export function State({ operator }: { operator: Operator }) {
  const edit = EDIT[operator.edit];
  const equal = EQUAL[operator.equal];
  const alone = operator.equal === "open" && (operator.edit === "added" || operator.edit === "removed");
  return (
    <>
      {operator.edit !== "same" && (
        <span className={`chip edit-${operator.edit}`}>
          {edit.mark} {edit.word}
        </span>
      )}{" "}
      <span className={`chip equal-${operator.equal}`}>
        {equal.mark} {equal.word}
      </span>{" "}
      <span className="quiet">{alone ? "Only one version has it, and nothing is shown of what it gives." : equal.meaning}</span>
    </>
  );
}

function Properties({ p, q }: { p: OperatorSide | null; q: OperatorSide | null }) {
  const names = [...new Set([...(p?.properties ?? []), ...(q?.properties ?? [])].map(([name]) => name))];
  const text = (side: OperatorSide | null, name: string) => side?.properties.find(([each]) => each === name)?.[1].join("\n") ?? "";
  if (!names.length) return <p className="quiet">none</p>;
  return (
    <dl className="properties">
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{p && q ? <WordDiff before={text(p, name)} after={text(q, name)} /> : <PlainText text={text(p ?? q, name)} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Sites({ p, q }: { p: OperatorSide | null; q: OperatorSide | null }) {
  const site = (side: OperatorSide | null) => (side?.file ? `${side.file}:${side.line}` : "");
  if (!site(p) && !site(q)) return null;
  return (
    <p>
      {site(p) === site(q) ? (
        <code>{site(q)}</code>
      ) : (
        <>
          {p && <code>P: {site(p)}</code>} {q && <code>Q: {site(q)}</code>}
        </>
      )}
    </p>
  );
}

function Neighbours({ title, places, view, onPlace }: { title: string; places: number[]; view: View; onPlace: (place: number) => void }) {
  if (!places.length) return null;
  return (
    <p>
      {title}{" "}
      {places.map((place) => {
        const operator = view.operators[place]!;
        return (
          <button key={place} type="button" className="link-button" onClick={() => onPlace(place)}>
            {operator.kind} {(sideOf(operator, "q") ?? operator.p)!.id}
          </button>
        );
      })}
    </p>
  );
}

/** The columns by name; of several of one name, with which it is: `id`, `id@2`. */
export function named(fields: Field[]): Map<string, Field> {
  const seen = new Map<string, number>();
  const columns = new Map<string, Field>();
  for (const field of fields) {
    const count = (seen.get(field[0]) ?? 0) + 1;
    seen.set(field[0], count);
    columns.set(count > 1 ? `${field[0]}@${count}` : field[0], field);
  }
  return columns;
}

function Schemas({ p, q }: { p: Field[] | null; q: Field[] | null }) {
  const [before, after] = [p && named(p), q && named(q)];
  const names = [...new Set([...(after ?? before)!.keys(), ...(before ?? after)!.keys()])];
  const text = (field?: Field) => (field ? `${field[1]}${field[2] ? "" : " not null"}` : "");
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="schema">
      <table className="schema">
        <thead>
          <tr>
            <th scope="col">column</th>
            {p && <th scope="col">P</th>}
            {q && <th scope="col">Q</th>}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const [old, now] = [text(before?.get(name)), text(after?.get(name))];
            return (
              <tr key={name} className={p && q && old !== now ? "alone" : ""}>
                <td>{name}</td>
                {p && <td>{old || "—"}</td>}
                {q && <td>{now || "—"}</td>}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Facts({ p, q }: { p: OperatorSide | null; q: OperatorSide | null }) {
  const told = [p, q].flatMap((side) => side?.facts ?? []);
  if (!p?.facts && !q?.facts) return <p className="quiet">not derived, as the graph is large</p>;
  const facts = [...new Set(told)];
  const whose = (fact: string) => (p && q && p.facts?.includes(fact) !== q.facts?.includes(fact) ? (p.facts?.includes(fact) ? " (P alone)" : " (Q alone)") : "");
  if (!facts.length) return <p className="quiet">nothing is known to hold of all its rows</p>;
  return (
    <ul>
      {facts.map((fact) => (
        <li key={fact}>
          <code>{fact}</code>
          {whose(fact)}
        </li>
      ))}
    </ul>
  );
}
