import { searchText } from '../../shared/search-text.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import type { IncidentDoc, UpdateActor } from './incident.ts';
import { lineOf, nextInstant, type DecidedChange } from './status-rules.ts';

/** The descriptive fields that people change. */
export interface Description {
  severity?: Severity | undefined;
  error_message?: string | undefined;
  affected_regions?: string[] | undefined;
  description?: string | null | undefined;
}

const FIELDS = ['severity', 'error_message', 'affected_regions', 'description'] as const;

/** Whether any field is given at all. */
export function isEmpty(wanted: Description): boolean {
  return FIELDS.every((field) => wanted[field] === undefined);
}

/** What a change of descriptive fields writes: only those that get another value; null when none does. `now` is Unix ms. */
export function describeIncident(seen: IncidentDoc, wanted: Description, actor: UpdateActor, now: number): DecidedChange | null {
  const changed = FIELDS.filter((field) => wanted[field] !== undefined && !isSame(wanted[field], seen[field]));
  if (changed.length === 0) return null;
  const at = nextInstant(seen, now);
  const change = Object.fromEntries(changed.map((field) => [field, wanted[field]]));
  const message = wanted.error_message ?? seen.error_message;
  return {
    change: { ...change, search_text: searchText(seen.title, seen.monitor_name ?? '', message), updated_at: at + changed.length - 1 },
    updates: changed.map((field, index) => ({
      ...lineOf(seen, index, actor, at + index), kind: 'field_change' as const, field, from: seen[field], to: wanted[field] ?? null,
    })),
  };
}

function isSame(one: string | string[] | null | undefined, other: string | string[] | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
