/** What reuse spared, in all and over time. */
import { bytes, count, seconds } from "../words.ts";
import type { Run, StoreData } from "./asking.ts";

const DAY = 86_400;

export function Reuse({ data }: { data: StoreData }) {
  const runs = data.runs.filter((run) => run.state === "done" && run.work.sinks);
  const sum = (value: (run: Run) => number | undefined) => runs.reduce((total, run) => total + (value(run) ?? 0), 0);
  const sinks = sum((run) => run.work.sinks?.length);
  const reused = sum((run) => run.work.reused);
  const [computed, saved] = [sum((run) => run.work.computed_seconds), sum((run) => run.work.saved_seconds)];
  return (
    <main className="page">
      <div className="page-head">
        <h1>Reuse</h1>
        <span className="quiet">over {count(runs.length, "run")}</span>
      </div>
      <dl className="figures">
        <Figure value={sinks ? `${Math.round((100 * reused) / sinks)} %` : "—"} name={`of ${count(sinks, "sink")} were read instead of computed`} />
        <Figure value={seconds(saved) || "—"} name="of computing spared" />
        <Figure value={seconds(computed) || "—"} name="of computing done" />
        <Figure value={bytes(sum((run) => run.work.saved_bytes))} name="not stored twice" />
        <Figure value={bytes(data.results.bytes)} name={`stored, in ${count(data.results.count, "result")}`} />
        <Figure value={seconds(sum((run) => run.work.proving)) || "—"} name="spent on proving" />
      </dl>
      <h2>By day</h2>
      <Days runs={runs} />
      <h2>By name</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">runs</th>
            <th scope="col">sinks reused</th>
            <th scope="col">spared</th>
            <th scope="col">computed</th>
          </tr>
        </thead>
        <tbody>
          {[...new Set(runs.map((run) => run.name))].map((name) => {
            const own = runs.filter((run) => run.name === name);
            const of = (value: (run: Run) => number | undefined) => own.reduce((total, run) => total + (value(run) ?? 0), 0);
            return (
              <tr key={name}>
                <td>{name}</td>
                <td>{own.length}</td>
                <td>
                  {of((run) => run.work.reused)} of {of((run) => run.work.sinks?.length)}
                </td>
                <td>{seconds(of((run) => run.work.saved_seconds))}</td>
                <td>{seconds(of((run) => run.work.computed_seconds))}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </main>
  );
}

function Figure({ value, name }: { value: string; name: string }) {
  return (
    <div>
      <dd>{value}</dd>
      <dt>{name}</dt>
    </div>
  );
}

/** Seconds computed and spared, a pair of bars for each day; the numbers stand in a table beside. */
function Days({ runs }: { runs: Run[] }) {
  const days = new Map<number, { computed: number; saved: number; runs: number }>();
  for (const run of runs) {
    const day = Math.floor((run.started - new Date(run.started * 1000).getTimezoneOffset() * 60) / DAY);
    const sum = days.get(day) ?? { computed: 0, saved: 0, runs: 0 };
    days.set(day, { computed: sum.computed + (run.work.computed_seconds ?? 0), saved: sum.saved + (run.work.saved_seconds ?? 0), runs: sum.runs + 1 });
  }
  const shown = [...days].sort(([a], [b]) => a - b).slice(-30);
  const most = Math.max(0.001, ...shown.map(([, sum]) => Math.max(sum.computed, sum.saved)));
  if (!shown.length) return <p className="quiet">No run ended yet.</p>;
  return (
    <>
      <svg className="days" preserveAspectRatio="xMinYMid meet" viewBox={`0 0 ${Math.max(12, shown.length) * 30} 120`} role="img" aria-label="seconds computed and spared by day; the table has the numbers">
        {shown.map(([day, sum], i) => (
          <g key={day} transform={`translate(${i * 30 + 4} 0)`}>
            <rect className="bar-computed" x="0" width="10" y={110 - (100 * sum.computed) / most} height={(100 * sum.computed) / most} />
            <rect className="bar-saved" x="11" width="10" y={110 - (100 * sum.saved) / most} height={(100 * sum.saved) / most} />
          </g>
        ))}
        <line x1="0" x2="100%" y1="110.5" y2="110.5" className="axis" />
      </svg>
      <table>
        <thead>
          <tr>
            <th scope="col">day</th>
            <th scope="col">runs</th>
            <th scope="col">
              <span className="key bar-computed" /> computed
            </th>
            <th scope="col">
              <span className="key bar-saved" /> spared
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.toReversed().map(([day, sum]) => (
            <tr key={day}>
              <td>{new Date(day * DAY * 1000).toISOString().slice(0, 10)}</td>
              <td>{sum.runs}</td>
              <td>{seconds(sum.computed)}</td>
              <td>{seconds(sum.saved)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
