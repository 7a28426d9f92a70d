/** Versions as a tree: names, their versions, what each run did for each sink. */
import { useState } from "react";
import { bytes, count, seconds } from "../words.ts";
import { to } from "./App.tsx";
import type { Run, StoreData, StoredVersion } from "./asking.ts";

export const labelOf = (version: { name: string; number: number }) => `${version.name}@${version.number}`;

export function moment(time: number): string {
  return new Date(time * 1000).toLocaleString("sv").slice(0, 16);
}

/** The run that made a version: the first of its number. */
export function runOf(data: StoreData, version: StoredVersion): Run | undefined {
  return data.runs.filter((run) => run.name === version.name && run.number === version.number).at(-1);
}

export function workText(run: Run | undefined): string {
  const work = run?.work;
  if (!work?.sinks) return "";
  const parts = [];
  if (work.computed_bytes) parts.push(`computed ${bytes(work.computed_bytes)} in ${seconds(work.computed_seconds)}`);
  if (work.read?.length) parts.push(`read ${bytes(work.read_bytes ?? 0)} of stored parts`);
  if (work.saved_seconds) parts.push(`saved ${seconds(work.saved_seconds)}${work.saved_bytes ? ` and ${bytes(work.saved_bytes)}` : ""}`);
  return parts.join(", ");
}

export function Versions({ data }: { data: StoreData }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const names = [...new Set(data.versions.map((version) => version.name))];
  const toggle = (label: string) => setChosen((before) => (before.includes(label) ? before.filter((each) => each !== label) : [...before, label].slice(-2)));
  const [p, q] = inOrder(chosen, data);
  if (!names.length) return <p className="waiting">There are no versions yet: `veer run` records some.</p>;
  return (
    <main className="page">
      <div className="page-head">
        <h1>Versions</h1>
        <span className="quiet">
          {count(data.versions.length, "version")}, {count(data.results.count, "result")} of {bytes(data.results.bytes)} in {data.location}
        </span>
        <span className="compare-bar" role="status">
          {chosen.length < 2 ? `choose ${2 - chosen.length} to compare` : ""}
          {p && q && (
            <a className="button primary" href={to("compare", p, q)}>
              compare {p} with {q}
            </a>
          )}
        </span>
      </div>
      <ul className="tree" aria-label="versions">
        {names.map((name) => (
          <li key={name}>
            <details open>
              <summary>
                <b>{name}</b> <span className="quiet">{count(data.versions.filter((version) => version.name === name).length, "version")}</span>
              </summary>
              <ul>
                {data.versions
                  .filter((version) => version.name === name)
                  .toReversed()
                  .map((version) => (
                    <Version key={version.number} version={version} data={data} chosen={chosen.includes(labelOf(version))} onToggle={() => toggle(labelOf(version))} />
                  ))}
              </ul>
            </details>
          </li>
        ))}
      </ul>
    </main>
  );
}

function inOrder(chosen: string[], data: StoreData): string[] {
  const started = new Map(data.versions.map((version) => [labelOf(version), version.started]));
  return chosen.length < 2 ? [] : chosen.toSorted((a, b) => (started.get(a) ?? 0) - (started.get(b) ?? 0));
}

function Version({ version, data, chosen, onToggle }: { version: StoredVersion; data: StoreData; chosen: boolean; onToggle: () => void }) {
  const label = labelOf(version);
  return (
    <li className="version">
      <input type="checkbox" checked={chosen} onChange={onToggle} aria-label={`compare ${label}`} />
      <a href={to("version", version.name, version.number)}>
        <b>{label}</b>
      </a>{" "}
      <span className="quiet">
        {moment(version.started)}, {seconds(version.seconds)}, {count(version.operators, "operator")}
        {version.number > 1 && `, ${count(version.edits.length, "edit")}`}
        {" — "}
        {version.spec}
      </span>
      {version.number > 1 && (
        <a className="compare-link" href={to("compare", `${version.name}@${version.number - 1}`, label)}>
          compare with {version.number - 1}
        </a>
      )}
      <ul className="version-sinks">
        {version.sinks.map((sink) => (
          <li key={sink.sink}>
            <span className={`chip how-${sink.how.replace(" ", "-")}`}>
              {sink.how === "reused" ? "↺" : sink.how === "computed" ? "⚙" : "∅"} {sink.how}
            </span>{" "}
            <b>{sink.sink}</b> {sink.rows !== null && <span className="quiet">{count(sink.rows, "row")}</span>}{" "}
            {sink.bytes !== null && <span className="quiet">{bytes(sink.bytes)}</span>} <span className="quiet">{sink.why}</span>
          </li>
        ))}
      </ul>
      <p className="quiet">{workText(runOf(data, version))}</p>
    </li>
  );
}
