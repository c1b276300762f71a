import { isoTime } from '../../shared/time.ts';
import { currentOrNext } from './plan-rules.ts';
import type { WindowView } from './schema.ts';
import type { Occurrence, WindowDoc } from './window.ts';

export function viewWindow(doc: WindowDoc, now: number): WindowView {
  const { _id: id, organization_id, project_id, title, description, recurrence, timezone } = doc;
  const { monitor_ids, status_page_ids, suppress_alerts, created_by } = doc;
  const occurrence = currentOrNext(doc, now);
  return {
    id, organization_id, project_id, title, description, recurrence, timezone, monitor_ids, status_page_ids,
    suppress_alerts, created_by, managed_by: doc.managed_by ?? null,
    starts_at: isoTime(doc.starts_at), ends_at: isoTime(doc.ends_at),
    status: occurrence === null ? 'over' : occurrence.starts_at <= now ? 'active' : 'scheduled',
    occurrence: occurrence && viewOccurrence(occurrence),
    created_at: isoTime(doc.created_at), updated_at: isoTime(doc.updated_at),
  };
}

export function viewOccurrence({ starts_at, ends_at }: Occurrence) {
  return { starts_at: isoTime(starts_at), ends_at: isoTime(ends_at) };
}
