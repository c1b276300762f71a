import { z } from 'zod';
import { oneLine } from '../http/params.ts';
import { validateInTurns } from '../http/body/validate-in-turns.ts';
import { monitorInputs } from '../monitors/schema.ts';
import { MOST_GROUPS } from '../groups/group.ts';

/** Monitors of one document; a larger project is written in several. */
export const MOST_MONITORS = 10_000;

const groupName = oneLine(1, 100);
const groupItem = z.strictObject({
  name: groupName,
  description: z.string().max(500, 'Must be at most 500 characters').nullable().optional(),
  parent: groupName.nullable().optional().describe('Name of the parent group; null for a top-level group.'),
});
export type GroupItem = z.infer<typeof groupItem>;

/** The document itself, of what an export as JSON answers: that may be saved as it came. */
function unwrap(body: unknown): unknown {
  const isAnswer = typeof body === 'object' && body !== null && 'success' in body && body.success === true && 'data' in body;
  return isAnswer ? body.data : body;
}

function documentParts(minIntervalSeconds: number) {
  const monitorItem = monitorInputs(minIntervalSeconds).create.safeExtend({
    status: z.enum(['active', 'paused', 'disabled']).optional(),
    group: groupName.nullable().optional().describe('Name of its group; null for none.'),
  });
  const documentOf = <T extends z.ZodType>(item: T) => z.strictObject({
    version: z.literal(1).default(1),
    groups: z.array(groupItem).max(MOST_GROUPS, `At most ${MOST_GROUPS} groups are allowed`).default([]),
    monitors: z.array(item).max(MOST_MONITORS, `At most ${MOST_MONITORS} monitors are allowed; send the rest in another document`).default([]),
  });
  return { monitorItem, documentOf };
}

/** A document: what it does not say of a group or monitor stays as it is, and what it does not name is left alone. */
export function documentInput(minIntervalSeconds: number) {
  const { monitorItem, documentOf } = documentParts(minIntervalSeconds);
  return z.preprocess(unwrap, documentOf(monitorItem));
}
export type DocumentInput = z.infer<ReturnType<typeof documentInput>>;

/** Parses a document as `documentInput` does, with turns for others: thousands of monitors take a good part of a second. Throws VALIDATION_ERROR. */
export function documentParser(minIntervalSeconds: number): (sent: unknown) => Promise<DocumentInput> {
  const { monitorItem, documentOf } = documentParts(minIntervalSeconds);
  const schema = { frame: documentOf(z.unknown()), list: 'monitors', item: monitorItem };
  return async (sent) => (await validateInTurns(schema, unwrap(sent))) as DocumentInput;
}
export type MonitorItem = DocumentInput['monitors'][number];

export const importQuery = z.strictObject({
  dry_run: z.enum(['true', 'false']).default('false').transform((text) => text === 'true').describe('Only report the changes.'),
});

export const exportQuery = z.strictObject({
  format: z.enum(['json', 'yaml']).default('json').describe('`json`: in the usual envelope; `yaml`: only the document.'),
  offset: z.string().regex(/^\d{1,9}$/, 'Must be a whole number of at least 0').default('0').transform(Number).meta({ type: 'integer', minimum: 0, fallback: 0 })
    .describe(`Monitors to skip; one document has at most ${MOST_MONITORS}.`),
});
