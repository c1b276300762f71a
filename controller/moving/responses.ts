import { z } from 'zod';

const reportItem = z.strictObject({
  name: z.string(),
  result: z.enum(['full', 'partial', 'skipped'])
    .describe('`partial`: the document has it, without what the notes say. `skipped`: the document lacks it.'),
  notes: z.array(z.string()),
});
export type ReportItem = z.input<typeof reportItem>;

const report = z.strictObject({
  full: z.int(), partial: z.int(), skipped: z.int(),
  items: z.array(reportItem).describe('Every item of the file.'),
});
export type ConversionReport = z.input<typeof report>;

const anyObject = z.record(z.string(), z.unknown());
export const convertResponse = z.strictObject({
  document: z.strictObject({
    version: z.literal(1), groups: z.array(anyObject), monitors: z.array(anyObject), status_pages: z.array(anyObject),
  }).describe('What `POST /api/import` accepts, with the credentials of the file.'),
  report,
});
