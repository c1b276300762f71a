import { z } from 'zod';
import { fieldError } from '../../http/input/validation.ts';
import { CONCEALED } from '../../monitors/settings/sent-settings.ts';
import { MAX_VARIABLES, type VariableDoc } from '../../monitors/variable.ts';
import type { VariableItem } from '../../variables/schema.ts';
import { checkMonitors, refuseUsed } from '../../variables/verbs/using-monitors.ts';
import {
  nameTaken, newVariable, reviseVariable, settingsAfter, tooManyVariables,
} from '../../variables/verbs/write-variable.ts';
import { defineSection, type ImportScope } from '../section.ts';

type Settings = Pick<VariableDoc, 'value' | 'is_secret'>;

export const variables = defineSection<VariableItem, VariableDoc, Settings>({
  noun: 'variable',
  exported: z.strictObject({
    name: z.string(), value: z.string().describe('`***` for a secret.'), is_secret: z.boolean(),
  }),
  nameOf: ({ name }) => name,
  load: async ({ deps, ctx }) => (await deps.variables.variables.list(ctx.tenant))
    .sort((one, other) => one.created_at - other.created_at),
  plan: async (scope, matched, { others, removed }) => {
    const { ctx, faults } = scope;
    const listed = new Set<string>();
    const planned: (Settings | null)[] = [];
    scope.variables = { after: [...others], changed: [], removed };
    for (const { item, at, current, id } of matched) {
      if (listed.has(item.name)) faults.add(['variables', at, 'name'], 'Listed twice');
      listed.add(item.name);
      const next = await faults.collect(['variables', at], () => {
        if (current === null) return newVariable(ctx, complete(item));
        return { ...current, ...settingsAfter(current, item) };
      });
      planned.push(next && { value: next.value, is_secret: next.is_secret });
      if (next === null) continue;
      const doc = { ...next, _id: id };
      scope.variables.after.push(doc);
      if (current !== null && current.value !== doc.value) scope.variables.changed.push({ at, doc });
    }
    return planned;
  },
  check: async (_scope, planned, { others }) => {
    if (others.length + planned.length > MAX_VARIABLES) throw tooManyVariables();
  },
  view: ({ name, value, is_secret }) => ({ name, value: is_secret ? CONCEALED : (value ?? ''), is_secret }),
  comparedFields: ({ value, is_secret }, isConcealed) =>
    ({ value: is_secret && isConcealed ? CONCEALED : (value ?? '') }),
  write: async ({ deps: { variables: deps }, ctx, owner }, planned) => {
    for (const { id: _id, item, current, next, differences } of planned) {
      if (current === null) {
        const doc = { ...newVariable(ctx, complete(item)), _id, managed_by: owner };
        if (!(await deps.variables.insertIfFree(doc))) throw nameTaken(doc.name);
      } else if (differences.length > 0) {
        await reviseVariable(deps, ctx, _id, async ({ name, ...seen }) => (
          { ...next, name, managed_by: owner ?? seen.managed_by ?? null }
        ));
      }
    }
  },
  // Whether they are used was checked: monitors of the document may still use them, as they are before it.
  remove: async ({ deps }, docs) => {
    for (const doc of docs) await deps.variables.variables.removeIfUnchanged(doc);
  },
});

/** Throws VALIDATION_ERROR. */
function complete({ value, ...item }: VariableItem) {
  if (value === undefined) throw fieldError('value', 'Required');
  return { value, ...item };
}

/**
 * Throws VALIDATION_ERROR if a new value makes a monitor invalid that the import leaves as it is, and
 * CONFLICT if one uses a variable that it removes. `written` are the other monitors.
 */
export async function checkUses(scope: ImportScope, written: ReadonlySet<string>): Promise<void> {
  const { deps: { variables: deps }, faults, variables: { after, changed, removed } } = scope;
  for (const { at, doc } of changed) {
    await faults.collect(['variables', at], () => checkMonitors(deps, doc, after, written));
  }
  faults.throwIfAny();
  for (const doc of removed) await refuseUsed(deps, doc, 'deleted', written);
}
