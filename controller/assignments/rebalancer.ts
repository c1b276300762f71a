import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { SPEC_VERSION } from '../monitors/settings/registry.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { ProbeDoc, RegionDoc } from '../probes/probe.ts';
import type { Peers } from '../work/peers.ts';
import { ONLY_CONTROLLER_INTERVAL_MS, PeriodicTask } from '../work/periodic-task.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { Placement } from './placement.ts';
import type { MonitorSource, ProbeRemoval, PlacementMarks } from './ports.ts';
import { chooseProbe } from './assigned-regions.ts';
import type { AssignmentStore } from './store.ts';

const POLL_INTERVAL_MS = 2000;
/** A scan's findings must hold in a second scan, in case several probes come or go together. */
const RECHECK_DELAY_MS = 500;
/** A writer that takes longer than this has crashed. Its pending changes are finished at this interval. */
const PENDING_TIMEOUT_MS = 30_000;
const FINISH_INTERVAL_MS = 10_000;
/** Controllers detect probe changes seconds apart. A second walk corrects what one did meanwhile. */
const SECOND_WALK_DELAY_MS = 60_000;
const WALK_INTERVAL_MS = 15 * 60_000;
const REMOVE_PROBE_AFTER_MS = 60_000;
const SWEEP_INTERVAL_MS = 3_600_000;
/** Added to the retention of raw results, for clock differences and delayed sweeps. */
const TOMBSTONE_MARGIN_MS = 2 * 86_400_000;
const PAGE_SIZE = 500;

interface RebalancerDeps {
  placement: Placement;
  items: AssignmentStore;
  heads: HeadStore;
  monitors: MonitorSource;
  probes: ProbeRemoval;
  regions: PlacementMarks;
  directory: FleetDirectory;
  /** Whether this controller is responsible for the region. */
  owns: (regionId: string) => boolean;
  /** Tombstones prove that a probe once had these monitors, so its spooled results are legitimate. */
  tombstoneRetentionMs: number;
  clock: Clock;
  log: Log;
  peers: Peers;
}

interface RegionState {
  /** The probes that took monitors when the region was last settled; null before that. */
  settledFor: string | null;
  /** Findings of the last scan. Nothing moves before two consecutive scans agree. */
  seen: string;
  nextWalkMono: number;
}

/** The probe that monitors leave, and the probes they may move to. */
interface Move {
  region: string;
  probeId: string;
  eligible: readonly string[];
}

/** Moves monitors when probes come, go, drain or are deleted. */
export class Rebalancer {
  readonly #deps: RebalancerDeps;
  readonly #pollTask: PeriodicTask;
  readonly #regions = new Map<string, RegionState>();
  #sweptAtMono: number;
  #finishedAtMono = -Infinity;
  #recheckTimer: Timer | null = null;
  #isStopped = false;

  constructor(deps: RebalancerDeps) {
    this.#deps = deps;
    this.#sweptAtMono = deps.clock.monotonic();
    this.#pollTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: POLL_INTERVAL_MS,
      task: () => this.#poll(),
      onError: (error) => deps.log.warn({ err: error }, 'rebalancing failed and will be retried'),
    });
  }

  start(): void {
    this.#pollTask.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#recheckTimer?.cancel();
    await this.#pollTask.stop();
  }

  /** Checks now whether monitors have to move. */
  trigger(): void {
    this.#pollTask.trigger();
  }

  async #poll(): Promise<void> {
    const { directory, owns } = this.#deps;
    for (const region of directory.regions()) {
      if (this.#isStopped) return;
      if (owns(region._id)) await this.#checkRegion(region);
      else this.#regions.delete(region._id);
    }
    await this.#finishPending();
    await this.#sweep();
  }

  #scheduleRecheck(): void {
    this.#recheckTimer?.cancel();
    this.#recheckTimer = this.#deps.clock.setTimer(RECHECK_DELAY_MS, () => this.trigger());
  }

  async #finishPending(): Promise<void> {
    const { clock, placement, peers } = this.#deps;
    const nowMono = clock.monotonic();
    const intervalMs = peers.isOnlyController ? ONLY_CONTROLLER_INTERVAL_MS : FINISH_INTERVAL_MS;
    if (nowMono - this.#finishedAtMono < intervalMs) return;
    await placement.finishPending(clock.now() - PENDING_TIMEOUT_MS);
    this.#finishedAtMono = nowMono;
  }

  async #checkRegion(region: RegionDoc): Promise<void> {
    const { clock, directory, placement, regions, log } = this.#deps;
    const eligible = placement.eligible(region._id);
    const { targets, keepers } = placement.movesIn(region._id);
    const probes = directory.probesOf(region._id);
    const removed = probes.filter((probe) => probe.removed_at !== null);
    const parts = [eligible, targets, keepers, removed.map((probe) => probe._id)];
    const seen = parts.map((ids) => ids.join(' ')).join(' - ');
    const state = this.#regions.get(region._id) ?? { settledFor: null, seen: '', nextWalkMono: 0 };
    this.#regions.set(region._id, state);
    const isStable = state.seen === seen;
    state.seen = seen;
    if (!isStable) this.#scheduleRecheck();
    const isChanged = state.settledFor !== seen;
    const isOutdated = region.spec_version !== SPEC_VERSION;
    const isPlacingDue = (region.to_place > 0 || isOutdated) && eligible.length > 0;
    const startedAtMono = clock.monotonic();
    if (!isStable || !(isChanged || isPlacingDue || startedAtMono >= state.nextWalkMono)) return;
    // Monitors that never had a probe have no item, so only their own documents reveal them.
    if (isPlacingDue) {
      await this.#placeAll(region);
      await regions.clearToPlace(region._id, region.to_place, SPEC_VERSION);
      await directory.refresh();
    }
    for (const { _id: probeId, removed_at: removedAt } of probes) {
      if (keepers.includes(probeId)) continue;
      // The monitors of a deleted probe must move before its items are removed.
      const to = removedAt === null ? targets : eligible;
      await this.#moveFrom({ region: region._id, probeId, eligible: to });
    }
    for (const probe of probes) if (!this.#isStopped) await placement.renewPolicy(probe._id);
    if (this.#isStopped) return;
    // By the second walk, every controller knows that these probes are gone.
    const isLast = !isChanged && state.settledFor !== null;
    if (isLast) for (const probe of removed) await this.#remove(probe);
    const tookMs = Math.round(clock.monotonic() - startedAtMono);
    log.debug({ region: region._id, probes: eligible.length, took_ms: tookMs }, 'region settled');
    state.nextWalkMono = clock.monotonic() + (isChanged ? SECOND_WALK_DELAY_MS : WALK_INTERVAL_MS);
    state.settledFor = seen;
  }

  async #placeAll({ _id: id, visibility }: RegionDoc): Promise<void> {
    let batch: MonitorDoc[] = [];
    for await (const monitor of this.#deps.monitors.activeOfRegion(id, visibility === 'shared')) {
      if (this.#isStopped) return;
      batch.push(monitor);
      if (batch.length < PAGE_SIZE) continue;
      await this.#deps.placement.apply(batch);
      batch = [];
    }
    await this.#deps.placement.apply(batch);
  }

  /** Moves the monitors that belong on another probe to that probe. */
  async #moveFrom(move: Move): Promise<void> {
    const { items, placement } = this.#deps;
    const { probeId, eligible } = move;
    if (eligible.length === 0) return;
    let after: string | undefined = '';
    while (after !== undefined && !this.#isStopped) {
      const page = await items.activeIdsOf(probeId, after, PAGE_SIZE);
      const ids = page.map((item) => item.monitor_id);
      const movers = ids.filter((id) => chooseProbe(id, eligible) !== probeId);
      if (movers.length > 0) {
        const changes = changesOf(move, await items.ofMonitors(movers));
        await placement.commit(changes);
        await placement.commit(overtaken(changes, await items.ofMonitors(movers)));
      }
      after = page.length < PAGE_SIZE ? undefined : page.at(-1)?.monitor_id;
    }
  }

  async #remove(probe: ProbeDoc): Promise<void> {
    const { clock, items, heads, probes } = this.#deps;
    if (clock.now() - (probe.removed_at ?? Infinity) < REMOVE_PROBE_AFTER_MS) return;
    await items.removeProbe(probe._id);
    await heads.drop(probe._id);
    await probes.purge(probe._id);
  }

  async #sweep(): Promise<void> {
    const { clock, directory, items, heads, owns, tombstoneRetentionMs } = this.#deps;
    const nowMono = clock.monotonic();
    if (nowMono - this.#sweptAtMono < SWEEP_INTERVAL_MS) return;
    this.#sweptAtMono = nowMono;
    for (const probe of directory.probes()) {
      if (!owns(probe.region_id)) continue;
      await sweepTombstones({ items, heads }, probe._id, clock.now() - tombstoneRetentionMs);
    }
  }
}

/**
 * How long tombstones are kept, ms. A result from the time of the assignment is refused as too old by the
 * time its tombstone is removed.
 */
export function tombstoneRetentionMs(maxRawRetentionMs: number): number {
  return maxRawRetentionMs + TOMBSTONE_MARGIN_MS;
}

/**
 * Removes a probe's tombstones older than `before` (Unix ms) and returns their number. Raises the horizon
 * first, so that a probe that missed them receives the whole set.
 */
export async function sweepTombstones(
  stores: { items: AssignmentStore; heads: HeadStore },
  probeId: string,
  before: number,
): Promise<number> {
  const rev = await stores.items.latestTombstone(probeId, before);
  if (rev === 0) return 0;
  await stores.heads.raiseHorizon(probeId, rev);
  return stores.items.removeTombstones(probeId, rev);
}

/** Takes the monitors off `probeId` and places each on its target probe unless it is already there. */
function changesOf({ region, probeId, eligible }: Move, items: readonly AssignmentDoc[]): PlannedChange[] {
  const changes: PlannedChange[] = [];
  for (const { probe_id, gone, organization_id, monitor_id, monitor_rev, assignment } of items) {
    if (probe_id !== probeId || gone || assignment === null) continue;
    const target = chooseProbe(monitor_id, eligible);
    if (target === null || target === probeId) continue;
    const existing = items.find((other) => other.monitor_id === monitor_id && other.probe_id === target);
    const isAlreadyPlaced = existing && !existing.gone && existing.pending === undefined
      && existing.monitor_rev >= monitor_rev;
    const ids = { region, organization_id, monitor_id, monitor_rev };
    if (!isAlreadyPlaced) changes.push({ probe_id: target, assignment, ...ids });
    changes.push({ probe_id, assignment: null, ...ids });
  }
  return changes;
}

/**
 * Undoes placements that raced with a later monitor revision of another controller, which read the items
 * before ours were written. A controller that reads later corrects them itself.
 */
function overtaken(committed: readonly PlannedChange[], items: readonly AssignmentDoc[]): PlannedChange[] {
  const isOvertaken = ({ monitor_id: id, region, monitor_rev: rev }: PlannedChange) =>
    items.some((item) => item.monitor_id === id && item.region === region && item.monitor_rev > rev);
  return committed
    .filter((change) => change.assignment !== null && isOvertaken(change))
    .map((change) => ({ ...change, assignment: null }));
}
