import { tenantOf } from '../../access/tenant.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { validationError, type ValidationIssue } from '../../http/input/validation.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import type { VariableDoc } from '../../monitors/variable.ts';
import { faultsOfValues } from '../../monitors/variable-texts.ts';
import { changeMonitors } from '../../monitors/verbs/change-many.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { VariableStore } from '../store.ts';

export interface VariableDeps {
  variables: VariableStore;
  monitors: MonitorWriteDeps;
  /** Marks the monitors of changed variables now. Resolves when that is done. */
  onChanged(): Promise<void>;
}

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

/**
 * Marks the monitors of changed variables, so that probes receive their assignments again. Repeats what a
 * crash has interrupted. Resolves to true if it may have left some.
 */
export async function markMonitors(deps: VariableDeps, now: number): Promise<boolean> {
  const changed = await deps.variables.changed();
  for (const variable of changed) {
    const { changed_at: at = now } = variable;
    for await (const page of usersOf(deps, variable)) {
      const ctx = { tenant: tenantOf(variable), now };
      await changeMonitors(deps.monitors, ctx, page, ({ status, variables_changed_at: before = 0 }) =>
        (status === 'active' && before < at ? { variables_changed_at: at } : null));
    }
    await deps.variables.clearChanged(variable);
  }
  return changed.length > 0;
}

/**
 * Throws VALIDATION_ERROR with the names of monitors that the value makes invalid. `all` are the variables of
 * the project. Ignores monitors in `skipped`.
 */
export async function checkMonitors(
  deps: VariableDeps, next: VariableDoc, all: readonly VariableDoc[], skipped?: ReadonlySet<string>,
): Promise<void> {
  const variables = [next, ...all.filter(({ _id }) => _id !== next._id)];
  const lost = new Set(variables.filter(({ value }) => value === null).map(({ _id }) => _id));
  const issues: ValidationIssue[] = [];
  for await (const page of usersOf(deps, next)) {
    for (const monitor of page) {
      if (skipped?.has(monitor._id) || monitor.variable_ids?.some((id) => lost.has(id))) continue;
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

/** Throws CONFLICT with the names of monitors that use the variable. Ignores those in `skipped`. */
export async function refuseUsed(
  deps: VariableDeps, variable: VariableDoc, verb: string, skipped?: ReadonlySet<string>,
): Promise<void> {
  const users: { id: string; name: string }[] = [];
  for await (const page of usersOf(deps, variable)) {
    users.push(...page.filter(({ _id }) => !skipped?.has(_id)).map(({ _id: id, name }) => ({ id, name })));
    if (users.length >= MAX_NAMED) break;
  }
  if (users.length === 0) return;
  const monitors = users.slice(0, MAX_NAMED);
  const names = monitors.map(({ name }) => `"${name}"`).join(', ');
  const message = `The variable ${variable.name} cannot be ${verb} while monitors use it: ${names}`;
  throw new AppError('CONFLICT', message, { details: { monitors } });
}

/** In pages. */
async function* usersOf({ monitors }: VariableDeps, variable: VariableDoc): AsyncGenerator<MonitorDoc[]> {
  const tenant = tenantOf(variable);
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: MonitorDoc[] = await monitors.monitors.ofVariable(tenant, variable._id, after, PAGE_SIZE);
    if (page.length > 0) yield page;
    after = page[PAGE_SIZE - 1]?._id;
  }
}
