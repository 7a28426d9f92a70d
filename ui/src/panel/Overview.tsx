/** The verdict on both versions, their sinks, their edits, and what the marks mean. */
import type { ComparisonData, Report, SinkReport, Verdict } from "../types.ts";
import { count, EDIT, EQUAL, seconds, VERDICT_MARK } from "../words.ts";

const WORST_FIRST: Verdict[] = ["inequivalent", "unknown", "equivalent"];

function SinkList({ report, onSink }: { report: Report; onSink: (sink: number) => void }) {
  const sinks = report.sinks.map((sink, i) => ({ sink, i }));
  const rank = ({ sink }: { sink: SinkReport }) => WORST_FIRST.indexOf(sink.verdict);
  return (
    <ul className="sinks" aria-label="sinks">
      {sinks.toSorted((a, b) => rank(a) - rank(b)).map(({ sink, i }) => (
        <li key={i}>
          <button type="button" className={`sink verdict-${sink.verdict}`} onClick={() => onSink(i)}>
            <span className={`chip verdict-${sink.verdict}`}>
              {VERDICT_MARK[sink.verdict]} {sink.verdict}
            </span>
            <b>{sink.p || sink.q}</b>
            <span className="quiet">{sink.reason}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Overview({ data, onSink, onEdit }: { data: ComparisonData; onSink: (sink: number) => void; onEdit: (operator: string) => void }) {
  const { report } = data;
  const ofOperators = report.edits.filter((edit) => !edit.kind.endsWith("link"));
  const links = report.edits.filter((edit) => edit.kind.endsWith("link"));
  return (
    <article className="panel-part" aria-label="overview">
      <h2>
        {count(report.sinks.length, "sink")}, {count(ofOperators.length, "edit")}
      </h2>
      <SinkList report={report} onSink={onSink} />
      <section>
        <h3>Edits</h3>
        {!report.edits.length && <p>none</p>}
        <Edits edits={ofOperators} onEdit={onEdit} />
        {links.length > 0 && (
          <details>
            <summary>and {count(links.length, "changed link")} around them</summary>
            <Edits edits={links} onEdit={onEdit} />
          </details>
        )}
      </section>
      <section>
        <h3>Marks</h3>
        <Legend />
      </section>
      <p className="quiet">
        {count(report.counts["windows"] ?? 0, "window")}, {count(report.counts["ev_calls"] ?? 0, "question")} to verifiers, {seconds(report.seconds)}
      </p>
    </article>
  );
}

function Edits({ edits, onEdit }: { edits: Report["edits"]; onEdit: (operator: string) => void }) {
  return (
    <ul className="edits">
      {edits.map((edit, i) => (
        <li key={i}>
          <span className="quiet">{edit.kind}</span>{" "}
          <button type="button" className="link-button" onClick={() => onEdit(edit.operator)}>
            {edit.operator}
          </button>{" "}
          <code>{edit.detail}</code>
          {edit.file && (
            <span className="quiet">
              {" "}
              {edit.file}:{edit.line}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function Legend() {
  return (
    <dl className="legend">
      {(["changed", "relinked", "added", "removed"] as const).map((edit) => (
        <div key={edit}>
          <dt>
            <span className={`swatch op edit-${edit}`}>{EDIT[edit].mark}</span>
          </dt>
          <dd>{EDIT[edit].word}</dd>
        </div>
      ))}
      {(["congruence", "proof", "covered", "differs", "open"] as const).map((equal) => (
        <div key={equal}>
          <dt>
            <span className={`swatch op equal-${equal}`}>{EQUAL[equal].mark}</span>
          </dt>
          <dd>{EQUAL[equal].word}</dd>
        </div>
      ))}
      <div>
        <dt>
          <span className="swatch cut">
            <span className="cut-point" />
          </span>
        </dt>
        <dd>cut point: what leaves it is shown to be the same</dd>
      </div>
      <div>
        <dt>
          <span className="swatch region-swatch" />
        </dt>
        <dd>window given to a verifier</dd>
      </div>
    </dl>
  );
}
