/** What `veer check` said of a project, job by job. */
import { Rows, TwoTables } from "../panel/tables.tsx";
import { count, seconds } from "../words.ts";
import { Boundary } from "./Boundary.tsx";
import { type CheckFile, useAnswer } from "./asking.ts";
import type { Table, Witness } from "../types.ts";

const CHIP: Record<string, string> = { equivalent: "equivalent", unchanged: "equivalent", changed: "inequivalent", unknown: "unknown", new: "unknown", removed: "unknown" };

export function Checks({ mark }: { mark: string }) {
  const { data, error } = useAnswer<CheckFile[]>("/api/checks", mark);
  if (error) return <p className="problem">{error}</p>;
  if (!data) return <p className="waiting">reading …</p>;
  return (
    <main className="page">
      <div className="page-head">
        <h1>Checks</h1>
      </div>
      {!data.length && (
        <p className="waiting">
          Start with <code>veer ui --check FILE</code> to see what <code>veer check --format json --out FILE</code> wrote.
        </p>
      )}
      {data.map((check) => (
        <Boundary key={check.file}>
          <Check check={check} />
        </Boundary>
      ))}
    </main>
  );
}

function Check({ check }: { check: CheckFile }) {
  const { report } = check;
  if (!report)
    return (
      <p className="problem">
        {check.file}: {check.problem}
      </p>
    );
  const looked = report.jobs.filter((job) => job.verdict !== "unchanged");
  return (
    <section>
      <h2>
        <span className={`chip verdict-${CHIP[report.verdict] ?? "unknown"}`}>{report.verdict}</span> since {report.base.name}
      </h2>
      <p className="quiet">
        {check.file}; {count(report.jobs.length, "job")}, {count(report.jobs.length - looked.length, "job")} unchanged; {count(report.recompute.length, "sink")} to compute again, {count(report.keep.length, "sink")} to keep;{" "}
        {seconds(report.seconds)}
      </p>
      {looked.map((job) => (
        <details key={job.job} className="job" open={job.verdict === "changed"}>
          <summary>
            <span className={`chip verdict-${CHIP[job.verdict] ?? "unknown"}`}>{job.verdict}</span> <b>{job.job}</b> <span className="quiet">{job.why}</span>
          </summary>
          <ul>
            {job.sinks.map((sink, i) => (
              <li key={i}>
                <span className={`chip verdict-${CHIP[sink.verdict] ?? "unknown"}`}>{sink.verdict}</span> <b>{sink.sink}</b> {sink.reason}
                <Evidence witness={sink.witness} />
              </li>
            ))}
          </ul>
        </details>
      ))}
      {report.notes.map((note, i) => (
        <p key={i} className="quiet">
          note: {note}
        </p>
      ))}
    </section>
  );
}

function Evidence({ witness }: { witness: Witness | null }) {
  if (!witness || witness.kind !== "rows") return null;
  const cells = (rows: unknown[][]): Table["rows"] => rows.map((row) => row.map((cell) => (cell === null ? null : String(cell))));
  return (
    <>
      <div className="sides">
        {Object.entries(witness.tables).map(([name, table]) => (
          <Rows key={name} name={name} table={{ columns: table.columns, rows: cells(table.rows) }} />
        ))}
      </div>
      <TwoTables p={{ columns: witness.columns, rows: cells(witness.p_rows) }} q={{ columns: witness.columns, rows: cells(witness.q_rows) }} />
    </>
  );
}
