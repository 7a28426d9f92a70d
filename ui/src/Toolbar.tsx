/** Searching operators, and the help on keys. */
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { KEYS } from "./keys.ts";
import { Legend } from "./panel/Overview.tsx";
import { current, type View } from "./types.ts";
import { EDIT, EQUAL } from "./words.ts";

const MOST = 12; // shown of what is found

export function SearchBox({ view, inputRef, onPlace }: { view: View; inputRef: RefObject<HTMLInputElement | null>; onPlace: (place: number) => void }) {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const texts = useMemo(
    () =>
      view.operators.map(({ kind, p, q, edit, equal }) =>
        [kind, p?.id, p?.text, p?.file, q?.id, q?.text, q?.file, EDIT[edit].word, EQUAL[equal].word].join(" ").toLowerCase(),
      ),
    [view],
  );
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? texts.flatMap((each, place) => (words.every((word) => each.includes(word)) ? [place] : [])) : [];
  const choose = (place: number) => {
    onPlace(place);
    setOpen(false);
  };
  return (
    <div className="search" role="search">
      <input
        ref={inputRef}
        type="search"
        placeholder="search operators ( / )"
        aria-label="search operators"
        role="combobox"
        aria-expanded={open && found.length > 0}
        aria-controls="found"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setOpen(true);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt((before) => Math.min(before + 1, Math.min(found.length, MOST) - 1));
          else if (event.key === "ArrowUp") setAt((before) => Math.max(before - 1, 0));
          else if (event.key === "Enter" && found[at] !== undefined) choose(found[at]);
          else if (event.key === "Escape") event.currentTarget.blur();
          else return;
          event.preventDefault();
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
      />
      {open && words.length > 0 && (
        <ul id="found" className="found" role="listbox" aria-label="operators found">
          {found.slice(0, MOST).map((place, i) => {
            const operator = view.operators[place]!;
            return (
              <li key={place} role="option" aria-selected={i === at} className={i === at ? "now" : ""} onMouseDown={() => choose(place)}>
                <b>{operator.kind}</b> {current(operator).id} <span className="quiet">{operator.text.slice(0, 80)}</span>
              </li>
            );
          })}
          <li role="option" aria-selected="false" aria-disabled="true" className="quiet">
            {found.length ? `${found.length} found` : "nothing found"}
          </li>
        </ul>
      )}
    </div>
  );
}

export function HelpDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="help">
      <h2>Keys</h2>
      <dl className="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <h2>Marks</h2>
      <Legend />
      <form method="dialog">
        <button type="submit">close</button>
      </form>
    </dialog>
  );
}
