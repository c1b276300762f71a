import { z } from 'zod';
import { managedBy } from '../access/managed.ts';
import {
  fieldError, instantInput, readOnlyFields, timeZoneInput, uuidParam, singleLineText, multilineText,
} from '../http/input/validation.ts';
import { recurrenceProblem, type Schedule } from './recurrence.ts';
import { MAX_WINDOW_MONITORS } from './window.ts';

export const projectParams = z.strictObject({ projectId: uuidParam });
export const windowParams = projectParams.extend({ id: uuidParam });

const MAX_PAGES = 100;
const DAY_MS = 86_400_000;
const MAX_DURATION_MS = { recurring: 7 * DAY_MS, once: 90 * DAY_MS };
const [EARLIEST, LATEST] = [Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1)];

const instant = instantInput.refine((at) => at >= EARLIEST && at < LATEST, 'Must be in this century');

const recurrence = z.string().trim().max(200, 'Must be at most 200 characters')
  .transform((rule) => rule.toUpperCase().replace(/^RRULE:/, ''))
  .superRefine((rule, issues) => {
    const problem = recurrenceProblem(rule);
    if (problem !== null) issues.addIssue({ code: 'custom', message: problem });
  });

function ids(max: number) {
  return z.array(uuidParam).max(max).transform((all) => [...new Set(all)]);
}

const common = {
  title: singleLineText(200),
  description: multilineText(5000).nullable(),
  starts_at: instant.describe('Start of the first occurrence. Can be in the past.'),
  ends_at: instant.describe('End of the first occurrence. Later occurrences have the same duration.'),
  recurrence: recurrence.nullable()
    .describe('An iCalendar RRULE with at most one occurrence a day, such as `FREQ=WEEKLY;BYDAY=SU`.'),
  timezone: timeZoneInput.describe('Time zone in which the recurrence keeps its local time. Default: `UTC`.'),
  suppress_alerts: z.boolean().describe('Hold outage alerts until the window ends. Default: true.'),
};

const settings = z.strictObject({
  ...readOnlyFields(
    'id', 'organization_id', 'project_id', 'status', 'occurrence', 'created_by', 'created_at', 'updated_at',
    'managed_by',
  ),
  ...common,
  monitor_ids: ids(MAX_WINDOW_MONITORS).describe('Monitors that are in maintenance during the window.'),
  status_page_ids: ids(MAX_PAGES).describe('Status pages that show it.'),
});

/** In an imported document. */
export const windowItem = z.strictObject({
  ...common,
  monitors: z.array(singleLineText(255)).max(MAX_WINDOW_MONITORS).describe('Names of monitors.'),
  status_pages: z.array(z.string().max(63)).max(MAX_PAGES).describe('Subdomains of status pages that show it.'),
}).partial().required({ title: true, starts_at: true, ends_at: true });
export type WindowItem = z.infer<typeof windowItem>;
/** As in a document, before it is parsed. */
export type WindowDraft = z.input<typeof windowItem>;

export const windowChangeInput = settings.partial();
export type WindowChangeInput = z.infer<typeof windowChangeInput>;

export const windowInput = windowChangeInput.required({ title: true, starts_at: true, ends_at: true });
export type WindowInput = z.infer<typeof windowInput>;

/** Throws VALIDATION_ERROR. */
export function checkTimes({ starts_at, ends_at, recurrence }: Schedule): void {
  if (ends_at <= starts_at) throw fieldError('ends_at', 'Must be after starts_at');
  const maxMs = MAX_DURATION_MS[recurrence === null ? 'once' : 'recurring'];
  if (ends_at - starts_at <= maxMs) return;
  throw fieldError('ends_at', `Must be at most ${maxMs / DAY_MS} days after starts_at`);
}

/** Longest time range per request: a month with the weeks around it. */
const MAX_DAYS = 45;

export const occurrencesQuery = z.strictObject({
  from: instant.describe('Occurrences that end after this instant'),
  to: instant.describe(`Occurrences that start before this instant; at most ${MAX_DAYS} days after \`from\``),
  monitor_id: uuidParam.optional().describe('Only windows of this monitor'),
}).refine(({ from, to }) => to > from && to - from <= MAX_DAYS * DAY_MS, {
  path: ['to'], message: `Must be after from, by at most ${MAX_DAYS} days`,
});
export type OccurrencesQuery = z.infer<typeof occurrencesQuery>;

export const previewInput = settings
  .pick({ starts_at: true, ends_at: true, recurrence: true, timezone: true })
  .partial({ recurrence: true, timezone: true });
export type PreviewInput = z.infer<typeof previewInput>;

const id = z.uuid();
const time = z.iso.datetime();
const occurrenceView = z.strictObject({ starts_at: time, ends_at: time });

export const windowView = z.strictObject({
  id, organization_id: id, project_id: id,
  title: z.string(),
  description: z.string().nullable(),
  starts_at: time, ends_at: time,
  monitor_ids: z.array(id),
  status_page_ids: z.array(id),
  recurrence: z.string().nullable(),
  timezone: z.string(),
  suppress_alerts: z.boolean(),
  status: z.enum(['scheduled', 'active', 'over']),
  occurrence: occurrenceView.nullable()
    .describe('The occurrence in progress, or else the next one.'),
  created_by: z.string(), managed_by: managedBy,
  created_at: time, updated_at: time,
}).meta({ id: 'MaintenanceWindow' });
export type WindowView = z.infer<typeof windowView>;

export const windowResponse = z.strictObject({ maintenance_window: windowView });
export const windowListResponse = z.strictObject({ maintenance_windows: z.array(windowView) });
export const previewResponse = z.strictObject({ occurrences: z.array(occurrenceView) });
export const occurrencesResponse = z.strictObject({
  occurrences: z.array(occurrenceView.extend({ maintenance_window_id: id, title: z.string() })),
});
