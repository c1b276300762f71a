import { useMutation, useQuery } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api, unwrap } from '../api/client.ts';
import { rehearsalTexts as texts } from '../texts/rehearsal.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { href } from '../ui/link.ts';
import { durationText, now, numberText, Time } from '../ui/time.tsx';
import { outcomeOf, type Rehearsal, type RehearsalInput } from './outcome.ts';
import { Timeline } from './timeline.tsx';

const DAYS = 30;
const DAY_MS = 86_400_000;
const MAX_SHOWN = 20;

interface Played {
  rehearsal: Rehearsal;
  span: { from: number; to: number };
  /** The settings, as JSON. */
  of: string;
}

/** Replays the past 30 days with the unsaved settings of a form. */
export function TryIt({ input, text }: { input: RehearsalInput; text: string }) {
  const running = useRef<AbortController | null>(null);
  const [isCancelled, setCancelled] = useState(false);
  const play = useMutation({
    mutationFn: async (): Promise<Played | null> => {
      const controller = new AbortController();
      running.current = controller;
      setCancelled(false);
      const span = { from: Math.round(now.peek()) - DAYS * DAY_MS, to: Math.round(now.peek()) };
      const call = unwrap(api.POST('/api/alerts/simulate', { body: { ...input, ...span }, signal: controller.signal }));
      const rehearsal = await call.catch((error: unknown) => {
        if (controller.signal.aborted) return null;
        throw error;
      });
      return rehearsal && { rehearsal, span, of: JSON.stringify(input) };
    },
  });
  // Nobody waits for the response any more.
  useEffect(() => () => running.current?.abort(), []);
  const cancel = () => {
    setCancelled(true);
    running.current?.abort();
  };
  const played = play.data ?? null;
  return (
    <details class="try-it">
      <summary>{texts.title}</summary>
      <p class="hint">{text}</p>
      <div class="try-it-actions">
        <Button isBusy={play.isPending} onClick={() => play.mutate()}>{texts.run}</Button>
        {play.isPending && <Button variant="quiet" onClick={cancel}>{texts.cancel}</Button>}
      </div>
      <ErrorNote error={play.error} />
      <div aria-live="polite">
        {play.isPending && !isCancelled && <p class="faint">{texts.running}</p>}
        {isCancelled && <p class="faint">{texts.cancelled}</p>}
        {!play.isPending && !isCancelled && played && (
          <>
            <Sentence rehearsal={played.rehearsal} />
            {played.of !== JSON.stringify(input) && <p class="faint">{texts.outdated}</p>}
          </>
        )}
      </div>
      {!play.isPending && !isCancelled && played && (
        <>
          <Timeline rehearsal={played.rehearsal} span={played.span} days={DAYS} />
          <Missed missed={played.rehearsal.missed} />
        </>
      )}
    </details>
  );
}

function Sentence({ rehearsal }: { rehearsal: Rehearsal }) {
  const { alerts, actual, missed, longestMinutes } = outcomeOf(rehearsal);
  const rest = missed === 0 ? texts.nothingMissed : texts.nothingLonger(durationText(longestMinutes * 60));
  return <p class="try-it-outcome"><strong>{texts.alerts(numberText(alerts), numberText(actual))}</strong>; {rest}</p>;
}

function Missed({ missed }: Pick<Rehearsal, 'missed'>) {
  const shown = missed.toSorted((one, other) => (other.to - other.from) - (one.to - one.from)).slice(0, MAX_SHOWN);
  const ids = [...new Set(shown.map(({ monitor_id }) => monitor_id))].sort();
  const names = useQuery({
    queryKey: ['monitors', 'overview', 'rehearsal', ids],
    queryFn: async () => {
      const { monitors } = await unwrap(api.GET('/api/monitors/overview', { params: { query: { ids: ids.join(',') } } }));
      return new Map(monitors.map(({ id, name }) => [id, name]));
    },
    enabled: ids.length > 0,
  });
  if (missed.length === 0) return null;
  return (
    <section aria-label={texts.missed(numberText(missed.length))}>
      <p class="rows-label" aria-hidden="true">{texts.missed(numberText(missed.length))}</p>
      <ul>
        {shown.map(({ monitor_id: id, from, to }) => (
          <li key={`${id} ${from}`}>
            <a href={href(`/monitors/${id}`)} target="_blank" rel="noreferrer">{names.data?.get(id) ?? id}</a>
            {' · '}<Time at={from} />, {durationText((to - from) / 1000)}
          </li>
        ))}
      </ul>
      {missed.length > shown.length && <p class="faint">{texts.more(numberText(missed.length - shown.length))}</p>}
    </section>
  );
}
