import type { Log } from '../../shared/log.ts';
import type { ShardMap } from '../../shared/ids.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import type { PlanLimits } from '../plans/plans.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import type {
  AgedDocuments, AgedMonitor, AgedMonitors, AgedRecords, AgedResults, Organizations,
} from './ports.ts';
import { agedRange, cutoffsOf, fateOf, isDue, type Cutoffs } from './rules.ts';
import type { SweepStore } from './store.ts';

interface SweeperDeps {
  organizations: Organizations;
  monitors: AgedMonitors;
  results: AgedResults;
  /** Kept as long as rollups. */
  records: AgedRecords[];
  documents: AgedDocuments;
  sweeps: SweepStore;
  limitsOf(organizationId: string): Promise<Pick<PlanLimits, 'raw_results_days' | 'rollups_days'>>;
  /** The controller that owns the shard of an organization's id sweeps the organization. */
  ownsShard(shard: number): boolean;
  shardMap: ShardMap;
  clock: Clock;
  log: Log;
}

/** A plan change takes effect within this time. */
const POLL_INTERVAL_MS = 600_000;
/** Pause between batches, to keep the load of a long sweep low. */
const BATCH_PAUSE_MS = 500;
const PAUSE_STEP_MS = 100;
const ORGANIZATIONS_PER_PAGE = 100;
const MONITORS_PER_BATCH = 50;
const DOCUMENTS_PER_BATCH = 500;
/** The same on every plan, because dead letters are for the operator. */
const DEAD_LETTER_RETENTION_MS = 30 * 86_400_000;
/** The owner of this shard sweeps data that belongs to no organization. */
const COMMON_SHARD = 0;

interface Sweep {
  done: Cutoffs | null;
  target: Cutoffs;
  now: number;
}

/** Periodically removes data that is older than its organization's plan allows. */
export class RetentionSweeper extends PeriodicTask {
  readonly #deps: SweeperDeps;
  #isStopped = false;

  constructor(deps: SweeperDeps) {
    super({
      clock: deps.clock,
      intervalMs: POLL_INTERVAL_MS,
      task: () => this.#sweepAll(),
      onError: (error) => deps.log.warn({ err: error }, 'could not remove expired data'),
    });
    this.#deps = deps;
  }

  /** Finishes the current batch. The next owner of the shard continues from there. */
  override stop(): Promise<void> {
    this.#isStopped = true;
    return super.stop();
  }

  async #sweepAll(): Promise<void> {
    const { organizations, documents, clock, log, ownsShard, shardMap } = this.#deps;
    const now = clock.now();
    if (ownsShard(COMMON_SHARD)) {
      const before = now - DEAD_LETTER_RETENTION_MS;
      await this.#inBatches(() => documents.removeDeadLetters(before, DOCUMENTS_PER_BATCH));
      await this.#inBatches(() => documents.removeSettledAlerts(before, DOCUMENTS_PER_BATCH));
      await this.#inBatches(() => documents.removeFreedSubdomains(now, DOCUMENTS_PER_BATCH));
    }
    for (let after = ''; !this.#isStopped; ) {
      const ids = await organizations.page(after, ORGANIZATIONS_PER_PAGE);
      for (const id of ids) {
        if (this.#isStopped || !ownsShard(shardMap.of(id))) continue;
        await this.#sweep(id, clock.now()).catch((error: unknown) => {
          const context = { err: error, organization_id: id };
          log.warn(context, 'could not remove the expired data of an organization');
        });
      }
      if (ids.length < ORGANIZATIONS_PER_PAGE) return;
      after = ids.at(-1) as string;
    }
  }

  /** Sweeps an organization if it is due. Idempotent; continues an interrupted sweep. */
  async #sweep(organizationId: string, now: number): Promise<void> {
    const { sweeps, monitors, documents } = this.#deps;
    const target = cutoffsOf(await this.#deps.limitsOf(organizationId), now);
    const state = await sweeps.find(organizationId);
    if (!isDue(state, target, now)) return;
    const { done = null, done_at = 0 } = state ?? {};
    let run = state?.run ?? { ...target, after: '' };
    for (;;) {
      const page = await monitors.pageOfOrganization(organizationId, run.after, MONITORS_PER_BATCH);
      await this.#sweepMonitors(page, { done, target: run, now });
      if (page.length < MONITORS_PER_BATCH) break;
      run = { ...run, after: (page.at(-1) as AgedMonitor).monitor_id };
      await sweeps.save(organizationId, { done, done_at, run });
      if (!(await this.#pause())) return;
    }
    const { raw, rollups } = run;
    const removeIncidents = () => documents.removeIncidents(organizationId, rollups, DOCUMENTS_PER_BATCH);
    const removeEntries = () => documents.removeAuditEntries(organizationId, rollups, DOCUMENTS_PER_BATCH);
    if (!(await this.#inBatches(removeIncidents)) || !(await this.#inBatches(removeEntries))) return;
    await sweeps.save(organizationId, { done: { raw, rollups }, done_at: now, run: null });
  }

  async #sweepMonitors(page: AgedMonitor[], { done, target, now }: Sweep): Promise<void> {
    const { results, records } = this.#deps;
    const fates = page.map((monitor) => ({ monitor, fate: fateOf(monitor, target, now) }));
    const withFate = (...wanted: string[]) =>
      fates.flatMap(({ monitor, fate }) => (wanted.includes(fate) ? [monitor] : []));
    const idsOf = (monitors: AgedMonitor[]) => monitors.map((monitor) => monitor.monitor_id);
    const retained = withFate('kept');
    const rangesOf = (kind: keyof Cutoffs) =>
      retained.flatMap((monitor) => agedRange(monitor, done?.[kind] ?? null, target[kind]) ?? []);
    await results.removeRollups(rangesOf('rollups'));
    await results.removeResults(rangesOf('raw'));
    await results.removeChanges(idsOf(retained), target.rollups);
    await Promise.all(records.map((each) => each.removeOlder(idsOf(retained), target.rollups)));
    const gone = idsOf(withFate('history_goes', 'all_goes'));
    await Promise.all([results.removeMonitors(gone), ...records.map((each) => each.removeOf(gone))]);
    await this.#deps.monitors.purge(idsOf(withFate('all_goes')));
  }

  /** False if it stopped before everything was removed. */
  async #inBatches(removeSome: () => Promise<number>): Promise<boolean> {
    while ((await removeSome()) === DOCUMENTS_PER_BATCH) if (!(await this.#pause())) return false;
    return true;
  }

  /** Pauses in short steps, so that stopping is not delayed. False if the sweeper is stopping. */
  async #pause(): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < BATCH_PAUSE_MS && !this.#isStopped; waitedMs += PAUSE_STEP_MS) {
      await sleep(this.#deps.clock, PAUSE_STEP_MS);
    }
    return !this.#isStopped;
  }
}
