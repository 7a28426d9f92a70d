/** The pages of `veer ui`: versions, timeline, reuse, checks, and any two versions compared. */
import { useEffect, useState } from "react";
import { useAnswer, useChanges, type StoreData } from "./asking.ts";
import { Boundary } from "./Boundary.tsx";
import { Checks } from "./Checks.tsx";
import { ComparePage } from "./ComparePage.tsx";
import { Found } from "./Found.tsx";
import { Reuse } from "./Reuse.tsx";
import { Timeline } from "./Timeline.tsx";
import { VersionPage } from "./VersionPage.tsx";
import { Versions } from "./Versions.tsx";

const PAGES: [string, string][] = [
  ["versions", "Versions"],
  ["timeline", "Timeline"],
  ["reuse", "Reuse"],
  ["checks", "Checks"],
];

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // somebody typed it
  }
}

/** The parts of the address after `#/`. */
function useRoute(): string[] {
  const read = () => location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
  const [route, setRoute] = useState(read);
  useEffect(() => {
    const changed = () => setRoute(read());
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route.length ? route : ["versions"];
}

export function to(...parts: (string | number)[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

export function App() {
  const route = useRoute();
  const { mark, live } = useChanges();
  const store = useAnswer<StoreData>("/api/store", mark);
  const [text, setText] = useState("");
  const page = route[0]!;
  useEffect(() => {
    document.title = `Veer: ${route.join(" ")}`;
  }, [route]);
  return (
    <div className="app">
      <header className="app-head">
        <b className="brand">Veer</b>
        <nav aria-label="pages">
          {PAGES.map(([name, title]) => (
            <a key={name} href={to(name)} aria-current={page === name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <input type="search" aria-label="search versions" placeholder="search versions, sinks, edits" value={text} onChange={(event) => setText(event.target.value)} />
        <span className="quiet" role="status">
          {live ? "" : "the server does not answer"}
        </span>
      </header>
      {store.error && <p className="problem">{store.error}</p>}
      {!store.data && !store.error && <p className="waiting">reading the store …</p>}
      {store.data && (
        <Running data={store.data} />
      )}
      {store.data && (text.trim() ? <Found data={store.data} text={text} onChosen={() => setText("")} /> : <Boundary key={route.join("/")}><Page route={route} data={store.data} mark={mark} /></Boundary>)}
    </div>
  );
}

function Page({ route, data, mark }: { route: string[]; data: StoreData; mark: string }) {
  switch (route[0]) {
    case "timeline":
      return <Timeline data={data} />;
    case "reuse":
      return <Reuse data={data} />;
    case "checks":
      return <Checks mark={mark} />;
    case "compare":
      return <ComparePage key={route.join("/")} p={route[1] ?? ""} q={route[2] ?? ""} />;
    case "version":
      return <VersionPage key={route.join("/")} name={route[1] ?? ""} number={Number(route[2])} data={data} mark={mark} />;
    default:
      return <Versions data={data} />;
  }
}

/** Runs that go on, with what they are doing; the clock ticks. */
function Running({ data }: { data: StoreData }) {
  const running = data.runs.filter((run) => run.state === "running");
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running.length) return;
    const timer = setInterval(() => tick((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, [running.length]);
  if (!running.length) return null;
  return (
    <section className="running" aria-label="runs that go on" aria-live="polite">
      {running.map((run) => (
        <p key={run.id}>
          <span className="pulse" aria-hidden="true" /> <b>{run.name}</b> is running for {Math.max(0, Math.round(Date.now() / 1000 - run.started))} s:{" "}
          {run.stage || "planning"}
        </p>
      ))}
    </section>
  );
}
