/** One version: its edits, results with their rows, plots, operators, and what it read. */
import { useState } from "react";
import { Rows } from "../panel/tables.tsx";
import { bytes, count, seconds } from "../words.ts";
import { to } from "./App.tsx";
import { addressOf, type Preview, type StoreData, type StoredSink, useAnswer, type VersionDetails } from "./asking.ts";
import { moment, runOf, workText } from "./Versions.tsx";

export function VersionPage({ name, number, data, mark }: { name: string; number: number; data: StoreData; mark: string }) {
  const { data: version, error } = useAnswer<VersionDetails>(`/api/version/${encodeURIComponent(name)}/${number}`, mark);
  const [shown, setShown] = useState("");
  const others = data.versions.filter((each) => each.name === name && each.number !== number);
  if (error) return <p className="problem">{error}</p>;
  if (!version) return <p className="waiting">reading the version …</p>;
  const run = runOf(data, version);
  return (
    <main className="page">
      <div className="page-head">
        <h1>
          {name}@{number}
        </h1>
        <span className="quiet">
          {moment(version.started)}, {seconds(version.seconds)}, of {version.spec}
        </span>
      </div>
      <p>{workText(run)}</p>
      {others.length > 0 && (
        <p>
          compare with{" "}
          {others.map((other) => {
            const [p, q] = other.number < number ? [other.number, number] : [number, other.number];
            return (
              <a key={other.number} className="compare-link" href={to("compare", `${name}@${p}`, `${name}@${q}`)}>
                {other.number}
              </a>
            );
          })}
        </p>
      )}
      <h2>Results</h2>
      {version.sinks.map((sink) => (
        <Result key={sink.sink} sink={sink} open={shown === sink.sink} onToggle={() => setShown(shown === sink.sink ? "" : sink.sink)} />
      ))}
      {run?.work.read && run.work.read.length > 0 && (
        <>
          <h2>Stored parts that were read</h2>
          <ul>
            {run.work.read.map((part) => (
              <li key={part.operator}>
                <b>{part.operator}</b> {count(part.rows, "row")}, {bytes(part.bytes)}; {part.why}; once took {seconds(part.seconds)}
              </li>
            ))}
          </ul>
        </>
      )}
      {version.plots.length > 0 && (
        <>
          <h2>Plots</h2>
          <div className="plots">
            {pictures(version.plots).map((path) => (
              <Plot key={path} path={path} />
            ))}
          </div>
        </>
      )}
      {version.edits.length > 0 && (
        <>
          <h2>Edits since the version before</h2>
          <ul>
            {version.edits.map((edit, i) => (
              <li key={i}>
                <span className="quiet">{edit.kind}</span> <b>{edit.operator}</b> <code>{edit.detail}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>Operators</h2>
      <pre className="operators" tabIndex={0} aria-label="operators">
        {version.dataflow}
      </pre>
      <h2>What it read, and where it ran</h2>
      <ul>
        {version.sources.map((source) => (
          <li key={source.table}>
            <b>{source.table}</b> <code>{source.fingerprint}</code>
          </li>
        ))}
        {Object.entries(version.environment).map(([key, value]) => (
          <li key={key}>
            {key} <code>{value}</code>
          </li>
        ))}
      </ul>
    </main>
  );
}

/** One picture for each plot: the one that is drawn already, where there are two. */
function pictures(paths: string[]): string[] {
  const stem = (path: string) => path.slice(0, path.lastIndexOf("."));
  return paths.filter((path) => path.endsWith(".png") || !paths.includes(`${stem(path)}.png`));
}

function Plot({ path }: { path: string }) {
  const address = addressOf(`/api/plot/${path.split("/").map(encodeURIComponent).join("/")}`);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return (
    <figure>
      <figcaption>{name}</figcaption>
      {name.endsWith(".png") ? <img src={address} alt={`plot of ${name.slice(0, -4)}`} /> : <iframe src={address} title={`plot of ${name.slice(0, -5)}`} sandbox="" />}
    </figure>
  );
}

function Result({ sink, open, onToggle }: { sink: StoredSink; open: boolean; onToggle: () => void }) {
  return (
    <section className="result" aria-label={`result ${sink.sink}`}>
      <h3>
        <button type="button" onClick={onToggle} aria-expanded={open} disabled={!sink.result}>
          {open ? "▾" : "▸"} {sink.sink}
        </button>{" "}
        <span className="quiet">
          {sink.how}
          {sink.rows !== null && `, ${count(sink.rows, "row")}`}
          {sink.bytes !== null && `, ${bytes(sink.bytes)}, took ${seconds(sink.seconds)}`}; {sink.why}
        </span>
      </h3>
      {open && <ResultRows result={sink.result} />}
    </section>
  );
}

function ResultRows({ result }: { result: string }) {
  const { data, error } = useAnswer<Preview>(`/api/result/${encodeURIComponent(result)}`);
  if (error) return <p className="problem">{error}</p>;
  if (!data) return <p className="waiting">reading rows …</p>;
  return <Rows name={`the first ${Math.min(data.rows.length, data.count)} of ${count(data.count, "row")}`} table={{ columns: data.columns.map((name, i) => `${name} ${data.types[i]}`), rows: data.rows, count: data.count }} />;
}
