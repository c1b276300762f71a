import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { MonitorDoc } from '../monitors/monitor.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { ProbeDoc, RegionDoc } from '../probes/probe.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';
import type { HeadStore } from './head-store.ts';
import type { Placement } from './placement.ts';
import { chooseProbe } from './rules.ts';
import type { AssignmentStore } from './store.ts';

const LOOK_EVERY_MS = 2000;
/** A writer that took longer than this has died. */
const PENDING_TOO_LONG_MS = 30_000;
/** Controllers see a probe come or go some seconds apart: what one did meanwhile is put right by a second walk. */
const WALK_AGAIN_MS = 60_000;
const WALK_EVERY_MS = 15 * 60_000;
const FORGET_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 3_600_000;
const KEEP_TOMBSTONES_MS = 30 * 86_400_000;
const PAGE = 500;

/** Monitors of all tenants that name the region or leave the choice to us. */
export interface MonitorSource {
  activeOfRegion(region: string): AsyncIterable<MonitorDoc>;
}

export interface RebalancerDeps {
  placement: Placement;
  items: AssignmentStore;
  heads: HeadStore;
  monitors: MonitorSource;
  /** Forgets a deleted probe for good. */
  probes: { purge(id: string): Promise<void> };
  /** Takes back the note that a region's monitors may stand on no probe, unless it was made again since `seen`. */
  regions: { clearToPlace(id: string, seen: number): Promise<void> };
  directory: FleetDirectory;
  /** Whether this controller looks after the region (or, for tombstones, the probe); others then leave it alone. */
  owns: (id: string) => boolean;
  clock: Clock;
  log: Log;
}

interface RegionState {
  /** The probes that took monitors when the region was last settled; null: never by us. */
  settledFor: string | null;
  /** What was seen at the last look: it has to be the same twice before anything moves. */
  seen: string;
  nextWalkMono: number;
}

/** Moves monitors when probes come, go, are drained or deleted. */
export class Rebalancer {
  readonly #deps: RebalancerDeps;
  readonly #regions = new Map<string, RegionState>();
  #timer: Timer | null = null;
  #looking: Promise<void> | null = null;
  #sweptAtMono: number | null = null;
  #isStopped = false;

  constructor(deps: RebalancerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.clock.setRepeating(LOOK_EVERY_MS, () => this.look());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  /** Looks at once whether anything is to be moved, unless it is at it already. */
  look(): void {
    this.#looking ??= this.#look()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'rebalancing failed; it is tried again'))
      .finally(() => {
        this.#looking = null;
      });
  }

  async #look(): Promise<void> {
    const { clock, directory, owns, placement } = this.#deps;
    for (const region of directory.regions()) {
      if (this.#isStopped) return;
      if (owns(region._id)) await this.#lookAt(region);
      else this.#regions.delete(region._id);
    }
    await placement.finishPending(clock.now() - PENDING_TOO_LONG_MS);
    await this.#sweep();
  }

  async #lookAt(region: RegionDoc): Promise<void> {
    const { clock, directory, placement, regions, log } = this.#deps;
    const eligible = placement.eligible(region._id);
    const removed = directory.probesOf(region._id).filter((probe) => probe.removed_at !== null);
    const seen = [...eligible, '-', ...removed.map((probe) => probe._id)].join(' ');
    const state = this.#regions.get(region._id) ?? { settledFor: null, seen: '', nextWalkMono: 0 };
    this.#regions.set(region._id, state);
    const isStable = state.seen === seen;
    state.seen = seen;
    const isChanged = state.settledFor !== seen;
    const isPlacingDue = region.to_place > 0 && eligible.length > 0;
    const startedAtMono = clock.monotonic();
    if (!isStable || !(isChanged || isPlacingDue || startedAtMono >= state.nextWalkMono)) return;
    // Monitors that nobody ran before stand in no item: only the monitors themselves tell.
    if (isPlacingDue) {
      await this.#placeAll(region._id);
      await regions.clearToPlace(region._id, region.to_place);
    }
    for (const probe of directory.probesOf(region._id)) await this.#moveFrom(region._id, probe._id, eligible);
    if (this.#isStopped) return;
    // By the second walk every controller has known for long that these probes are gone.
    const isLast = !isChanged && state.settledFor !== null;
    if (isLast) for (const probe of removed) await this.#forget(probe);
    const tookMs = Math.round(clock.monotonic() - startedAtMono);
    log.debug({ region: region._id, probes: eligible.length, took_ms: tookMs }, 'region settled');
    state.nextWalkMono = clock.monotonic() + (isChanged ? WALK_AGAIN_MS : WALK_EVERY_MS);
    state.settledFor = seen;
  }

  async #placeAll(region: string): Promise<void> {
    let batch: MonitorDoc[] = [];
    for await (const monitor of this.#deps.monitors.activeOfRegion(region)) {
      if (this.#isStopped) return;
      batch.push(monitor);
      if (batch.length < PAGE) continue;
      await this.#deps.placement.apply(batch);
      batch = [];
    }
    await this.#deps.placement.apply(batch);
  }

  /** Moves what the probe should not run to the probe that should. */
  async #moveFrom(region: string, probeId: string, eligible: readonly string[]): Promise<void> {
    if (eligible.length === 0) return;
    let after = '';
    for (;;) {
      if (this.#isStopped) return;
      const page = await this.#deps.items.activeIdsOf(probeId, after, PAGE);
      const movers = page.filter((item) => chooseProbe(item.monitor_id, eligible) !== probeId).map((item) => item.monitor_id);
      if (movers.length > 0) await this.#move(movers, { region, probeId, eligible });
      if (page.length < PAGE) return;
      after = page[page.length - 1]?.monitor_id ?? after;
    }
  }

  async #move(monitorIds: string[], where: { region: string; probeId: string; eligible: readonly string[] }): Promise<void> {
    const { items, placement } = this.#deps;
    const changes = moves(await items.ofMonitors(monitorIds), where);
    await placement.commit(changes);
    await placement.commit(overtaken(changes, await items.ofMonitors(monitorIds)));
  }

  async #forget(probe: ProbeDoc): Promise<void> {
    const { clock, items, heads, probes } = this.#deps;
    if (clock.now() - (probe.removed_at ?? Infinity) < FORGET_AFTER_MS) return;
    await items.dropProbe(probe._id);
    await heads.drop(probe._id);
    await probes.purge(probe._id);
  }

  async #sweep(): Promise<void> {
    const { clock, directory, items, heads, owns } = this.#deps;
    const nowMono = clock.monotonic();
    this.#sweptAtMono ??= nowMono;
    if (nowMono - this.#sweptAtMono < SWEEP_EVERY_MS) return;
    this.#sweptAtMono = nowMono;
    for (const probe of directory.probes()) {
      if (!owns(probe.region_id)) continue;
      await sweepTombstones({ items, heads }, probe._id, clock.now() - KEEP_TOMBSTONES_MS);
    }
  }
}

/**
 * Forgets a probe's tombstones from before `before` (Unix ms); returns how many. The horizon is raised first, so that a
 * probe that never heard of them is given the whole set.
 */
export async function sweepTombstones(stores: { items: AssignmentStore; heads: HeadStore }, probeId: string, before: number): Promise<number> {
  const rev = await stores.items.oldestTombstones(probeId, before);
  if (rev === 0) return 0;
  await stores.heads.raiseHorizon(probeId, rev);
  return stores.items.dropTombstones(probeId, rev);
}

/** What takes the monitors off `probeId`, and puts each on its proper probe unless it is there. */
function moves(items: readonly AssignmentDoc[], where: { region: string; probeId: string; eligible: readonly string[] }): PlannedChange[] {
  const changes: PlannedChange[] = [];
  for (const item of items) {
    if (item.probe_id !== where.probeId || item.gone || item.assignment === null) continue;
    const target = chooseProbe(item.monitor_id, where.eligible);
    if (target === null || target === where.probeId) continue;
    const common = { region: where.region, organizationId: item.organization_id, monitorId: item.monitor_id, monitorRev: item.monitor_rev };
    const there = items.find((other) => other.monitor_id === item.monitor_id && other.probe_id === target);
    const isThere = there !== undefined && !there.gone && there.pending === undefined && there.monitor_rev >= item.monitor_rev;
    if (!isThere) changes.push({ probeId: target, assignment: item.assignment, ...common });
    changes.push({ probeId: item.probe_id, assignment: null, ...common });
  }
  return changes;
}

/**
 * Takes back what was put on a probe while somebody acted on a later revision of the monitor: it read the items
 * before ours were there, so it left them alone. (When it reads after, it sees to them itself.)
 */
function overtaken(made: readonly PlannedChange[], items: readonly AssignmentDoc[]): PlannedChange[] {
  const isOvertaken = (change: PlannedChange) =>
    items.some((item) => item.monitor_id === change.monitorId && item.region === change.region && item.monitor_rev > change.monitorRev);
  return made.filter((change) => change.assignment !== null && isOvertaken(change)).map((change) => ({ ...change, assignment: null }));
}
