/** What is known of one sink: its verdict, its proof step by step, or its witness row by row. */
import { Fragment, useState } from "react";
import type { Declaration, SinkReport, SinkView, Step, View } from "../types.ts";
import { current } from "../types.ts";
import { count, RULE, seconds, VERDICT_MARK } from "../words.ts";
import { Rows, TwoTables } from "./tables.tsx";
import { WordDiff } from "./WordDiff.tsx";

/** Where in its proof or witness a sink is looked at. */
export type Moment = { kind: "step" | "trace"; at: number } | null;

interface SinkPanelProps {
  report: SinkReport;
  sink: SinkView;
  view: View;
  moment: Moment;
  onMoment: (moment: Moment) => void;
  onPlace: (place: number) => void;
}

export function SinkPanel(props: SinkPanelProps) {
  const { report, sink } = props;
  return (
    <article className="panel-part" aria-label={`sink ${report.p || report.q}`}>
      <h2>
        Sink <span className="op-name">{report.p || report.q}</span>
      </h2>
      <p>
        <span className={`chip verdict-${report.verdict}`}>
          {VERDICT_MARK[report.verdict]} {report.verdict}
        </span>{" "}
        {report.reason}
      </p>
      <Listed title="Assuming" items={report.assumptions} />
      <Listed title="To know besides" items={report.caveats} />
      {report.recheck_text && <p>{report.recheck_text}</p>}
      {sink.trace && <Witness {...props} />}
      {!sink.trace && report.witness?.kind === "rows" && <PlainWitness report={report} />}
      {report.witness?.kind === "schema" && <p>{report.witness.detail}</p>}
      {sink.steps.length > 0 && <Proof {...props} />}
      {report.resisted && <Resisted {...props} />}
      <Hints report={report} />
      <Attempts report={report} />
    </article>
  );
}

function Listed({ title, items }: { title: string; items: string[] }) {
  if (!items.length) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {items.map((item, i) => (
          <li key={i}>{item}</li>
        ))}
      </ul>
    </section>
  );
}

// -- proofs ------------------------------------------------------------------------------------

/** Steps that need no look, one after the other, are one entry. */
export function grouped(steps: Step[]): number[][] {
  const groups: number[][] = [];
  steps.forEach((step, i) => {
    const last = groups.at(-1);
    const before = last && steps[last[0]!]!;
    const isPlain = (each: Step) => each.rule === "congruence" && !each.ev;
    if (before && isPlain(before) && isPlain(step) && before.normalized === step.normalized) last.push(i);
    else groups.push([i]);
  });
  return groups;
}

function stepTitle(step: Step): string {
  if (step.ev && step.ev !== "obligations") return `${step.ev}${step.seconds === null ? "" : `, ${seconds(step.seconds)}`}`;
  return step.ev === "obligations" && step.rule !== "normalize" ? "nothing that is needed changes" : RULE[step.rule];
}

function Proof({ sink, moment, onMoment }: SinkPanelProps) {
  const groups = grouped(sink.steps);
  const at = moment?.kind === "step" ? groups.findIndex((group) => group.includes(moment.at)) : -1;
  const go = (group: number) => onMoment(groups[group] ? { kind: "step", at: groups[group]!.at(-1)! } : null);
  return (
    <section>
      <h3>The proof, step by step</h3>
      <Stepper at={at} count={groups.length} noun="step" onGo={go} />
      <ol className="steps">
        {groups.map((group, i) => {
          const step = sink.steps[group.at(-1)!]!;
          const many = group.length > 1;
          return (
            <li key={i} aria-current={i === at ? "step" : undefined} className={i === at ? "now" : ""}>
              <button type="button" className="link-button" onClick={() => go(i)}>
                {many ? `${count(group.length, "operator")} equal by congruence, up to ${step.text}` : step.text}
              </button>
              <span className="quiet">
                {" "}
                {many ? RULE.congruence : stepTitle(step)}
                {step.normalized ? " (of the normal forms)" : ""}
                {!many && step.from.length > 0 && ` — from ${fromText(step, groups)}`}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function fromText(step: Step, groups: number[][]): string {
  const numbers = [...new Set(step.from.map((from) => groups.findIndex((group) => group.includes(from)) + 1))];
  return `step${numbers.length === 1 ? "" : "s"} ${numbers.join(", ")}`;
}

export function Stepper({ at, count: total, noun, onGo }: { at: number; count: number; noun: string; onGo: (at: number) => void }) {
  return (
    <div className="stepper" role="group" aria-label={`${noun}s`}>
      <button type="button" onClick={() => onGo(Math.max(0, at - 1))} disabled={at <= 0}>
        ‹ previous
      </button>
      <span aria-live="polite">{at < 0 ? count(total, noun) : `${noun} ${at + 1} of ${total}`}</span>
      <button type="button" onClick={() => onGo(at + 1)} disabled={at >= total - 1}>
        {at < 0 ? "first" : "next"} ›
      </button>
      {at >= 0 && (
        <button type="button" onClick={() => onGo(-1)}>
          all
        </button>
      )}
    </div>
  );
}

// -- witnesses ---------------------------------------------------------------------------------

function Witness({ report, sink, view, moment, onMoment, onPlace }: SinkPanelProps) {
  const trace = sink.trace!;
  const at = moment?.kind === "trace" ? moment.at : -1;
  const place = at >= 0 ? trace.order[at]! : null;
  const parted = trace.order.findIndex((each) => trace.parted.includes(each));
  const name = (each: number) => `${view.operators[each]!.kind} ${current(view.operators[each]!).id}`;
  return (
    <section>
      <h3>Why it differs: rows on their way through both versions</h3>
      <p>
        The tables part at{" "}
        {trace.parted.map((each, i) => (
          <Fragment key={each}>
            {i > 0 && (i === trace.parted.length - 1 ? " and " : ", ")}
            <button type="button" className="link-button" onClick={() => onMoment({ kind: "trace", at: trace.order.indexOf(each) })}>
              {name(each)}
            </button>
          </Fragment>
        ))}{" "}
        {parted >= 0 && at !== parted && (
          <button type="button" className="primary" onClick={() => onMoment({ kind: "trace", at: parted })}>
            Go there
          </button>
        )}
      </p>
      <Stepper at={at} count={trace.order.length} noun="operator" onGo={(to) => onMoment(to < 0 ? null : { kind: "trace", at: to })} />
      {place === null ? (
        <>
          <SourceTables report={report} />
          <h4>What the sink gets</h4>
          <TwoTables p={trace.p[sink.p!]} q={trace.q[sink.q!]} differ />
        </>
      ) : (
        <>
          <h4>
            <button type="button" className="link-button" onClick={() => onPlace(place)}>
              {name(place)}
            </button>{" "}
            {trace.parted.includes(place) && <span className="chip equal-differs">≠ here the tables part</span>}
            {!trace.parted.includes(place) && trace.differing.includes(place) && <span className="chip equal-differs">≠ different rows</span>}
          </h4>
          <p className="op-words">{view.operators[place]!.text}</p>
          <TwoTables p={trace.p[place]} q={trace.q[place]} differ={trace.differing.includes(place)} />
        </>
      )}
    </section>
  );
}

function SourceTables({ report }: { report: SinkReport }) {
  return (
    <>
      <h4>Source rows</h4>
      <div className="sides">
        {Object.entries(report.witness!.tables).map(([name, table]) => (
          <Rows key={name} name={name} table={table} />
        ))}
      </div>
    </>
  );
}

function PlainWitness({ report }: { report: SinkReport }) {
  const witness = report.witness!;
  const side = (rows: typeof witness.p_rows) => ({ columns: witness.columns, rows });
  return (
    <section>
      <h3>Why it differs</h3>
      <SourceTables report={report} />
      <h4>What the sink gets</h4>
      <TwoTables p={side(witness.p_rows)} q={side(witness.q_rows)} differ />
    </section>
  );
}

// -- what is unknown ---------------------------------------------------------------------------

function Resisted({ report, sink, view, onPlace }: SinkPanelProps) {
  const resisted = report.resisted!;
  return (
    <section>
      <h3>{resisted.agrees ? "The smallest part that resisted" : "Where they part"}</h3>
      <p>
        {sink.resisted.map((place) => (
          <button key={place} type="button" className="link-button" onClick={() => onPlace(place)}>
            {view.operators[place]!.kind} {current(view.operators[place]!).id}
          </button>
        ))}
      </p>
      <WordDiff before={resisted.p_sql} after={resisted.q_sql} />
      {resisted.given.map((given) => (
        <p key={given.name} className="quiet">
          {given.name}: {given.p} of P, {given.q} of Q, taken as equal
        </p>
      ))}
    </section>
  );
}

function Declarations({ declarations }: { declarations: Declaration[] }) {
  return (
    <ul>
      {declarations.map((declaration, i) => (
        <li key={i}>
          <code>{declaration.ddl || declaration.text}</code>
          {declaration.checks.map((check, j) => (
            <p key={j} className="quiet">
              check: <code>{check}</code>
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Hints({ report }: { report: SinkReport }) {
  if (!report.hints.length && !report.suggestion) return null;
  return (
    <section>
      <h3>What would settle it</h3>
      <ul>
        {report.hints.map((hint, i) => (
          <li key={i}>
            {hint.text}
            <Declarations declarations={hint.declarations} />
          </li>
        ))}
      </ul>
      {report.suggestion && (
        <>
          <p>{report.suggestion.text}</p>
          <Declarations declarations={report.suggestion.declarations} />
        </>
      )}
    </section>
  );
}

function Attempts({ report }: { report: SinkReport }) {
  const [all, setAll] = useState(false);
  if (!report.windows.length) return null;
  const shown = all ? report.windows : report.windows.slice(0, 6);
  return (
    <section>
      <h3>Windows given to verifiers</h3>
      <div className="scroll" tabIndex={0} role="group" aria-label="windows">
        <table className="windows">
          <thead>
            <tr>
              <th scope="col">verifier</th>
              <th scope="col">operators</th>
              <th scope="col">answer</th>
              <th scope="col">time</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((window, i) => (
              <tr key={i}>
                <td>{window.ev}</td>
                <td>
                  {window.p.length} / {window.q.length}
                </td>
                <td>
                  {VERDICT_MARK[window.verdict]} {window.used ? "used: " : ""}
                  {window.claim || window.answer}
                </td>
                <td>{seconds(window.seconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < report.windows.length && (
        <button type="button" onClick={() => setAll(true)}>
          all {report.windows.length}
        </button>
      )}
    </section>
  );
}
