import { z } from 'zod';
import { MONITOR_TYPES } from '../../../shared/contracts/check-spec.ts';
import { queryInt, UUID } from '../../http/input/validation.ts';
import { inMaintenance } from '../responses.ts';
import type { CreationPlace } from '../list/list-store.ts';

const unixMs = z.int();
const percent = z.number().min(0).max(100).nullable();
const ms = z.number().nullable();

const PARTS = ['hours', 'days'] as const;
/** Their days take 44,500 documents. */
const MAX_MONITORS_WITH_DAYS = 500;
/** Takes 3.7 kB in the URL. */
const MAX_IDS = 100;

/** Creation time, Unix ms, and id of the last monitor on the previous page. */
const CURSOR = /^\d{1,15}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function cursorOf({ created_at: at, _id }: CreationPlace): string {
  return `${at}.${_id}`;
}

function placeOf(cursor: string): CreationPlace {
  const [at, id = ''] = cursor.split('.');
  return { created_at: Number(at), _id: id };
}

const list = (text: string) => text.split(',').filter((part) => part !== '');

export const overviewQuery = z.strictObject({
  limit: queryInt({ min: 1, max: 5000, fallback: 1000 }),
  cursor: z.string().regex(CURSOR, 'Must be a cursor from a previous page').transform(placeOf).optional()
    .describe('`next_cursor` of the previous page.'),
  include: z.string().max(100).transform(list).pipe(z.array(z.enum(PARTS))).default([])
    .describe(`Comma-separated: ${PARTS.join(', ')}. With \`days\`, a page has at most ${MAX_MONITORS_WITH_DAYS} monitors.`),
  ids: z.string().max(4000).transform(list)
    .pipe(z.array(z.string().regex(UUID, 'Must be UUIDs').toLowerCase())
      .max(MAX_IDS, `At most ${MAX_IDS} monitors at once`)).optional()
    .describe('Comma-separated; return only these monitors.'),
}).refine(({ limit, include }) => !include.includes('days') || limit <= MAX_MONITORS_WITH_DAYS, {
  path: ['limit'], message: `Must be at most ${MAX_MONITORS_WITH_DAYS} when days are included`,
});
export type OverviewInput = z.output<typeof overviewQuery>;

export const monitorOverview = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  type: z.enum(MONITOR_TYPES),
  target: z.string(),
  status: z.enum(['active', 'paused', 'disabled']),
  runtimeStatus: z.enum(['up', 'down', 'degraded', 'paused', 'unknown']),
  since: unixMs.nullable().describe('When it entered its current state: up, down, degraded, unknown or paused.'),
  in_maintenance: inMaintenance,
  interval_seconds: z.int(),
  group_id: z.uuid().nullable(),
  tags: z.array(z.string()),
  created_at: unixMs,
  region_ids: z.array(z.string()).describe('Regions that check it.'),
  down_region_ids: z.array(z.string()).describe('Regions in which it is down.'),
  last_check_at: unixMs.nullable(),
  response_time_ms: ms.describe('Response time of the latest check that has one.'),
  incident: z.strictObject({
    id: z.uuid(), severity: z.enum(['critical', 'major', 'minor', 'warning']),
    status: z.enum(['open', 'acknowledged']), started_at: unixMs,
  }).nullable().describe('The open incident.'),
  uptime_24h: percent.optional().describe('Percent; with `hours`. Null if nothing was monitored, as below.'),
  hours: z.array(percent).optional()
    .describe('Uptime of each clock hour from `first_hour`, percent; the last hour is incomplete.'),
  response_times: z.array(ms).optional().describe('Mean response time of each of these hours, ms.'),
  uptime_30d: percent.optional().describe('Of the last 30 days (UTC), percent; with `days`.'),
  uptime_90d: percent.optional(),
  days: z.array(percent).optional()
    .describe('Uptime of each day (UTC) from `first_day`, percent; the last one is today.'),
}).meta({ id: 'MonitorOverview' });

export const overviewResponse = z.strictObject({
  monitors: z.array(monitorOverview).describe('Sorted by creation time.'),
  total_count: z.int().describe('All monitors of the project.'),
  next_cursor: z.string().nullable(),
  first_hour: unixMs,
  first_day: unixMs,
});
