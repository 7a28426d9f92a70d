/** Two stored versions compared: verified in the background, then the view of it. */
import { useEffect, useState } from "react";
import { Comparison } from "../Comparison.tsx";
import { seconds } from "../words.ts";
import { ask, type ComparisonState } from "./asking.ts";

const PATIENCE = 400; // milliseconds between two questions

export function ComparePage({ p, q }: { p: string; q: string }) {
  const [state, setState] = useState<ComparisonState>();
  const [error, setError] = useState("");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let timer = 0;
    let wanted = true;
    const look = (again = false) =>
      ask<ComparisonState>("/api/comparisons", { p, q, again })
        .then((now) => {
          if (!wanted) return;
          setState(now);
          if (now.state === "waiting" || now.state === "running") timer = window.setTimeout(() => look(), PATIENCE);
        })
        .catch((problem: Error) => wanted && setError(problem.message));
    look(tries > 0);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [p, q, tries]);
  if (error) return <p className="problem">{error}</p>;
  if (state?.state === "failed")
    return (
      <p className="problem">
        {state.progress}{" "}
        <button type="button" onClick={() => setTries(tries + 1)}>
          try again
        </button>
      </p>
    );
  if (!state?.data)
    return (
      <p className="waiting" role="status">
        comparing {p} with {q}: {state?.progress || "starting"} {state ? `(${seconds(state.seconds)})` : ""}
      </p>
    );
  return <Comparison data={state.data} />;
}
