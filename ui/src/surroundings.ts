/**
 * Where the view runs: in a page that holds everything (`veer.data`, `veer.elk`), or in the pages of
 * `veer ui`, which ask a server.
 */
import type { ComparisonData } from "./types.ts";

interface Surroundings {
  data?: ComparisonData; // of a page that holds everything
  elk?: () => Promise<string>; // its layout library, as text
  bounded?: boolean; // inside a notebook
}

declare global {
  interface Window {
    veer?: Surroundings;
    veerElkWorker?: new () => Worker; // what the library defines outside of a worker
  }
}

const ELK_OF_SERVER = "/built/elk.js";
export const surroundings: Surroundings = window.veer ?? {};

/** The layout library, asked for as soon as the page begins. */
let started: Promise<() => Worker> | undefined;
export function elkWorker(): Promise<() => Worker> {
  started ??= startElk();
  return started;
}

/** What gives the worker that lays out graphs; where workers are not allowed, one that runs in the page. */
async function startElk(): Promise<() => Worker> {
  const text = surroundings.elk ? await surroundings.elk() : undefined;
  const url = text === undefined ? ELK_OF_SERVER : URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = await answeringWorker(url);
  if (worker) return () => worker;
  const script = document.createElement("script");
  if (text === undefined) script.src = url;
  else script.textContent = text; // allowed by its hash in the policy of the page
  const loaded = text === undefined ? new Promise((done) => (script.onload = done)) : Promise.resolve();
  document.head.append(script);
  await loaded;
  return () => new window.veerElkWorker!();
}

/** A worker that answers; some pages and browsers forbid them without an error. */
function answeringWorker(url: string): Promise<Worker | undefined> {
  return new Promise((answer) => {
    try {
      const worker = new Worker(url);
      const patience = setTimeout(() => answer(undefined), 5000);
      worker.onmessage = () => {
        clearTimeout(patience);
        answer(worker);
      };
      worker.onerror = () => answer(undefined);
      worker.postMessage({ id: -1, cmd: "algorithms" });
    } catch {
      answer(undefined);
    }
  });
}
