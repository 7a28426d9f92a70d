/** Words and marks: every state has a colour, a mark and a word, so that none rests on colour alone. */
import type { EditKind, Equal, Step, Verdict } from "./types.ts";

export const VERDICT_MARK: Record<Verdict, string> = { equivalent: "=", inequivalent: "≠", unknown: "?" };

export const EDIT: Record<EditKind, { mark: string; word: string }> = {
  same: { mark: "", word: "the same operator" },
  changed: { mark: "Δ", word: "changed" },
  relinked: { mark: "⇄", word: "reads other operators" },
  added: { mark: "+", word: "added" },
  removed: { mark: "−", word: "removed" },
};

export const EQUAL: Record<Equal, { mark: string; word: string; meaning: string }> = {
  congruence: {
    mark: "=",
    word: "equal by congruence",
    meaning: "The same operators on the same sources give it in both versions.",
  },
  proof: { mark: "≡", word: "equal by proof", meaning: "A step of a proof shows that both versions give the same here, as far as the sinks need it." },
  covered: {
    mark: "≈",
    word: "inside a proof",
    meaning: "It stands inside a window: nothing is shown of it alone, but what leaves the window is the same.",
  },
  differs: { mark: "≠", word: "differs on the witness", meaning: "On the rows of the witness both versions give different tables here." },
  open: { mark: "?", word: "not known to be equal", meaning: "Nothing is shown of it: it stands above a change." },
};

export const RULE: Record<Step["rule"], string> = {
  congruence: "the same operator on inputs shown equal",
  wire: "an operator of one version changes nothing of what is claimed",
  sink: "two sinks show what feeds them",
  ev: "shown by a verifier",
  normalize: "the normal forms of both versions are equal",
};

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (value < 0.0005) return "< 1 ms";
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  return value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value).toLocaleString("en")} s`;
}

export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
