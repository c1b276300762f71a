import { z } from 'zod';
import { instantInput, queryInt, uuidParam } from '../http/params.ts';
import { INCIDENT_SOURCES, INCIDENT_STATUSES, SEVERITIES } from './incident.ts';
import { NOTIFICATION_CHANNELS, NOTIFICATION_STATUSES } from './ports.ts';

/** Pages beyond this would make the database walk for nothing. */
const LAST_PAGE = 10_000;

export const incidentListQuery = z.strictObject({
  status: z.enum(INCIDENT_STATUSES).optional(),
  severity: z.enum(SEVERITIES).optional(),
  source: z.enum(INCIDENT_SOURCES).optional(),
  check_id: uuidParam.optional(),
  from: instantInput.describe('Started at this instant or later').optional(),
  to: instantInput.describe('Started before this instant').optional(),
  search: z.string().max(255).describe('Literal text in the title, the monitor\'s name or the error; ignores case').optional(),
  page: queryInt({ min: 1, max: LAST_PAGE, fallback: 1 }),
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
});

export const notificationListQuery = z.strictObject({
  status: z.enum(NOTIFICATION_STATUSES).optional(),
  channel: z.enum(NOTIFICATION_CHANNELS).optional(),
  page: queryInt({ min: 1, max: LAST_PAGE, fallback: 1 }),
  pageSize: queryInt({ min: 1, max: 100, fallback: 10 }),
});
