import { z } from 'zod';
import { SECTION_NAMES, SECTIONS } from './registry.ts';
import type { SectionName } from './section.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const parts = z.record(z.string(), z.union([scalar, z.array(scalar)]));
const anyValue = z.union([scalar, z.array(z.union([scalar, parts])), parts]);
export type AnyValue = z.input<typeof anyValue>;

const difference = z.strictObject({
  field: z.string().describe('Its name in an export; nested fields have names like `tcp_config.port`.'),
  before: anyValue.describe('Null if it is not set. Credentials are always `***`.'),
  after: anyValue,
});

const importedItem = z.strictObject({
  name: z.string(),
  action: z.enum(['create', 'update', 'delete', 'unchanged', 'conflict']),
  changes: z.array(z.string()).describe('Names of the fields that change.'),
  differences: z.array(difference).describe('The changed fields with their values.'),
  id: z.uuid().nullable().describe('Null if it does not exist yet.'),
  managed_by: z.string().optional().describe('The other owner, in a conflict.'),
});
export type ImportedItem = z.input<typeof importedItem>;

export const importResponse = z.strictObject({
  dry_run: z.boolean(),
  summary: z.strictObject({
    created: z.int(), updated: z.int(), unchanged: z.int(),
    deleted: z.int().optional().describe('Only with `prune`.'),
    conflicts: z.int().optional().describe('Only if there are any, in a dry run.'),
  }),
  ...bySection(() => z.array(importedItem)),
});

/** Omits the lists that the caller may not read. */
export type ExportedDocument = { version: 1 } & Partial<Record<SectionName, object[]>>;

/** The compiler cannot see which lists are optional. */
export const exportResponse = z.strictObject({
  version: z.literal(1),
  ...bySection((name) => {
    const list = z.array(SECTIONS[name].exported);
    const { isForAdmins, isInLastDocument } = SECTIONS[name];
    if (isForAdmins === 'both') return list.optional().describe('Only for project admins. Secrets are `***`.');
    return isInLastDocument === true ? list.describe('Only in the last document of a project that needs several.') : list;
  }),
}) as unknown as z.ZodType<ExportedDocument, ExportedDocument>;

function bySection<Schema extends z.ZodType>(schemaOf: (name: SectionName) => Schema) {
  const schemas = SECTION_NAMES.map((name) => [name, schemaOf(name)]);
  return Object.fromEntries(schemas) as Record<SectionName, Schema>;
}
