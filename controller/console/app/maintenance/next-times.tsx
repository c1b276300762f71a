import { useQuery } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { fieldsOf } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import { canEdit } from '../session/session.ts';
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

const ASK_AFTER_MS = 400;
const MOST_SHOWN = 5;

/** When a window would take place, as the server understands it. */
export function useNextTimes(schedule: Schedule) {
  const [asked, setAsked] = useState(schedule);
  const text = JSON.stringify(schedule);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(schedule), ASK_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const path = { projectId: projectId() };
  return useQuery({
    queryKey: ['maintenance', 'preview', asked], enabled: canEdit.value,
    queryFn: () => answer(api.POST('/api/projects/{projectId}/maintenance-windows/preview', { params: { path }, body: asked })),
  });
}

/** The times that `useNextTimes` has read; what it says of fields stands there. */
export function NextTimes({ of: { data, error } }: { of: ReturnType<typeof useNextTimes> }) {
  const fields = fieldsOf(error);
  // Somebody is still typing: no note brings wrong fields into view.
  if (!fields.isEmpty) return <>{fields.shown.rest.map(([path, message]) => <FieldError key={path} message={message} />)}</>;
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return null;
  const shown = data.occurrences.slice(0, MOST_SHOWN);
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
