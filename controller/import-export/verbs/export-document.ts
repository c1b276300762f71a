import type { z } from 'zod';
import { seesCredentials } from '../../accounts/roles.ts';
import type { ProjectContext } from '../../http/route.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import { CHECK_TYPES, type TypeView } from '../../monitors/settings/registry.ts';
import type { exportAnswer, ExportedMonitor } from '../answers.ts';
import type { ConfigurationDeps } from '../deps.ts';
import { MOST_MONITORS } from '../schema.ts';
import { exportPages } from './export-pages.ts';

/**
 * The project's groups, its monitors from `offset` on and after them its pages, in the form that an import
 * takes; without credentials for somebody who may not see them.
 */
export async function exportDocument(
  deps: ConfigurationDeps, ctx: ProjectContext, offset: number,
): Promise<z.input<typeof exportAnswer>> {
  const groups = await deps.groups.listAll(ctx.tenant);
  const names = new Map(groups.map(({ _id, name }) => [_id, name]));
  const nameOf = (id: string | null | undefined) => names.get(id ?? '') ?? null;
  const isConcealed = !seesCredentials(ctx.role);
  const monitors = await deps.monitors.monitors.oldest(ctx.tenant, offset, MOST_MONITORS);
  return {
    version: 1,
    groups: groups.map(({ name, description, parent_group_id: parent }) =>
      ({ name, description, parent: nameOf(parent) })),
    monitors: monitors.map((doc) => exportMonitor(doc, nameOf(doc.group_id), isConcealed)),
    status_pages: monitors.length < MOST_MONITORS ? await exportPages(deps, ctx) : [],
  };
}

/**
 * Includes unset fields, so that an import clears them; a heartbeat's token is left out, as it lets anybody
 * ping.
 */
function exportMonitor(doc: MonitorDoc, group: string | null, isConcealed: boolean): ExportedMonitor {
  const view = CHECK_TYPES[doc.type].view(doc, isConcealed) as TypeView;
  const { port: _port, heartbeat_token: _token, last_heartbeat_at: _ping, ...settings } = view;
  const { name, type, target, interval_seconds, timeout_ms, status, http, ssl_monitoring } = doc;
  const { domain_monitoring, confirmation_policy, notification_target_ids, tags, monitoring_regions } = doc;
  return {
    name, type, ...(type === 'HEARTBEAT' ? {} : { target }), interval_seconds, timeout_ms, status, group,
    ...settings,
    ...(http && {
      slow_response_threshold_ms: http.slow_response_threshold_ms, auth: view.auth ?? null,
      body: http.body === null ? '' : view.body,
    }),
    ssl_monitoring, domain_monitoring, confirmation_policy, notification_target_ids, tags, monitoring_regions,
  };
}
