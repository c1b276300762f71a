import { z } from 'zod';
import { isoTime } from '../../../shared/time.ts';
import { commentView, showComment } from '../comments/views.ts';
import type { TimelineEntry } from './rules.ts';
import { incidentUpdateView, notificationView, showIncidentUpdate, showNotification } from '../views.ts';

const at = z.string().meta({ format: 'date-time' });

const resultView = z.strictObject({
  region: z.string(), probe_id: z.string().nullable().describe('Null for a ping'), success: z.boolean(), outcome: z.enum(['success', 'failure', 'missed']), degraded: z.boolean(),
  response_time_ms: z.number().nullable(), status_code: z.int().nullable(), error: z.strictObject({ type: z.string(), message: z.string() }).nullable(),
});

const stateView = z.strictObject({ status: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']), reason: z.string(), incident_id: z.string().nullable() });

export const timelineEntryView = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('result'), at, result: resultView }),
    z.strictObject({ kind: z.literal('state'), at, state: stateView }),
    z.strictObject({ kind: z.literal('update'), at, update: incidentUpdateView }),
    z.strictObject({ kind: z.literal('notification'), at, notification: notificationView }),
    z.strictObject({ kind: z.literal('comment'), at, comment: commentView }),
  ])
  .meta({ id: 'IncidentTimelineEntry' });

/** An entry of an incident's timeline as the API shows it. */
export function showTimelineEntry(entry: TimelineEntry): z.input<typeof timelineEntryView> {
  const when = isoTime(entry.at);
  switch (entry.kind) {
    case 'result': {
      const { region, probe_id, outcome, degraded, response_time_ms, status_code, error } = entry.result;
      const result = { region, probe_id: probe_id === '' ? null : probe_id, success: outcome === 'success', outcome, degraded, response_time_ms, status_code, error };
      return { kind: 'result', at: when, result };
    }
    case 'state': {
      const { status, reason, incident_id } = entry.state;
      return { kind: 'state', at: when, state: { status, reason, incident_id } };
    }
    case 'update': return { kind: 'update', at: when, update: showIncidentUpdate(entry.update) };
    case 'notification': return { kind: 'notification', at: when, notification: showNotification(entry.notification) };
    case 'comment': return { kind: 'comment', at: when, comment: showComment(entry.comment) };
  }
}
