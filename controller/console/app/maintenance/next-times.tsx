import { useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { canEdit } from '../api/session.ts';
import { maintenanceTexts as texts } from '../texts/maintenance.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { FieldError } from '../ui/field.tsx';
import { Time } from '../ui/time.tsx';
import { projectId } from './windows.ts';

interface Schedule {
  starts_at: string;
  ends_at: string;
  recurrence: string | null;
  timezone: string;
}

const DEBOUNCE_MS = 400;
const MAX_SHOWN = 5;

/** The next occurrences of a schedule, computed by the server. */
export function useNextTimes(schedule: Schedule) {
  const [debounced, setDebounced] = useState(schedule);
  const text = JSON.stringify(schedule);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(schedule), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const path = { projectId: projectId() };
  return useQuery({
    queryKey: ['maintenance', 'preview', debounced], enabled: canEdit.value,
    queryFn: () => unwrap(api.POST('/api/projects/{projectId}/maintenance-windows/preview', { params: { path }, body: debounced })),
  });
}

/** The occurrences from `useNextTimes`. Field errors are shown at their fields. */
export function NextTimes({ query: { data, error } }: { query: ReturnType<typeof useNextTimes> }) {
  const fieldErrors = fieldErrorsOf(error);
  // The user is still typing: don't scroll to invalid fields.
  if (!fieldErrors.isEmpty) return <>{fieldErrors.summary.rest.map(([path, message]) => <FieldError key={path} message={message} />)}</>;
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return null;
  const shown = data.occurrences.slice(0, MAX_SHOWN);
  return (
    <section class="next-times" aria-label={texts.nextTimes} aria-live="polite">
      <h2>{texts.nextTimes}</h2>
      {shown.length === 0 && <p class="faint">{texts.noOccurrence}</p>}
      <ol>
        {shown.map(({ starts_at: from, ends_at: to }) => (
          <li key={from}><Time at={from} format="weekday" /> – <Time at={to} format="clock" /></li>
        ))}
      </ol>
    </section>
  );
}
