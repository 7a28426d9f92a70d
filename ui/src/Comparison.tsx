/** A comparison: the graph of both versions, and beside it what was asked about. */
import type { ReactFlowInstance } from "@xyflow/react";
import { useCallback, useMemo, useRef, useState } from "react";
import { type Fold, READABLE } from "./graph/fold.ts";
import { type Attention, EVERYTHING, type Focus, GraphPane, quiet, type Window } from "./graph/GraphPane.tsx";
import type { GraphEdge, GraphNode } from "./graph/boxes.tsx";
import { useKeys } from "./keys.ts";
import { OperatorPanel } from "./panel/OperatorPanel.tsx";
import { Overview } from "./panel/Overview.tsx";
import { grouped, type Moment, SinkPanel } from "./panel/SinkPanel.tsx";
import { HelpDialog, SearchBox } from "./Toolbar.tsx";
import { type ComparisonData, current, type Step, type View } from "./types.ts";
import { seconds, VERDICT_MARK } from "./words.ts";

type Subject = { kind: "overview" } | { kind: "sink"; sink: number } | { kind: "operator"; place: number };
const FOLDS: Fold[] = ["nothing", "equal", "unchanged"];
const NONE: Attention = { places: null, parted: [], windowKey: "", tables: null };
const LARGE = 300; // operators from which on also unchanged ones that are not shown equal are folded

export function Comparison({ data }: { data: ComparisonData }) {
  const { report, view } = data;
  return (
    <div className="comparison">
      <header className="title">
        <span className={`chip verdict-${report.verdict}`}>
          {VERDICT_MARK[report.verdict]} {report.verdict}
        </span>
        <h1>
          {report.p} → {report.q}
        </h1>
        <span className="quiet">
          {report.semantics} semantics, {seconds(report.seconds)}
          {report.limit ? `; stopped by the time limit of ${report.limit} s` : ""}
        </span>
      </header>
      {view ? <Explorer data={data} view={view} /> : <Overview data={data} onSink={() => {}} onEdit={() => {}} />}
    </div>
  );
}

function Explorer({ data, view }: { data: ComparisonData; view: View }) {
  const { report } = data;
  const [fold, setFold] = useState<Fold>(() => startingFold(view));
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [kept, setKept] = useState<ReadonlySet<number>>(new Set());
  const [subject, setSubject] = useState<Subject>(() => startingSubject(data));
  const [lastSink, setLastSink] = useState<number | null>(subject.kind === "sink" ? subject.sink : null);
  const [moment, setMoment] = useState<Moment>(null);
  const [focus, setFocus] = useState<Focus | null>(null);
  const [help, setHelp] = useState(false);
  const graph = useRef<ReactFlowInstance<GraphNode, GraphEdge>>(null);
  const search = useRef<HTMLInputElement>(null);

  const sinkView = lastSink === null ? null : view.sinks[lastSink]!;
  const windows = useMemo(() => regionsOf(view, lastSink), [view, lastSink]);
  const cuts = useMemo(() => cutPoints(view, lastSink), [view, lastSink]);
  const attention = useMemo(() => attentionOf(view, lastSink, moment), [view, lastSink, moment]);

  const goTo = useCallback(
    (first: number, ...others: number[]) => {
      if (fold !== "nothing") setKept((before) => (before.has(first) ? before : new Set([...before, first])));
      setFocus({ places: [first, ...others] });
    },
    [fold],
  );
  const showOperator = useCallback(
    (place: number) => {
      setSubject({ kind: "operator", place });
      goTo(place);
    },
    [goTo],
  );
  const selectOperator = useCallback(
    (place: number) => {
      const sink = view.sinks.findIndex((each) => each.p === place || each.q === place);
      if (sink >= 0) {
        setSubject({ kind: "sink", sink });
        setLastSink(sink);
        setMoment(null);
      } else setSubject({ kind: "operator", place });
    },
    [view],
  );
  const showSink = useCallback(
    (sink: number) => {
      setSubject({ kind: "sink", sink });
      setLastSink(sink);
      setMoment(null);
      const { p, q, steps, trace, resisted } = view.sinks[sink]!;
      const place = trace?.parted[0] ?? resisted[0] ?? q ?? p;
      const windows = steps.flatMap((step) => (step.rule === "congruence" || step.normalized ? [] : step.places));
      if (place !== null) goTo(place, ...windows, ...[p, q].filter((each) => each !== null));
    },
    [view, goTo],
  );
  const showMoment = useCallback(
    (next: Moment) => {
      setMoment(next);
      const places = next && sinkView ? placesOf(sinkView, next) : [];
      if (places[0] !== undefined) goTo(places[0], ...places.slice(1));
    },
    [sinkView, goTo],
  );

  const edited = useMemo(() => view.operators.flatMap((operator, place) => (operator.edit === "same" ? [] : [place])), [view]);
  const nextEdit = (by: number) => {
    if (!edited.length) return;
    const now = subject.kind === "operator" ? edited.indexOf(subject.place) : -1;
    showOperator(edited[(now + by + edited.length) % edited.length]!);
  };
  const nextMoment = (by: number) => {
    if (!sinkView) return;
    const groups = grouped(sinkView.steps);
    const total = sinkView.trace ? sinkView.trace.order.length : groups.length;
    if (!total) return;
    const at = moment ? (moment.kind === "trace" ? moment.at : groups.findIndex((group) => group.includes(moment.at))) : -1;
    const to = Math.min(total - 1, Math.max(0, at + by));
    setSubject({ kind: "sink", sink: lastSink! });
    showMoment(sinkView.trace ? { kind: "trace", at: to } : { kind: "step", at: groups[to]!.at(-1)! });
  };
  const setFoldAndFit = (next: Fold) => {
    setFold(next);
    setOpened(new Set());
    setKept(new Set());
    setFocus(null);
  };
  useKeys({
    "/": () => search.current?.focus(),
    "?": () => setHelp(true),
    f: () => setFoldAndFit(FOLDS[(FOLDS.indexOf(fold) + 1) % FOLDS.length]!),
    "0": () => graph.current?.fitView({ ...EVERYTHING, duration: quiet() ? 0 : 250 }),
    "+": () => graph.current?.zoomIn(),
    "-": () => graph.current?.zoomOut(),
    n: () => nextEdit(1),
    p: () => nextEdit(-1),
    "]": () => nextMoment(1),
    "[": () => nextMoment(-1),
    Escape: () => {
      if (moment) setMoment(null);
      else setSubject({ kind: "overview" });
    },
  });

  return (
    <>
      <div className="toolbar" role="toolbar" aria-label="view">
        <SearchBox view={view} inputRef={search} onPlace={showOperator} />
        <label>
          fold{" "}
          <select value={fold} onChange={(event) => setFoldAndFit(event.target.value as Fold)}>
            <option value="nothing">nothing</option>
            <option value="equal">what is equal</option>
            <option value="unchanged">all that is unchanged</option>
          </select>
        </label>
        <button type="button" onClick={() => nextEdit(-1)} disabled={!edited.length} aria-label="previous edit">
          ‹ edit
        </button>
        <button type="button" onClick={() => nextEdit(1)} disabled={!edited.length} aria-label="next edit">
          edit ›
        </button>
        <button type="button" onClick={() => setHelp(true)} aria-label="help">
          ?
        </button>
      </div>
      <main className="explorer">
        <section className="graph" aria-label="graph">
          <GraphPane
            view={view}
            fold={fold}
            opened={opened}
            kept={kept}
            windows={windows}
            cuts={cuts}
            attention={attention}
            selected={subject.kind === "operator" ? subject.place : null}
            focus={focus}
            onSelect={selectOperator}
            onOpen={(box) => {
              setFocus(null);
              setOpened((before) => new Set([...before, box]));
            }}
            onReady={(instance) => {
              graph.current = instance;
            }}
          />
        </section>
        <aside className="panel" aria-label="details">
          <nav className="crumbs" aria-label="what is shown">
            <button type="button" className="link-button" aria-current={subject.kind === "overview"} onClick={() => setSubject({ kind: "overview" })}>
              Overview
            </button>
            {lastSink !== null && (
              <button type="button" className="link-button" aria-current={subject.kind === "sink"} onClick={() => setSubject({ kind: "sink", sink: lastSink })}>
                Sink {report.sinks[lastSink]!.p || report.sinks[lastSink]!.q}
              </button>
            )}
            {subject.kind === "operator" && <span aria-current="true">Operator</span>}
          </nav>
          {subject.kind === "overview" && (
            <Overview
              data={data}
              onSink={showSink}
              onEdit={(id) => {
                const place = placeOfEdit(view, id);
                if (place >= 0) showOperator(place);
              }}
            />
          )}
          {subject.kind === "sink" && (
            <SinkPanel
              report={report.sinks[subject.sink]!}
              sink={view.sinks[subject.sink]!}
              view={view}
              moment={moment}
              onMoment={showMoment}
              onPlace={showOperator}
            />
          )}
          {subject.kind === "operator" && (
            <OperatorPanel view={view} place={subject.place} trace={sinkView?.trace ?? null} onPlace={showOperator} />
          )}
        </aside>
      </main>
      {help && <HelpDialog onClose={() => setHelp(false)} />}
    </>
  );
}

function startingFold(view: View): Fold {
  if (view.operators.length <= READABLE) return "nothing";
  return view.operators.length <= LARGE ? "equal" : "unchanged";
}

/** The sink to begin with: the first that is not equivalent; of several equivalent ones none. */
function startingSubject({ report }: ComparisonData): Subject {
  const sink = report.sinks.findIndex((each) => each.verdict !== "equivalent");
  if (report.sinks.length === 1) return { kind: "sink", sink: 0 };
  return sink >= 0 && report.sinks.length <= 4 ? { kind: "sink", sink } : { kind: "overview" };
}

/** Edits speak of operators by the ids of P, and of added ones by their own, with quotes where P has it. */
function placeOfEdit(view: View, id: string): number {
  const old = view.operators.findIndex((operator) => operator.p?.id === id);
  const isAdded = ({ edit, q }: View["operators"][number]) => edit === "added" && q !== null && id.replace(/'+$/, "") === q.id.replace(/'+$/, "");
  return old >= 0 ? old : view.operators.findIndex(isAdded);
}

/** The operators of a moment, the one it is about first. */
function placesOf(sink: View["sinks"][number], moment: NonNullable<Moment>): number[] {
  if (moment.kind === "trace") return sink.trace!.order.slice(moment.at, moment.at + 1);
  const step = sink.steps[moment.at]!;
  return [step.claim[1], step.claim[0], ...step.places].filter((place) => place !== null);
}

function chosenSinks(view: View, sink: number | null): number[] {
  return sink === null ? view.sinks.map((_, i) => i) : [sink];
}

/** The windows that proofs rest on, of one sink or of all; those alike once. */
function regionsOf(view: View, sink: number | null): Window[] {
  const windows = new Map<string, Window>();
  for (const i of chosenSinks(view, sink)) {
    view.sinks[i]!.steps.forEach((step, j) => {
      if (!step.places.length || step.normalized || (step.rule !== "ev" && step.rule !== "normalize" && !step.ev)) return;
      const name = step.rule === "normalize" ? "normal forms" : step.ev;
      const label = step.seconds === null ? name : `${name} · ${seconds(step.seconds)}`;
      const same = `${name} ${step.places.join(" ")}`;
      const window = windows.get(same);
      if (window) window.keys.push(`${i}.${j}`);
      else windows.set(same, { keys: [`${i}.${j}`], places: step.places, label });
    });
    const resisted = view.sinks[i]!.resisted;
    if (resisted.length) windows.set(`resisted ${i}`, { keys: [`${i}.resisted`], places: resisted, label: "resisted" });
  }
  return [...windows.values()];
}

/** Where verifiers' windows begin and end: signals shown equal, each with what is shown of it. */
function cutPoints(view: View, sink: number | null): Map<number, string> {
  const cuts = new Map<number, string>();
  const name = (place: number) => `${view.operators[place]!.kind} ${current(view.operators[place]!).id}`;
  const add = ([p, q]: Step["claim"]) => {
    if (p !== null && p === q) cuts.set(p, "cut point: what leaves it is the same in both versions");
    else if (p !== null && q !== null) {
      if (!cuts.has(p)) cuts.set(p, `cut point: what leaves it in P is the same as what leaves ${name(q)} in Q`);
      if (!cuts.has(q)) cuts.set(q, `cut point: what leaves it in Q is the same as what leaves ${name(p)} in P`);
    }
  };
  for (const i of chosenSinks(view, sink)) {
    const steps = view.sinks[i]!.steps;
    for (const step of steps) {
      if (step.rule !== "ev" || step.normalized) continue;
      for (const each of [step, ...step.from.map((from) => steps[from]!)]) add(each.claim);
    }
  }
  return cuts;
}

function attentionOf(view: View, sink: number | null, moment: Moment): Attention {
  if (sink === null) return NONE;
  const shown = view.sinks[sink]!;
  const trace = shown.trace;
  if (!moment) return { ...NONE, parted: trace?.parted ?? [], tables: trace };
  if (moment.kind === "trace") {
    const place = trace!.order[moment.at]!;
    const inputs = view.links.filter((link) => link[1] === place).map((link) => link[0]);
    return { places: [place, ...inputs], parted: trace!.parted, windowKey: "", tables: trace };
  }
  const step = shown.steps[moment.at]!;
  const group = grouped(shown.steps).find((each) => each.includes(moment.at)) ?? [moment.at];
  const claims = group.flatMap((i) => shown.steps[i]!.claim).filter((place) => place !== null);
  const leaves = group.length === 1 ? step.from.flatMap((from) => shown.steps[from]!.claim).filter((place) => place !== null) : [];
  return { places: [...step.places, ...claims, ...leaves], parted: [], windowKey: `${sink}.${moment.at}`, tables: null };
}
