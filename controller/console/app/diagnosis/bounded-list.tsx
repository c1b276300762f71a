import { diagnosisTexts as texts } from '../texts/diagnosis.ts';

const MAX_SHOWN = 5;

/** A list of texts whose end is hidden at first if it is long. */
export function BoundedList({ items, class: more = 'plain-list' }: { items: readonly string[]; class?: string }) {
  if (items.length === 0) return <>–</>;
  // One more item takes no more room than the line that hides it.
  const count = items.length <= MAX_SHOWN + 1 ? items.length : MAX_SHOWN;
  const list = (shown: readonly string[]) => <ul class={more}>{shown.map((item, at) => <li key={at}>{item}</li>)}</ul>;
  return (
    <>
      {list(items.slice(0, count))}
      {count < items.length && (
        <details><summary>{texts.more(items.length - count)}</summary>{list(items.slice(count))}</details>
      )}
    </>
  );
}
