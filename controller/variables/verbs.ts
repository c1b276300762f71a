import { newId } from '../../shared/ids.ts';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { AppError, notFound, valueTaken } from '../errors/app-error.ts';
import { authorOf } from '../http/routing/authorize.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import { fieldError, validationError, type ValidationIssue } from '../http/input/validation.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import { CONCEALED, storedIfConcealed } from '../monitors/settings/sent-settings.ts';
import type { VariableDoc } from '../monitors/variable.ts';
import { faultsOfValues } from '../monitors/variable-texts.ts';
import { changeMonitors } from '../monitors/verbs/change-many.ts';
import { retryOnConflict } from '../platform/mongo/mongo-errors.ts';
import type { VariableDeps } from './deps.ts';
import type { VariableChangeInput, VariableInput } from './schema.ts';
import { MAX_VARIABLES, type VariableChange } from './store.ts';

/** Monitors named in a list or in an error message. */
const MAX_NAMED = 10;
const PAGE_SIZE = 500;

/** All variables of the project by name, with some of the monitors that use them. */
export async function listVariables({ variables, monitors }: VariableDeps, { tenant }: ProjectContext) {
  return Promise.all((await variables.list(tenant)).map(async (variable) => {
    const [users, count] = await Promise.all([
      monitors.monitors.ofVariable(tenant, variable._id, '', MAX_NAMED),
      monitors.monitors.countOfVariable(tenant, variable._id),
    ]);
    return { variable, users: users.map(({ _id: id, name }) => ({ id, name })), count };
  }));
}

/** Throws VALIDATION_ERROR, DUPLICATE_NAME, FAIR_USE_LIMIT_REACHED. */
export async function createVariable(
  { variables }: VariableDeps, { tenant, now, actor }: ProjectContext, input: VariableInput,
): Promise<VariableDoc> {
  const { name, is_secret = false } = input;
  const value = is_secret ? storedIfConcealed(input.value, null, ['value']) : input.value;
  const doc: VariableDoc = {
    _id: newId(now), ...ownedBy(tenant), name, value, is_secret, revision: 1, created_by: authorOf(actor),
    created_at: now, updated_at: now,
  };
  if ((await variables.countOf(tenant)) >= MAX_VARIABLES) throw limitReached();
  if (!(await variables.insertIfFree(doc))) throw nameTaken(name);
  // Others may have created variables at the same time.
  if ((await variables.countOf(tenant)) <= MAX_VARIABLES) return doc;
  await variables.removeIfUnchanged(doc);
  throw limitReached();
}

/**
 * Throws RESOURCE_NOT_FOUND, DUPLICATE_NAME, VALIDATION_ERROR if the new value makes a monitor invalid, and
 * CONFLICT for a new name while monitors use the variable.
 */
export async function changeVariable(
  deps: VariableDeps, ctx: ProjectContext, id: string, input: VariableChangeInput,
): Promise<VariableDoc> {
  const { variables } = deps;
  const { tenant, now } = ctx;
  const changed = await retryOnConflict('The variable is', async () => {
    const seen = await loadVariable(deps, tenant, id);
    const { name = seen.name, is_secret = seen.is_secret } = input;
    const value = valueAfter(seen, input);
    const isSame = value === seen.value && is_secret === seen.is_secret;
    if (isSame && name === seen.name) return seen;
    if (name !== seen.name) await refuseUsed(deps, seen, 'renamed');
    if (!isSame) await checkMonitors(deps, tenant, { ...seen, value });
    const change: VariableChange = { name, value, is_secret, updated_at: now };
    const revised = await variables.revise(seen, isSame ? change : { ...change, changed_at: now });
    if (revised === 'taken') throw nameTaken(name);
    return revised;
  });
  if (changed.changed_at !== undefined) await deps.onChanged();
  return changed;
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

/**
 * Marks the monitors of changed variables, so that probes receive their assignments again. Repeats what a
 * crash has interrupted.
 */
export async function markMonitors(deps: VariableDeps, now: number): Promise<boolean> {
  const changed = await deps.variables.changed();
  for (const variable of changed) {
    const tenant = tenantOf(variable);
    const { changed_at: at = now } = variable;
    for await (const page of pagesOf(deps, tenant, variable._id)) {
      const ctx = { tenant, now };
      await changeMonitors(deps.monitors, ctx, page, ({ status, variables_changed_at: before = 0 }) =>
        (status === 'active' && before < at ? { variables_changed_at: at } : null));
    }
    await deps.variables.clearChanged(variable);
  }
  return changed.length > 0;
}

async function loadVariable({ variables }: VariableDeps, tenant: Tenant, id: string): Promise<VariableDoc> {
  const found = await variables.find(tenant, id);
  if (found === null) throw notFound('Variable');
  return found;
}

function valueAfter(seen: VariableDoc, input: VariableChangeInput): string {
  const { value: sent, is_secret: isSecret = seen.is_secret } = input;
  const isKept = sent === undefined || sent === null || (seen.is_secret && sent === CONCEALED);
  if (!isKept) return isSecret ? storedIfConcealed(sent, seen.value, ['value']) : sent;
  if (seen.is_secret && !isSecret) throw fieldError('value', 'Send the value with it to make a secret readable');
  if (seen.value === null) throw fieldError('value', 'The stored value can no longer be read; send it again');
  return seen.value;
}

/** Throws VALIDATION_ERROR with the names of monitors that the value makes invalid. */
async function checkMonitors(deps: VariableDeps, tenant: Tenant, next: VariableDoc): Promise<void> {
  const others = (await deps.variables.list(tenant)).filter(({ _id }) => _id !== next._id);
  const variables = [next, ...others];
  const lost = new Set(others.filter(({ value }) => value === null).map(({ _id }) => _id));
  const issues: ValidationIssue[] = [];
  for await (const page of pagesOf(deps, tenant, next._id)) {
    for (const monitor of page) {
      if (monitor.variable_ids?.some((id) => lost.has(id))) continue;
      const [fault] = faultsOfValues(monitor.type, monitor, variables);
      if (fault) issues.push({ code: 'custom', path: ['value'], message: faultOf(monitor, fault) });
    }
    if (issues.length >= MAX_NAMED) break;
  }
  if (issues.length > 0) throw validationError(issues.slice(0, MAX_NAMED));
}

function faultOf({ name }: MonitorDoc, { path, message }: ValidationIssue): string {
  return `In the monitor "${name}", ${path.join('.')}: ${message}`;
}

/** Throws CONFLICT with the names of monitors that use the variable. */
async function refuseUsed({ monitors }: VariableDeps, variable: VariableDoc, verb: string): Promise<void> {
  const users = await monitors.monitors.ofVariable(tenantOf(variable), variable._id, '', MAX_NAMED);
  if (users.length === 0) return;
  const names = users.map(({ name }) => `"${name}"`).join(', ');
  const message = `The variable cannot be ${verb} while monitors use it: ${names}`;
  throw new AppError('CONFLICT', message, { details: { monitors: users.map(({ _id: id, name }) => ({ id, name })) } });
}

async function* pagesOf(deps: VariableDeps, tenant: Tenant, id: string): AsyncGenerator<MonitorDoc[]> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: MonitorDoc[] = await deps.monitors.monitors.ofVariable(tenant, id, after, PAGE_SIZE);
    if (page.length > 0) yield page;
    after = page[PAGE_SIZE - 1]?._id;
  }
}

function tenantOf({ organization_id: organizationId, project_id: projectId }: VariableDoc): Tenant {
  return { organizationId, projectId };
}

function nameTaken(name: string): AppError {
  return valueTaken('DUPLICATE_NAME', 'name', `The project already has a variable "${name}"`);
}

function limitReached(): AppError {
  const message = `A project can have at most ${MAX_VARIABLES} variables`;
  return new AppError('FAIR_USE_LIMIT_REACHED', message, { details: { limit: MAX_VARIABLES } });
}
