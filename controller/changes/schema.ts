import { z } from 'zod';
import { queryInt, singleLineText, uuidParam } from '../http/input/validation.ts';
import { namedTags } from '../monitors/schema.ts';
import { CHANGE_KINDS } from './change.ts';

/** Maximum monitors per marker. */
const MAX_MONITORS = 100;
const MAX_PAGE = 200;

export const changesQuery = z.strictObject({
  limit: queryInt({ min: 1, max: MAX_PAGE, fallback: 50 }),
  before: z.string().regex(/^\d{1,15}$/, 'Must be Unix milliseconds').transform(Number).optional()
    .meta({ type: 'integer', minimum: 0 }).describe('Only changes before this time, Unix ms.'),
});
export type ChangesQuery = z.output<typeof changesQuery>;

export const markerInput = z.strictObject({
  text: singleLineText(200).describe('For example, the deployed version'),
  monitor_ids: z.array(uuidParam).min(1, 'At least one monitor is required').max(MAX_MONITORS)
    .transform((ids) => [...new Set(ids)]).optional().describe('Monitors that the marker is about'),
  tags: namedTags.optional().describe('The marker is about all monitors with one of these tags'),
  at: z.int().min(0).optional()
    .describe('Unix ms, at most 30 days ago and 5 minutes ahead. Default: now.'),
});
export type MarkerInput = z.output<typeof markerInput>;

const values = z.array(z.string());
const at = z.int().describe('Unix ms');

export const changeView = z.strictObject({
  at,
  regions: values.describe('Regions that saw it, in that order; empty for a marker'),
  kind: z.enum(CHANGE_KINDS),
  before: values.describe('What the first region saw before'),
  after: values.describe('What it saw then, or the text of the marker'),
}).meta({ id: 'Change' });

export const markerView = z.strictObject({
  id: z.string().meta({ format: 'uuid' }),
  text: z.string(),
  at,
  monitor_ids: values,
  tags: values,
}).meta({ id: 'Marker' });
