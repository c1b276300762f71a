import { newId } from '../../../shared/ids.ts';
import { ownedBy, type Tenant } from '../../access/tenant.ts';
import { AppError, notFound, valueTaken } from '../../errors/app-error.ts';
import { authorOf } from '../../http/routing/authorize.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import { CONCEALED, storedIfConcealed } from '../../monitors/settings/sent-settings.ts';
import { MAX_VARIABLES, type VariableDoc } from '../../monitors/variable.ts';
import { retryOnConflict } from '../../platform/mongo/mongo-errors.ts';
import type { VariableChangeInput, VariableInput } from '../schema.ts';
import type { VariableChange } from '../store.ts';
import { checkMonitors, refuseUsed, type VariableDeps } from './using-monitors.ts';

/** Throws VALIDATION_ERROR, DUPLICATE_NAME, FAIR_USE_LIMIT_REACHED. */
export async function createVariable(
  { variables }: VariableDeps, ctx: ProjectContext, input: VariableInput,
): Promise<VariableDoc> {
  const { tenant } = ctx;
  const doc = newVariable(ctx, input);
  if ((await variables.countOf(tenant)) >= MAX_VARIABLES) throw tooManyVariables();
  if (!(await variables.insertIfFree(doc))) throw nameTaken(doc.name);
  // Others may have created variables at the same time.
  if ((await variables.countOf(tenant)) <= MAX_VARIABLES) return doc;
  await variables.removeIfUnchanged(doc);
  throw tooManyVariables();
}

/** Throws VALIDATION_ERROR. */
export function newVariable({ tenant, now, actor }: ProjectContext, input: VariableInput): VariableDoc {
  const { name, is_secret = false } = input;
  const value = is_secret ? storedIfConcealed(input.value, null, ['value']) : input.value;
  return {
    _id: newId(now), ...ownedBy(tenant), name, value, is_secret, revision: 1, created_by: authorOf(actor),
    created_at: now, updated_at: now,
  };
}

/**
 * Throws RESOURCE_NOT_FOUND, DUPLICATE_NAME, VALIDATION_ERROR if the new value makes a monitor invalid, and
 * CONFLICT for a new name while monitors use the variable.
 */
export function changeVariable(
  deps: VariableDeps, ctx: ProjectContext, id: string, input: VariableChangeInput,
): Promise<VariableDoc> {
  return reviseVariable(deps, ctx, id, async (seen) => {
    const { name = seen.name } = input;
    const next = { name, ...settingsAfter(seen, input) };
    if (name !== seen.name) await refuseUsed(deps, seen, 'renamed');
    if (next.value !== seen.value) {
      await checkMonitors(deps, { ...seen, ...next }, await deps.variables.list(ctx.tenant));
    }
    return next;
  });
}

/**
 * Writes what `decide` returns, and decides again if the variable changed meanwhile. Throws
 * RESOURCE_NOT_FOUND, DUPLICATE_NAME, and the errors of `decide`.
 */
export async function reviseVariable(
  deps: VariableDeps, { tenant, now }: ProjectContext, id: string,
  decide: (seen: VariableDoc) => Promise<Omit<VariableChange, 'updated_at' | 'changed_at'>>,
): Promise<VariableDoc> {
  const changed = await retryOnConflict('The variable is', async () => {
    const seen = await loadVariable(deps, tenant, id);
    const next = await decide(seen);
    const { managed_by: owner = seen.managed_by ?? null } = next;
    const isSame = next.value === seen.value && next.is_secret === seen.is_secret;
    if (isSame && next.name === seen.name && owner === (seen.managed_by ?? null)) return seen;
    const change = { ...next, managed_by: owner, updated_at: now };
    const revised = await deps.variables.revise(seen, isSame ? change : { ...change, changed_at: now });
    if (revised === 'taken') throw nameTaken(next.name);
    return revised;
  });
  if (changed.changed_at !== undefined) await deps.onChanged();
  return changed;
}

/** Throws VALIDATION_ERROR. */
export function settingsAfter(
  seen: VariableDoc, { value: sent, is_secret = seen.is_secret }: VariableChangeInput,
): { value: string; is_secret: boolean } {
  const isKept = sent === undefined || sent === null || (seen.is_secret && sent === CONCEALED);
  if (!isKept) return { value: sent, is_secret };
  if (seen.is_secret && !is_secret) throw fieldError('value', 'Send the value with it to make a secret readable');
  if (seen.value === null) throw fieldError('value', 'The stored value can no longer be read; send it again');
  return { value: seen.value, is_secret };
}

/** Throws RESOURCE_NOT_FOUND, and CONFLICT if monitors use it. */
export async function deleteVariable(
  deps: VariableDeps, { tenant }: ProjectContext, id: string,
): Promise<void> {
  await retryOnConflict('The variable is', async () => {
    const seen = await loadVariable(deps, tenant, id);
    await refuseUsed(deps, seen, 'deleted');
    if (!(await deps.variables.removeIfUnchanged(seen))) return null;
    try {
      // Again for monitors saved before the deletion; later ones restore what they use.
      await refuseUsed(deps, seen, 'deleted');
    } catch (error) {
      await deps.variables.insertIfFree(seen);
      throw error;
    }
    return seen;
  });
}

async function loadVariable({ variables }: VariableDeps, tenant: Tenant, id: string): Promise<VariableDoc> {
  const found = await variables.find(tenant, id);
  if (found === null) throw notFound('Variable');
  return found;
}

export function nameTaken(name: string): AppError {
  return valueTaken('DUPLICATE_NAME', 'name', `The project already has a variable "${name}"`);
}

export function tooManyVariables(): AppError {
  const message = `A project can have at most ${MAX_VARIABLES} variables`;
  return new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_VARIABLES } });
}
