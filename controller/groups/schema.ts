import { z } from 'zod';
import { readOnlyFields, UUID, uuidParam, characters, singleLineText } from '../http/input/validation.ts';

const optionalFields = {
  description: characters(500, 'Must be at most 500 characters').nullable().optional(),
  parent_group_id: uuidParam.nullable().optional().describe('Null for a top-level group.'),
};

export const groupInput = z.strictObject({
  ...readOnlyFields(
    'id', 'organization_id', 'project_id', 'created_by', 'created_at', 'updated_at', 'check_count',
    'monitors', 'children', 'path', 'managed_by',
  ),
  name: singleLineText(100).describe('Unique in the project, regardless of the parent; case-sensitive.'),
  ...optionalFields,
});
export type GroupInput = z.infer<typeof groupInput>;

export const groupChangeInput = groupInput.partial();
export type GroupChangeInput = z.infer<typeof groupChangeInput>;

/** Parsed as text, because each invalid value has its own error code. */
export const groupListQuery = z.strictObject({
  page: z.string().default('1').meta({ type: 'integer', minimum: 1 }),
  limit: z.string().default('10').meta({ type: 'integer', minimum: 1, maximum: 100 }),
});
export type GroupListInput = z.infer<typeof groupListQuery>;

/** Per request. */
const MAX_ASSIGNED_MONITORS = 1000;

export const assignInput = z.strictObject({
  monitor_ids: z.array(uuidParam).min(1).max(MAX_ASSIGNED_MONITORS).transform((ids) => [...new Set(ids)]),
});

const required = 'Target group ID is required';
export const moveInput = z.strictObject({
  target_group_id: z.string({ error: required }).min(1, required).pipe(uuidParam)
    .meta({ format: 'uuid', pattern: UUID.source }),
});

export const bulkDeleteInput = z.strictObject({ confirm: z.boolean().optional().describe('Must be true.') });
