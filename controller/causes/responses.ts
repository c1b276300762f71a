import { z } from 'zod';
import { queryInt } from '../http/input/validation.ts';
import { FEATURE_KINDS } from '../verdicts/features/feature-rules.ts';

/** Bounds the number of documents that the database must skip. */
const MAX_PAGE = 10_000;

export const causeListQuery = z.strictObject({
  status: z.enum(['open', 'ended']).optional(),
  page: queryInt({ min: 1, max: MAX_PAGE, fallback: 1 }),
  limit: queryInt({ min: 1, max: 100, fallback: 20 }),
});

const instant = z.string().meta({ format: 'date-time' });
const uuids = z.array(z.string().meta({ format: 'uuid' }));

export const causeView = z.strictObject({
  id: z.string().meta({ format: 'uuid' }),
  kind: z.enum(FEATURE_KINDS).describe('What the monitors have in common'),
  value: z.string().describe('An address, a network, a DNS server, the fingerprint of a certificate, or the id '
    + 'of a region, a group or the monitor that the others depend on'),
  monitor_ids: uuids.describe('Monitors of this project with an incident of it'),
  incident_ids: uuids.describe('Incidents of this project, in the order in which they began'),
  started_at: instant.describe('When the first of its incidents began'),
  ended_at: instant.nullable().describe('When the last of its incidents ended; null while one has not'),
}).meta({ id: 'Cause' });
