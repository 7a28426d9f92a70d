/** What a search finds: versions, by their names, files, sinks and edits. */
import { to } from "./App.tsx";
import type { StoreData, StoredVersion } from "./asking.ts";
import { labelOf, moment } from "./Versions.tsx";

const MOST = 60;

export function Found({ data, text, onChosen }: { data: StoreData; text: string; onChosen: () => void }) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = data.versions.toReversed().flatMap((version) => {
    const lines = linesOf(version);
    const all = lines.join("\n").toLowerCase();
    if (!words.every((word) => all.includes(word))) return [];
    return [{ version, lines: lines.slice(1).filter((line) => words.some((word) => line.toLowerCase().includes(word))) }];
  });
  return (
    <main className="page">
      <div className="page-head">
        <h1>{found.length} found</h1>
      </div>
      <ul className="tree">
        {found.slice(0, MOST).map(({ version, lines }) => (
          <li key={labelOf(version)}>
            <a href={to("version", version.name, version.number)} onClick={onChosen}>
              <b>{labelOf(version)}</b>
            </a>{" "}
            <span className="quiet">
              {moment(version.started)} {version.spec}
            </span>
            <ul>
              {lines.slice(0, 5).map((line, i) => (
                <li key={i} className="quiet">
                  {line}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </main>
  );
}

function linesOf(version: StoredVersion): string[] {
  return [
    `${labelOf(version)} ${version.spec}`,
    ...version.sinks.map((sink) => `sink ${sink.sink}: ${sink.how}, ${sink.why}`),
    ...version.edits.map((edit) => `${edit.kind} ${edit.operator}: ${edit.detail}`),
  ];
}
