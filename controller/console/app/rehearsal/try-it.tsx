import { useMutation, useQuery } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
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
/** Of a project with too many: half of the limit, which includes the monitors that they depend on. */
const PART = 50;

interface Played {
  rehearsal: Rehearsal;
  span: { from: number; to: number };
  /** The settings, as JSON. */
  of: string;
  /** Of how many monitors, if not of all. */
  part: number | null;
}

interface Props {
  input: RehearsalInput;
  text: string;
  /** The monitors to try it with if the project has too many; the first ones of the project without any. */
  preferredIds?: readonly string[];
}

/** Replays the past 30 days with the unsaved settings of a form. */
export function TryIt({ input, text, preferredIds = [] }: Props) {
  const running = useRef<AbortController | null>(null);
  const [isCancelled, setCancelled] = useState(false);
  const play = useMutation({
    mutationFn: async ({ input: tried, isPart }: { input: RehearsalInput; isPart: boolean }): Promise<Played | null> => {
      const controller = new AbortController();
      running.current = controller;
      setCancelled(false);
      const span = { from: Math.round(now.peek()) - DAYS * DAY_MS, to: Math.round(now.peek()) };
      const part = isPart ? { monitor_ids: preferredIds.length > 0 ? preferredIds.slice(0, PART) : await firstIds() } : {};
      const body = { ...tried, ...part, ...span };
      const call = unwrap(api.POST('/api/alerts/simulate', { body, signal: controller.signal }));
      const rehearsal = await call.catch((error: unknown) => {
        if (controller.signal.aborted) return null;
        throw error;
      });
      return rehearsal && { rehearsal, span, of: JSON.stringify(tried), part: part.monitor_ids?.length ?? null };
    },
  });
  // Nobody waits for the response any more.
  useEffect(() => () => running.current?.abort(), []);
  const cancel = () => {
    setCancelled(true);
    running.current?.abort();
  };
  const played = play.data ?? null;
  const isAll = input.monitor_ids === undefined && play.variables?.isPart !== true;
  const isTooMuch = isAll && fieldErrorsOf(play.error).exactly('monitor_ids') !== undefined;
  return (
    <details class="try-it">
      <summary>{texts.title}</summary>
      <p class="hint">{text}</p>
      <div class="try-it-actions">
        <Button isBusy={play.isPending} onClick={() => play.mutate({ input, isPart: false })}>{texts.run}</Button>
        {play.isPending && <Button variant="quiet" onClick={cancel}>{texts.cancel}</Button>}
      </div>
      {!isTooMuch ? <ErrorNote error={play.error} /> : (
        <div class="error-note" role="alert">
          <p>{texts.tooMuch}</p>
          <Button onClick={() => play.mutate({ input, isPart: true })}>{texts.runPart(numberText(PART))}</Button>
        </div>
      )}
      <div aria-live="polite">
        {play.isPending && !isCancelled && <p class="faint">{texts.running}</p>}
        {isCancelled && <p class="faint">{texts.cancelled}</p>}
        {!play.isPending && !isCancelled && played && (
          <>
            <Sentence rehearsal={played.rehearsal} />
            {played.part !== null && <p class="faint">{texts.part(numberText(played.part))}</p>}
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

async function firstIds(): Promise<string[]> {
  const { monitors } = await unwrap(api.GET('/api/monitors', { params: { query: { limit: PART } } }));
  return monitors.map(({ id }) => id);
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
