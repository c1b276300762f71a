import { z } from 'zod';
import { singleLineText, timeZoneInput, uuidParam } from '../http/input/validation.ts';
import type { Severity } from '../verdicts/monitor-config.ts';
import type { Hours } from './hours.ts';

/** Only alerts that match every list given. */
export interface AlertFilter {
  /** Any one of them. */
  tags?: string[];
  /** Includes subgroups. */
  group_ids?: string[];
  monitor_ids?: string[];
  severities?: Severity[];
}

/** Which alerts a destination receives, and when. Each is null or absent if unset. */
export interface Conditions {
  filter?: AlertFilter | null;
  hours?: Hours | null;
  /** An outage is sent only if it is still open and unacknowledged then. */
  delay_minutes?: number | null;
  /** An outage is sent again at this interval, while it is open and unacknowledged. */
  reminder_minutes?: number | null;
  /** Absent or null for the default of the type. */
  grouping?: Grouping | null;
}

const GROUPINGS = ['auto', 'off'] as const;
/** `auto`: one alert per cause. `off`: one per monitor. */
export type Grouping = (typeof GROUPINGS)[number];

export const CONDITION_FIELDS =
  ['filter', 'hours', 'delay_minutes', 'reminder_minutes', 'grouping'] as const;

const MAX_LISTED = 100;
const MAX_MINUTES = 1440;
const SEVERITIES = ['critical', 'major', 'minor', 'warning'] as const satisfies readonly Severity[];

const list = <T extends z.ZodType>(item: T) => (
  z.array(item).min(1, 'Omit the list instead of sending an empty one').max(MAX_LISTED).optional()
);
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 08:00');

const MATCHES_EVERY = 'Only alerts that match every list given';
const filterOf = (tag: z.ZodType<string>, id: z.ZodType<string>) => z.strictObject({
  tags: list(tag).describe('Monitors with any of these tags'),
  group_ids: list(id).describe('Monitors in these groups or their subgroups'),
  monitor_ids: list(id),
  severities: list(z.enum(SEVERITIES)),
}).describe(MATCHES_EVERY);

/** In a document, a filter has names. */
export const namedFilter = z.strictObject({
  tags: list(singleLineText(50)).describe('Monitors with any of these tags'),
  groups: list(singleLineText(100)).describe('Names of groups; monitors in these groups or their subgroups'),
  monitors: list(singleLineText(255)).describe('Names of monitors'),
  severities: list(z.enum(SEVERITIES)),
}).describe(MATCHES_EVERY);

const hoursOf = (timezone: z.ZodType<string>) => z.strictObject({
  timezone,
  days: z.array(z.int().min(1).max(7)).min(1, 'At least one day is required').max(7)
    .describe('1 is Monday, 7 is Sunday'),
  from: timeOfDay,
  to: timeOfDay.describe('Before `from` if the hours run past midnight'),
  outside: z.enum(['hold', 'drop'])
    .describe('`hold`: sent at the next opening if the monitor is still down. `drop`: not sent'),
}).describe('When alerts may be sent. Recoveries wait for the next opening');

/** Of requests. Null removes a condition. */
export const conditionInputs = {
  filter: filterOf(singleLineText(50), uuidParam).nullable().optional(),
  hours: hoursOf(timeZoneInput)
    .refine(({ from, to }) => from !== to, { path: ['to'], message: 'Must differ from the start' })
    .nullable().optional(),
  delay_minutes: z.int().min(0).max(MAX_MINUTES).nullable().optional()
    .describe('Outages are sent only if they are still open and unacknowledged after this time'),
  reminder_minutes: z.int().min(5).max(MAX_MINUTES).nullable().optional()
    .describe('Outages are sent again at this interval while they are open and unacknowledged, at most 50 times'),
  grouping: z.enum(GROUPINGS).nullable().optional()
    .describe('`auto`: one alert for outages that have a cause in common. `off`: one for each monitor. '
      + 'Default: `off` for webhooks, PagerDuty and Alertmanager, else `auto`'),
};

/** Of responses: null if unset. */
export const conditionViews = {
  filter: filterOf(z.string(), z.string()).nullable(), hours: hoursOf(z.string()).nullable(),
  delay_minutes: z.int().nullable(), reminder_minutes: z.int().nullable(),
  grouping: z.enum(GROUPINGS),
};

/** What a filter needs to know of an alert. */
export interface FilteredAlert {
  /** Null for an alert about a probe. */
  monitorId: string | null;
  tags: string[];
  /** The monitor's group and the groups above it. */
  groupIds: string[];
  severity: Severity;
}

export function matchesFilter(filter: AlertFilter | null | undefined, alert: FilteredAlert): boolean {
  if (!filter) return true;
  const { tags, group_ids, monitor_ids, severities } = filter;
  return (tags === undefined || tags.some((tag) => alert.tags.includes(tag)))
    && (group_ids === undefined || group_ids.some((id) => alert.groupIds.includes(id)))
    && (monitor_ids === undefined || (alert.monitorId !== null && monitor_ids.includes(alert.monitorId)))
    && (severities === undefined || severities.includes(alert.severity));
}
