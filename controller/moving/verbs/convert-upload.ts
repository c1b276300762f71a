import { reachesProjectRole } from '../../access/tenant.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import type { ConfigurationDeps } from '../../import-export/deps.ts';
import { ownersOf } from '../../import-export/sections/heartbeat-tokens.ts';
import { reportOf, TOKEN_REPLACED, type Converted } from '../conversion.ts';
import type { FileConverter } from '../file-converter.ts';
import { note, type ConvertResponse } from '../responses.ts';
import type { From } from '../schema.ts';
import { fitDestinations } from './fit-destinations.ts';

export interface MovingDeps extends ConfigurationDeps {
  converter: Pick<FileConverter, 'convert'>;
}

/**
 * Converts a file to a document that this caller can import into this installation. Stores nothing. Throws
 * VALIDATION_ERROR for a file that cannot be converted.
 */
export async function convertUpload(
  deps: MovingDeps, ctx: ProjectContext, from: From, bytes: Uint8Array,
): Promise<ConvertResponse> {
  const { quota, minIntervalSeconds } = deps.monitors;
  const { min_interval_seconds: planMinimum } = await quota.limitsOf(ctx.tenant.organizationId);
  const request = { from, bytes, minIntervalSeconds: Math.max(minIntervalSeconds, planMinimum) };
  const converted = await deps.converter.convert(request);
  await replaceTakenTokens(deps, ctx, converted);
  await fitDestinations(deps, ctx, converted);
  await fitPages(deps, ctx, converted);
  const document = converted.document as ConvertResponse['document'];
  return { document, report: reportOf(converted.items) };
}

/** An import again of the same file finds its tokens at its own monitors, and keeps them. */
async function replaceTakenTokens(
  deps: MovingDeps, { tenant }: ProjectContext, { document: { monitors }, items, reported }: Converted,
): Promise<void> {
  const tokens = monitors.flatMap(({ heartbeat_token: token }) => token ?? []);
  const owners = await ownersOf(deps.monitors.monitors, tokens);
  for (const [at, monitor] of monitors.entries()) {
    const owner = owners.get(monitor.heartbeat_token ?? '');
    const isOwn = owner?.project_id === tenant.projectId && owner.name === monitor.name;
    if (owner === undefined || isOwn) continue;
    delete monitor.heartbeat_token;
    note(items[reported.monitors[at] ?? -1], 'partial', TOKEN_REPLACED);
  }
}

/** Leaves out the pages of a caller who may not import them, and renames those whose subdomain is taken. */
async function fitPages(
  { pages: deps }: MovingDeps, ctx: ProjectContext, converted: Converted,
): Promise<void> {
  const { document, items, reported } = converted;
  const { status_pages: pages } = document;
  if (pages.length === 0) return;
  if (!reachesProjectRole(ctx.role, 'admin')) {
    for (const at of reported.status_pages) {
      note(items[at], 'skipped', 'Only project admins can import status pages.');
    }
    document.status_pages = [];
    moveWindows(converted, new Map(pages.map(({ subdomain = '' }) => [subdomain, null])));
    return;
  }
  const { organizationId, projectId } = ctx.tenant;
  const subdomains = pages.flatMap(({ subdomain }) => subdomain ?? []);
  const own = new Set((await deps.pages.list(ctx.tenant)).map(({ subdomain }) => subdomain));
  const [taken, reserved] = await Promise.all([
    deps.pages.takenOf(subdomains), deps.freed.reservedForOthers(subdomains, organizationId, ctx.now),
  ]);
  const renamed = new Map<string, string>();
  for (const [at, page] of pages.entries()) {
    const { subdomain = '' } = page;
    if (own.has(subdomain) || !(taken.has(subdomain) || reserved.includes(subdomain))) continue;
    // The same for each conversion, so that importing the result again finds the page.
    page.subdomain = `${subdomain.slice(0, 50)}-${projectId.slice(-8)}`;
    renamed.set(subdomain, page.subdomain);
    const text = `Its address ends with ${page.subdomain}, because ${subdomain} is taken.`;
    note(items[reported.status_pages[at] ?? -1], 'partial', text);
  }
  moveWindows(converted, renamed);
}

/** Renames the pages of maintenance windows; null removes one. */
function moveWindows({ document }: Converted, subdomains: ReadonlyMap<string, string | null>): void {
  for (const window of document.maintenance_windows ?? []) {
    window.status_pages = window.status_pages?.flatMap((one) => (
      subdomains.has(one) ? subdomains.get(one) ?? [] : one
    ));
  }
}
