import type { components } from '../api/openapi.d.ts';
import { choiceOf, fromLocal, ruleOf, toLocal } from './recurrence.ts';

const HOUR_MS = 3_600_000;

type Settings = Pick<components['schemas']['MaintenanceWindow'],
  'title' | 'description' | 'starts_at' | 'ends_at' | 'recurrence' | 'timezone' | 'monitor_ids' | 'status_page_ids' | 'suppress_alerts'
>;

/** One hour from the next full hour after `now` (Unix ms). */
export function newWindowDraft(now: number, timezone: string): Draft {
  const start = Math.ceil(now / HOUR_MS) * HOUR_MS;
  return draftOf({
    title: '', description: null, starts_at: new Date(start).toISOString(), ends_at: new Date(start + HOUR_MS).toISOString(),
    recurrence: null, timezone, monitor_ids: [], status_page_ids: [], suppress_alerts: true,
  });
}

/** The form's values: local times in the window's zone. */
export function draftOf({ title, description, starts_at: from, ends_at: to, recurrence, timezone, ...rest }: Settings) {
  const { monitor_ids, status_page_ids, suppress_alerts } = rest;
  return {
    title, description: description ?? '', timezone,
    from: toLocal(Date.parse(from), timezone), to: toLocal(Date.parse(to), timezone), recurrence: choiceOf(recurrence),
    monitor_ids, status_page_ids, suppress_alerts,
  };
}
export type Draft = ReturnType<typeof draftOf>;

/** The request's body. */
export function inputOf(draft: Draft) {
  const { title, description, monitor_ids, status_page_ids, suppress_alerts } = draft;
  return {
    title, monitor_ids, status_page_ids, suppress_alerts, ...scheduleOf(draft),
    description: description.trim() === '' ? null : description,
  };
}

/** The schedule as the API expects it. Passes on invalid times, so that the API reports them. */
export function scheduleOf({ from, to, recurrence, timezone }: Draft) {
  const iso = (local: string) => {
    const at = fromLocal(local, timezone);
    return Number.isNaN(at) ? local : new Date(at).toISOString();
  };
  return { starts_at: iso(from), ends_at: iso(to), recurrence: ruleOf(recurrence), timezone };
}

/** The end that keeps the duration when the start moves. */
export function endAfterMove({ from, to, timezone }: Draft, newFrom: string): string {
  const end = fromLocal(newFrom, timezone) + (fromLocal(to, timezone) - fromLocal(from, timezone));
  return Number.isNaN(end) ? to : toLocal(end, timezone);
}
