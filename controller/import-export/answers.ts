import { z } from 'zod';
import { exportedMonitor } from '../monitors/exported.ts';

const importedItem = z.strictObject({
  name: z.string(),
  action: z.enum(['create', 'update', 'unchanged']),
  changes: z.array(z.string()).describe('Names of the fields that change.'),
  id: z.uuid().nullable().describe('Null if it does not exist yet.'),
});

export const importAnswer = z.strictObject({
  dry_run: z.boolean(),
  summary: z.strictObject({ created: z.int(), updated: z.int(), unchanged: z.int() }),
  groups: z.array(importedItem),
  monitors: z.array(importedItem),
});

export const exportAnswer = z.strictObject({
  version: z.literal(1),
  groups: z.array(z.strictObject({ name: z.string(), description: z.string(), parent: z.string().nullable() })),
  monitors: z.array(exportedMonitor),
});
