/** Keys of the whole page; not while somebody types, nor with a modifier. */
import { useEffect, useRef } from "react";

export function useKeys(actions: Record<string, () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const action = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (action) {
        event.preventDefault();
        action();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

export const KEYS: [string, string][] = [
  ["/", "search"],
  ["n, p", "next and previous edit"],
  ["[ and ]", "back and forth through the proof or the witness"],
  ["f", "fold more or less"],
  ["0", "show everything"],
  ["+, −", "zoom"],
  ["Tab, Enter", "go from operator to operator, and open one"],
  ["Esc", "back"],
  ["?", "this help"],
];
