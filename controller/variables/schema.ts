import { z } from 'zod';
import { isoTime } from '../../shared/time.ts';
import { managedBy } from '../access/managed.ts';
import { characters, readOnlyFields, uuidParam } from '../http/input/validation.ts';
import { VARIABLE_NAME } from '../monitors/settings/placeholders.ts';
import { KEEPS_STORED_VALUE } from '../monitors/settings/sent-settings.ts';
import type { VariableDoc } from '../monitors/variable.ts';

export const projectParams = z.strictObject({ projectId: uuidParam });
export const variableParams = projectParams.extend({ id: uuidParam });

const variableName = z.string()
  .regex(VARIABLE_NAME, 'Must be 1 to 64 lower-case letters, digits and underscores, and start with a letter');
const variableValue = characters(4096, 'Value must be at most 4096 characters');

const fields = {
  name: variableName,
  value: variableValue,
  is_secret: z.boolean().describe('The value is encrypted in the database and never returned. Default: false.'),
};
const readOnly = readOnlyFields('id', 'monitor_count', 'monitors', 'managed_by', 'created_at', 'updated_at');

export const variableInput = z.strictObject({
  ...readOnly, ...fields, is_secret: fields.is_secret.optional(),
});
export type VariableInput = z.infer<typeof variableInput>;

export const variableChangeInput = z.strictObject({
  ...readOnly,
  name: fields.name.optional().describe('Only while no monitor uses the variable.'),
  value: fields.value.nullable().optional()
    .describe(`Of a secret: null keeps the stored value, and ${KEEPS_STORED_VALUE}`),
  is_secret: fields.is_secret.optional().describe('To make a secret readable, send its value with it.'),
});
export type VariableChangeInput = z.infer<typeof variableChangeInput>;

/** In an import. A missing field keeps its value. */
export const variableItem = z.strictObject({
  name: variableName,
  value: variableValue.optional()
    .describe(`Required if it is new. Of a secret, ${KEEPS_STORED_VALUE}`),
  is_secret: fields.is_secret.optional(),
});
export type VariableItem = z.infer<typeof variableItem>;

const id = z.uuid();
const time = z.iso.datetime();
const variableView = z.strictObject({
  id, name: z.string(), value: z.string().nullable().describe('Null for a secret.'), is_secret: z.boolean(),
  managed_by: managedBy, created_at: time, updated_at: time,
});

/** Never contains the value of a secret. */
export function viewVariable(
  { _id, name, value, is_secret, managed_by = null, created_at, updated_at }: VariableDoc,
): z.infer<typeof variableView> {
  return {
    id: _id, name, value: is_secret ? null : value, is_secret, managed_by,
    created_at: isoTime(created_at), updated_at: isoTime(updated_at),
  };
}

const listedVariable = variableView.extend({
  monitor_count: z.int().describe('How many monitors use it.'),
  monitors: z.array(z.strictObject({ id, name: z.string() })).describe('The ten oldest of them.'),
}).meta({ id: 'Variable' });

export const variableListResponse = z.strictObject({ variables: z.array(listedVariable) });
export const variableResponse = z.strictObject({ variable: variableView });
