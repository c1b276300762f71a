import type { ShardMap } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import type { Tenant } from '../access/tenant.ts';
import type { DestinationDeps } from '../destinations/verbs.ts';
import { rejectUnknownTargets } from '../destinations/verbs.ts';
import { AppError } from '../errors/app-error.ts';
import type { ProjectContext } from '../http/routing/route.ts';
import { fieldError } from '../http/input/validation.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import { DAY_MS } from '../verdicts/time-accounting/time-accounting-rules.ts';
import type { FairQueue } from '../work/fair-queue.ts';
import { missedOutages } from './outage-rules.ts';
import { readFacts, type FactReaders } from './read-facts.ts';
import { playAlerts, replayMonitors, type ResultReader } from './rehearsal.ts';
import { MAX_DAYS, MAX_MONITORS, type RehearsalInput } from './schema.ts';
import { Turns } from './turns.ts';

export interface RehearsalDeps extends FactReaders {
  monitors: {
    /** As `MonitorStore.ofProject`. */
    ofProject(tenant: Tenant, ids: string[] | null, limit: number): Promise<MonitorDoc[]>;
  };
  results: ResultReader;
  targets: DestinationDeps['targets'];
  /** For a group, its id and those of the groups above it. */
  groupPaths(tenant: Tenant): Promise<(groupId: string) => string[]>;
  /** Queue for rehearsals; organizations take turns. */
  turns: Pick<FairQueue, 'run'>;
  shardMap: ShardMap;
  clock: Clock;
}

/** Replayed before the time range, to know outages and flapping at its start. */
const WARM_UP_MS = 3 * 3_600_000;

/**
 * Replays stored results with other alert settings and with the current ones. Throws VALIDATION_ERROR if the
 * time range is too long or there are too many monitors or outages; MONITOR_NOT_FOUND, RESOURCE_NOT_FOUND.
 */
export async function simulateAlerts(deps: RehearsalDeps, ctx: ProjectContext, input: RehearsalInput) {
  const { from } = input;
  const to = Math.min(input.to ?? ctx.now, ctx.now);
  if (from >= to) throw fieldError('from', 'Must be in the past and before `to`');
  if ((input.to ?? to) - from > MAX_DAYS * DAY_MS) {
    throw fieldError('from', `Must be at most ${MAX_DAYS} days before \`to\``);
  }
  await rejectUnknownTargets(deps, ctx, input.destination?.filter);
  const docs = await findMonitors(deps, ctx, input.monitor_ids);
  return deps.turns.run(ctx.tenant.organizationId, () => rehearse(deps, ctx, docs, { ...input, to }));
}

interface FoundMonitors {
  /** Monitors whose alerts are replayed. */
  alerted: MonitorDoc[];
  /** Other monitors that they depend on. */
  dependencies: MonitorDoc[];
}

async function findMonitors(
  { monitors }: RehearsalDeps, { tenant }: ProjectContext, ids: string[] | undefined,
): Promise<FoundMonitors> {
  const alerted = await monitors.ofProject(tenant, ids ?? null, MAX_MONITORS + 1);
  const known = new Set(alerted.map(({ _id }) => _id));
  if (ids?.some((id) => !known.has(id))) throw new AppError('MONITOR_NOT_FOUND', 'Monitor not found');
  const named = new Set(alerted.flatMap(({ depends_on }) => depends_on));
  const others = [...named].filter((id) => !known.has(id));
  if (known.size + others.length > MAX_MONITORS) {
    const message = `Choose at most ${MAX_MONITORS} monitors, including those that they depend on`;
    throw fieldError('monitor_ids', message);
  }
  const dependencies = others.length === 0 ? [] : await monitors.ofProject(tenant, others, MAX_MONITORS);
  return { alerted, dependencies };
}

async function rehearse(
  deps: RehearsalDeps, ctx: ProjectContext, { alerted, dependencies }: FoundMonitors,
  input: RehearsalInput & { to: number },
) {
  const { from, to, confirmation_policy: policy, destination } = input;
  const { grouping, depends_on: heedsDependencies = true } = input;
  const { tenant, isClientGone = () => false } = ctx;
  const turns = new Turns(deps.clock, isClientGone);
  const docs = [...alerted, ...dependencies];
  const span = { from: from - WARM_UP_MS, to };
  const { monitors, others, population } = await readFacts(deps, tenant, docs, span);
  const ids = new Set(alerted.map(({ _id }) => _id));
  const options = { span, turns, policy, changedIds: ids };
  const { today, changed } = await replayMonitors(deps.results, monitors, options);
  const pathOf = destination?.filter ? await deps.groupPaths(tenant) : () => [];
  const byId = new Map(docs.map((doc) => [doc._id, doc]));
  const stage = {
    tenant, population, shardMap: deps.shardMap, monitors: byId, alerted: ids, others, to, turns,
    groupingOf: async (id: string) => {
      const doc = byId.get(id);
      return doc ? { tags: doc.tags, groupIds: pathOf(doc.group_id ?? '') } : null;
    },
  };
  const actual = await playAlerts(today, { ...stage, conditions: {}, heedsDependencies: true });
  const isToday = changed === today && heedsDependencies && !destination && (grouping ?? 'off') === 'off';
  const conditions = { ...destination, grouping: grouping ?? 'off' } as const;
  const simulated = isToday ? actual : await playAlerts(changed, { ...stage, conditions, heedsDependencies });
  const shown = ({ messages }: typeof actual) => messages.filter(({ at }) => at >= from && at <= to)
    // Probes report fractions of a millisecond.
    .map(({ at, monitor_id, cause_id, kind }) => ({ at: Math.round(at), monitor_id, cause_id, kind }));
  const missed = missedOutages(actual.notified, simulated.notified, { from, to }).map((one) => (
    { ...one, from: Math.round(one.from), to: Math.round(one.to) }
  ));
  return { alerts: shown(simulated), actual: shown(actual), missed };
}
