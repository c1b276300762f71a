import { useState } from 'preact/hooks';
import { regionName, useRegions } from '../live/regions.ts';
import { changeTexts as texts } from '../texts/changes.ts';
import { Button } from '../ui/button.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Section } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { useChanges, type Change } from './change-queries.ts';

const FIRST_LIMIT = 10;
const MAX_LIMIT = 200;

/** The latest changes of a monitor's target, and markers. */
export function Changes({ id }: { id: string }) {
  const [limit, setLimit] = useState(FIRST_LIMIT);
  const query = useChanges(id, limit);
  return (
    <Section title={texts.changes}>
      <QueryResult query={query}>
        {(changes) => (changes.length === 0 ? <p class="faint">{texts.none}</p> : <div class="card"><ChangeList changes={changes} /></div>)}
      </QueryResult>
      {query.data?.length === FIRST_LIMIT && limit === FIRST_LIMIT && (
        <div><Button onClick={() => setLimit(MAX_LIMIT)}>{texts.showMore}</Button></div>
      )}
    </Section>
  );
}

/** What the lines of a chart stand for. */
export function ChangesInChart({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <details>
      <summary><i class="change-mark" /> {texts.inChart(changes.length)}</summary>
      <ChangeList changes={changes} />
    </details>
  );
}

/** What changed shortly before an incident. */
export function ChangesBefore({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return <Section title={texts.before}><div class="card"><ChangeList changes={changes} /></div></Section>;
}

function ChangeList({ changes }: { changes: readonly Change[] }) {
  const regions = useRegions();
  return (
    <ul class="change-list">
      {changes.map(({ at, kind, regions: seenBy, before, after }, index) => (
        <li key={`${at} ${index}`}>
          <Time at={at} />
          <strong>{texts[kind]}</strong>
          <Values kind={kind} before={before} after={after} />
          {seenBy.length > 0 && <span class="faint small">{seenBy.map((id) => regionName(regions, id)).join(', ')}</span>}
        </li>
      ))}
    </ul>
  );
}

function Values({ kind, before, after }: Pick<Change, 'kind' | 'before' | 'after'>) {
  if (kind === 'marker') return <span class="change-values">{after.join(' ')}</span>;
  return (
    <span class="change-values">
      <span class="hidden">{texts.from}</span> <del><Value values={before} /></del> <span aria-hidden="true">→</span>{' '}
      <span class="hidden">{texts.to}</span> <ins><Value values={after} /></ins>
    </span>
  );
}

function Value({ values }: { values: readonly string[] }) {
  return values.length === 0 ? <span>{texts.nothing}</span> : <code>{values.join(', ')}</code>;
}
