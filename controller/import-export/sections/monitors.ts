import { z } from 'zod';
import { canSeeCredentials } from '../../access/tenant.ts';
import { refuseCycle } from '../../monitors/dependencies/refuse-cycles.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import { allSettings } from '../../monitors/responses.ts';
import { changeMonitors } from '../../monitors/verbs/change-many.ts';
import { monitorLimitReached } from '../../monitors/verbs/write-monitor.ts';
import { viewSettings } from '../../monitors/views.ts';
import { countEqual } from '../match-by-name.ts';
import { findByNames } from '../monitor-names.ts';
import { MAX_MONITORS, type MonitorItem } from '../schema.ts';
import { defineSection, type Scope, type Selection } from '../section.ts';
import { grantSlugs, grantTokens } from './heartbeat-tokens.ts';
import {
  comparedFields, memoizedLookups, newDependencies, settingsAfter, viewMonitor, type NextMonitor,
} from './monitor-settings.ts';
import { checkUses } from './variables.ts';
import { writeMonitors } from './write-monitors.ts';

/** Monitors planned before the event loop gets a turn. */
const MONITORS_PER_TURN = 100;
/** Monitors removed at once. */
const BATCH_SIZE = 500;

const { notification_target_ids: _ids, ...settings } = allSettings;
const exported = z.strictObject({
  group: z.string().nullable(), ...settings,
  depends_on: z.array(z.string()).describe('Names of monitors.'),
  destinations: z.array(z.string()).describe('Names of integrations.'),
});

export const monitors = defineSection<MonitorItem, MonitorDoc, NextMonitor>({
  noun: 'monitor', exported,
  nameOf: ({ name }) => name,
  targetOf: ({ type, target }) => (type === 'HEARTBEAT' ? undefined : target),
  load: loadMonitors,
  similarity: (item, doc) => {
    const isSameTarget = doc.heartbeat === null
      ? doc.target === item.target : doc.heartbeat.token === item.heartbeat_token;
    return 10_000 * Number(item.type === doc.type) + 100 * Number(isSameTarget)
      + countEqual(item, viewSettings(doc, {}, false));
  },
  monitorsIn: ({ depends_on = [] }) => depends_on,
  monitorsOf: ({ depends_on }) => depends_on,
  plan: async (scope, matched, rest) => {
    const { deps, ctx, names, faults } = scope;
    const tokens = await grantTokens(deps.monitors.monitors, matched, rest);
    const slugs = await grantSlugs(deps.monitors.monitors, ctx.tenant, matched, rest);
    const lookups = memoizedLookups(deps.monitors, names);
    const planned: (NextMonitor | null)[] = [];
    for (const [place, one] of matched.entries()) {
      if (place % MONITORS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      const granted = { token: tokens[place] ?? null, slug: slugs[place] ?? null };
      const plan = () => settingsAfter(scope, lookups, one, granted);
      planned.push(await faults.collect(['monitors', one.at], plan));
    }
    return planned;
  },
  check: async (scope, planned, { removed }) => {
    const { deps: { monitors: deps }, ctx } = scope;
    const written = [...planned.map(({ id }) => id), ...removed.map(({ _id }) => _id)];
    await checkUses(scope, new Set(written));
    await refuseCycle(deps, ctx.tenant, newDependencies(planned));
    const added = planned.filter(({ current }) => current === null).length;
    if (added === 0) return;
    // The reservation catches monitors created meanwhile.
    const { organizationId } = ctx.tenant;
    const [{ monitors: limit }, { monitors: usage }] = await Promise.all([
      deps.quota.limitsOf(organizationId), deps.quota.usageOf(organizationId),
    ]);
    if (usage + added - removed.length > limit) throw monitorLimitReached(limit, usage);
  },
  view: viewMonitor,
  comparedFields,
  isConcealedFrom: (role) => !canSeeCredentials(role),
  write: writeMonitors,
  remove: async ({ deps: { monitors: deps }, ctx }, docs) => {
    for (let at = 0; at < docs.length; at += BATCH_SIZE) {
      await changeMonitors(deps, ctx, docs.slice(at, at + BATCH_SIZE), () => ({ deleted_at: ctx.now }));
    }
  },
});

/** Of an import, those with the names in the document, and all that it may remove. */
async function loadMonitors(scope: Scope, selection: Selection): Promise<MonitorDoc[]> {
  const { deps: { monitors: { monitors: store } }, ctx: { tenant } } = scope;
  if ('offset' in selection) return store.oldest(tenant, selection.offset, MAX_MONITORS);
  const { names, prunedOwner } = selection;
  const removable = prunedOwner === null ? [] : await store.managedBy(tenant, prunedOwner);
  const byId = new Map([...removable, ...await findByNames(scope, names)].map((doc) => [doc._id, doc]));
  return [...byId.values()].sort((one, other) => (
    one.created_at - other.created_at || (one._id < other._id ? -1 : 1)
  ));
}
