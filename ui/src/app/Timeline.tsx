/** Every run on a line of time: how long it took, and what it did. */
import { bytes, count, seconds } from "../words.ts";
import { to } from "./App.tsx";
import type { Run, StoreData } from "./asking.ts";
import { moment, workText } from "./Versions.tsx";

const MARK: Record<Run["state"], string> = { running: "▶ running", done: "done", failed: "✕ failed", dead: "✕ no sign of life" };

export function Timeline({ data }: { data: StoreData }) {
  const runs = data.runs;
  const longest = Math.max(1, ...runs.map((run) => took(run)));
  return (
    <main className="page">
      <div className="page-head">
        <h1>Timeline</h1>
        <span className="quiet">{count(runs.length, "run")}, the newest first</span>
      </div>
      {!runs.length && <p className="waiting">No run was recorded yet.</p>}
      <table className="timeline">
        <thead>
          <tr>
            <th scope="col">started</th>
            <th scope="col">version</th>
            <th scope="col">took</th>
            <th scope="col">what it did</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>{moment(run.started)}</td>
              <td>
                {run.number === null ? run.name : <a href={to("version", run.name, run.number)}>{`${run.name}@${run.number}`}</a>}
                {run.state !== "done" && <span className={`chip state-${run.state}`}>{MARK[run.state]}</span>}
              </td>
              <td>
                <svg className="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(100 * took(run)) / longest} height="10" className="bar-took" />
                  <rect width={(100 * (run.work.computed_seconds ?? 0)) / longest} height="10" className="bar-computed" />
                </svg>{" "}
                {seconds(took(run))}
              </td>
              <td>
                {run.state === "running" || run.state === "failed" ? run.stage : workText(run)}
                {run.work.sinks && (
                  <span className="quiet">
                    {" "}
                    {run.work.reused ?? 0} of {run.work.sinks.length} sinks reused
                    {run.work.proving ? `, proving ${seconds(run.work.proving)}` : ""}
                    {run.work.read?.length ? `, ${bytes(run.work.read_bytes ?? 0)} read` : ""}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </main>
  );
}

function took(run: Run): number {
  return run.seconds ?? Math.max(0, run.updated - run.started);
}
