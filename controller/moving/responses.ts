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

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const inner = z.record(z.string(), z.union([scalar, z.array(scalar)]));
const outer = z.record(z.string(), z.union([scalar, z.array(z.union([scalar, inner])), inner]));
/** Settings are nested like `dns_config.record_entries[].expected_values[]` at most. */
const item = z.record(z.string(), z.union([scalar, z.array(z.union([scalar, outer])), outer]));

export const convertResponse = z.strictObject({
  document: z.strictObject({
    version: z.literal(1), groups: z.array(item), monitors: z.array(item), status_pages: z.array(item),
    integrations: z.array(item).optional(), maintenance_windows: z.array(item).optional(),
  }).describe('What `POST /api/import` accepts, with the credentials of the file.'),
  report,
});
export type ConvertResponse = z.input<typeof convertResponse>;

export function note(item: ReportItem | undefined, result: ReportItem['result'], text: string): void {
  if (item === undefined) return;
  item.result = result;
  item.notes.push(text);
}
