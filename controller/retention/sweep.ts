import type { PlanLimits } from '../plans/plans.ts';
import type { AgedMonitor, AgedMonitors, AgedOrganizations, AgedResults, AgedThings, Stretch } from './ports.ts';
import { agedStretch, cutoffsOf, fateOf, isDue, type Cutoffs, type SweepState } from './rules.ts';

/** Monitors whose history is gone through with a few commands. */
export const PAGE = 50;
/** Of other things, removed by one command. */
const BATCH = 500;

export interface SweepDeps {
  monitors: AgedMonitors;
  results: AgedResults;
  things: AgedThings;
  organizations: AgedOrganizations;
  sweeps: { find(organizationId: string): Promise<SweepState | null>; save(organizationId: string, state: SweepState): Promise<void> };
  limitsOf(organizationId: string): Promise<Pick<PlanLimits, 'raw_results_days' | 'rollups_days'>>;
  /** Lets others work between two batches; false when it is time to stop. */
  breathe(): Promise<boolean>;
}

/**
 * Removes what an organization's plan no longer keeps, if that is due. After a crash the next call goes on where this
 * one stood; two that do it at once do no harm.
 */
export async function sweepOrganization(deps: SweepDeps, organizationId: string, now: number): Promise<void> {
  const target = cutoffsOf(await deps.limitsOf(organizationId), now);
  const state = await deps.sweeps.find(organizationId);
  if (!isDue(state, target, now)) return;
  const done = state?.done ?? null;
  let run = state?.run ?? { ...target, after: '' };
  for (;;) {
    const monitors = await deps.monitors.pageOfOrganization(organizationId, run.after, PAGE);
    await sweepMonitors(deps, monitors, { done, target: run, now });
    if (monitors.length < PAGE) break;
    run = { ...run, after: (monitors.at(-1) as AgedMonitor).monitor_id };
    await deps.sweeps.save(organizationId, { done, done_at: state?.done_at ?? 0, run });
    if (!(await deps.breathe())) return;
  }
  for (const projectId of await deps.organizations.projectsOf(organizationId)) {
    if (!(await inBatches(deps, () => deps.things.incidents({ organizationId, projectId }, run.rollups, BATCH)))) return;
  }
  if (!(await inBatches(deps, () => deps.things.auditEntries(organizationId, run.rollups, BATCH)))) return;
  await deps.sweeps.save(organizationId, { done: { raw: run.raw, rollups: run.rollups }, done_at: now, run: null });
}

/** Removes dead letters that are older than `before`. */
export async function sweepDeadLetters(deps: Pick<SweepDeps, 'things' | 'breathe'>, before: number): Promise<void> {
  await inBatches(deps, () => deps.things.deadLetters(before, BATCH));
}

async function sweepMonitors(deps: SweepDeps, monitors: AgedMonitor[], round: { done: Cutoffs | null; target: Cutoffs; now: number }): Promise<void> {
  const { done, target, now } = round;
  const fates = new Map(monitors.map((monitor) => [monitor, fateOf(monitor, target, now)]));
  const kept = monitors.filter((monitor) => fates.get(monitor) === 'kept');
  const gone = monitors.filter((monitor) => fates.get(monitor) !== 'kept').map((monitor) => monitor.monitor_id);
  const stretchesOf = (kind: keyof Cutoffs): Stretch[] =>
    kept.flatMap((monitor) => agedStretch(monitor, done?.[kind] ?? null, target[kind]) ?? []);
  await deps.results.forgetRollups(stretchesOf('rollups'));
  await deps.results.forgetResults(stretchesOf('raw'));
  await deps.results.forgetChanges(kept.map((monitor) => monitor.monitor_id), target.rollups);
  await deps.results.forgetMonitors(gone);
  await deps.monitors.purge(monitors.filter((monitor) => fates.get(monitor) === 'all_goes').map((monitor) => monitor.monitor_id));
}

/** False when it was time to stop before all was done. */
async function inBatches(deps: Pick<SweepDeps, 'breathe'>, removeSome: () => Promise<number>): Promise<boolean> {
  while ((await removeSome()) === BATCH) if (!(await deps.breathe())) return false;
  return true;
}
