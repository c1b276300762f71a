import { cronProblem, dueTimes, take } from '../../../work/cron-schedule.ts';
import { heartbeatTexts } from '../texts/heartbeats.ts';
import { Time, useNow } from './time.tsx';

const MAX_SHOWN = 5;

/** The next due times of a cron schedule, by the rules of the server. */
export function DueTimes({ cron, timezone }: { cron: string; timezone: string }) {
  const times = nextTimes(cron.trim().split(/\s+/).join(' '), timezone, useNow());
  return (
    <section class="next-times" aria-label={heartbeatTexts.nextDue} aria-live="polite">
      <p class="hint">{heartbeatTexts.nextDue}</p>
      {times.length === 0
        ? <p class="faint">{heartbeatTexts.noDueTimes}</p>
        : <ol>{times.map((at) => <li key={at}><Time at={at} format="weekday" /></li>)}</ol>}
    </section>
  );
}

/** Empty for a line that is no schedule, and for a time zone that this browser does not know. */
function nextTimes(cron: string, timezone: string, now: number): number[] {
  if (cronProblem(cron) !== null) return [];
  try {
    return take(dueTimes({ cron, timezone }, now), MAX_SHOWN);
  } catch {
    return [];
  }
}
