/** The verdict on both versions, their sinks, their edits, and what the marks mean. */
import type { ComparisonData, Report } from "../types.ts";
import { count, EDIT, EQUAL, seconds, VERDICT_MARK } from "../words.ts";

export function SinkList({ report, selected, onSink }: { report: Report; selected: number | null; onSink: (sink: number) => void }) {
  return (
    <ul className="sinks" aria-label="sinks">
      {report.sinks.map((sink, i) => (
        <li key={i}>
          <button type="button" className={`sink verdict-${sink.verdict}`} aria-pressed={selected === i} onClick={() => onSink(i)}>
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
  const { report, view } = data;
  return (
    <article className="panel-part" aria-label="overview">
      <h2>
        {count(report.sinks.length, "sink")}, {count(report.edits.length, "edit")}
      </h2>
      <SinkList report={report} selected={null} onSink={onSink} />
      <section>
        <h3>Edits</h3>
        {!report.edits.length && <p>none</p>}
        <ul className="edits">
          {report.edits.map((edit, i) => (
            <li key={i}>
              <span className="quiet">{edit.kind}</span>{" "}
              {view ? (
                <button type="button" className="link-button" onClick={() => onEdit(edit.operator)}>
                  {edit.operator}
                </button>
              ) : (
                <b>{edit.operator}</b>
              )}{" "}
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

export function Legend() {
  return (
    <dl className="legend">
      {(["changed", "added", "removed"] as const).map((edit) => (
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
