import { z } from 'zod';
import { idParams } from '../../http/params.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { MOST_OF_A_KIND, readTimeline, type TimelineDeps } from './verbs.ts';
import { showTimelineEntry, timelineEntryView } from './views.ts';

/** What happened around an incident. */
export function timelineRoutes(deps: TimelineDeps): Route[] {
  return [
    defineRoute({
      method: 'GET', path: '/api/incidents/:id/timeline', summary: 'Read what happened around an incident, oldest first', tag: 'Incidents',
      description: `Results and status changes of its monitor, its own history, notifications and comments in one list: of each kind the newest ${MOST_OF_A_KIND}. An API key is not shown notifications and comments.`,
      auth: { access: 'project', role: 'viewer' },
      params: idParams,
      errors: ['RESOURCE_NOT_FOUND'],
      answers: { 200: z.strictObject({ timeline: z.array(timelineEntryView), is_truncated: z.boolean().describe('True when there are more entries than were returned') }) },
      handle: async (ctx, { params }) => {
        const { entries, isTruncated } = await readTimeline(deps, ctx, params.id);
        return { status: 200, data: { timeline: entries.map(showTimelineEntry), is_truncated: isTruncated } };
      },
    }),
  ];
}
