import { reachesProjectRole } from '../../access/tenant.ts';
import { newSettings } from '../../destinations/schema.ts';
import { rejectForbiddenAddress } from '../../destinations/verbs.ts';
import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { ConfigurationDeps } from '../../import-export/deps.ts';
import type { Converted } from '../conversion.ts';
import { note } from '../responses.ts';

/**
 * Leaves out the destinations that this caller cannot import, and monitors' references to them, unless the
 * project has destinations of these names.
 */
export async function fitDestinations(
  { destinations: deps }: Pick<ConfigurationDeps, 'destinations'>, ctx: ProjectContext, converted: Converted,
): Promise<void> {
  const { document, items, reported } = converted;
  const { integrations = [] } = document;
  const lost = new Set<string>();
  for (const [at, destination] of integrations.entries()) {
    const reason = reachesProjectRole(ctx.role, 'admin')
      ? await refusalOf(() => rejectForbiddenAddress(deps, ctx, newSettings(destination)))
      : 'Only project admins can import destinations.';
    if (reason === null) continue;
    lost.add(destination.name);
    note(items[reported.integrations[at] ?? -1], 'skipped', reason);
  }
  if (lost.size === 0) return;
  document.integrations = integrations.filter(({ name }) => !lost.has(name));
  for (const { name } of await deps.destinations.list(ctx.tenant)) lost.delete(name);
  for (const [at, monitor] of document.monitors.entries()) {
    const { destinations = [] } = monitor;
    const missing = destinations.filter((name) => lost.has(name));
    if (missing.length === 0) continue;
    monitor.destinations = destinations.filter((name) => !lost.has(name));
    note(items[reported.monitors[at] ?? -1], 'partial', `It does not alert ${missing.join(', ')}.`);
  }
}

/** The message of a VALIDATION_ERROR; null if there is none. */
async function refusalOf(validate: () => Promise<void>): Promise<string | null> {
  try {
    await validate();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.message.replace('Validation failed: ', '')}.`;
  }
}
