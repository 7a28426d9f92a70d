/** Two texts beside each other, with the words that differ marked. */
import { diffWordsWithSpace } from "diff";

const LONGEST = 20_000; // characters; beyond it both are shown without marks

export function WordDiff({ before, after }: { before: string; after: string }) {
  if (before === after) return <PlainText text={after} />;
  const parts =
    before.length + after.length > LONGEST
      ? [
          { value: before, removed: true, added: false },
          { value: after, removed: false, added: true },
        ]
      : diffWordsWithSpace(before, after);
  return (
    <div className="sides">
      <code className="text" tabIndex={0}>
        <b className="side-name">P</b>
        {parts.filter((part) => !part.added).map((part, i) => (part.removed ? <del key={i}>{part.value}</del> : <span key={i}>{part.value}</span>))}
      </code>
      <code className="text" tabIndex={0}>
        <b className="side-name">Q</b>
        {parts.filter((part) => !part.removed).map((part, i) => (part.added ? <ins key={i}>{part.value}</ins> : <span key={i}>{part.value}</span>))}
      </code>
    </div>
  );
}

/** A text that may be long: it scrolls, by keyboard too. */
export function PlainText({ text }: { text: string }) {
  return (
    <code className="text" tabIndex={0}>
      {text}
    </code>
  );
}
