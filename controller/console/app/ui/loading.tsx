import type { ComponentChildren } from 'preact';
import { shellTexts } from '../texts/shell.ts';
import { ErrorNote } from './error-note.tsx';

/** A placeholder while content loads. */
export function Skeleton({ lines = 3, class: more = '' }: { lines?: number; class?: string }) {
  return (
    <div class={`skeleton ${more}`} role="status" aria-label={shellTexts.loading}>
      {Array.from({ length: lines }, (_, at) => <span key={at} style={{ width: `${90 - (at * 23) % 50}%` }} />)}
    </div>
  );
}

interface QueryState<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
}

/** Shows a query's data, a skeleton while it loads, or its error. Keeps the data if a refetch fails. */
export function QueryResult<T>({ query: { data, error, refetch }, lines, children }: {
  query: QueryState<T>; lines?: number; children: (data: T) => ComponentChildren;
}) {
  if (data !== undefined) return <>{children(data)}</>;
  if (error !== null && error !== undefined) return <ErrorNote error={error} retry={() => void refetch()} />;
  return <Skeleton lines={lines ?? 3} />;
}
