import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { Log } from '../../shared/log.ts';
import { toCheckSpec } from '../monitors/config.ts';
import { timeoutMs, type MonitorDoc } from '../monitors/monitor.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { Liveness } from '../probes/liveness.ts';
import { isEnrolled, type ProbeDoc } from '../probes/probe.ts';
import type { Announcer } from './announcer.ts';
import type { PlannedChange } from './assignment-doc.ts';
import { chooseSome, eligibleProbes, phaseMs, planMonitor } from './rules.ts';
import type { AssignmentStore } from './store.ts';
import type { AssignmentWriter, CommittedChange } from './writer.ts';

/** A silent probe is given this long to come back before its monitors move. */
export const MOVE_AFTER_SILENT_MS = 30_000;
const BATCH = 500;
/** Each round but the first answers somebody else's write. */
const MOST_ROUNDS = 4;

type RegionChoice = Pick<MonitorDoc, '_id' | 'organization_id' | 'monitoring_regions'>;

export interface PlacementDeps {
  items: AssignmentStore;
  writer: AssignmentWriter;
  announcer: Announcer;
  directory: FleetDirectory;
  /** Notes that monitors which want these regions may stand on no probe. */
  regions: { markToPlace(ids: string[]): Promise<void> };
  liveness: Pick<Liveness, 'track' | 'silentMs'>;
  /** Most regions a monitor of the organization may run in; without it there is no limit. */
  regionLimit?: (organizationId: string) => Promise<number>;
  log: Log;
}

/** Makes what the probes should run agree with the monitors. */
export class Placement {
  readonly #deps: PlacementDeps;

  constructor(deps: PlacementDeps) {
    this.#deps = deps;
  }

  /**
   * An active monitor is assigned in each of its regions to one probe; any other is assigned nowhere. Durable when it
   * resolves, and the probes are told. Repeating it changes nothing; an older revision of a monitor is passed over.
   */
  async apply(monitors: readonly MonitorDoc[]): Promise<void> {
    for (let at = 0; at < monitors.length; at += BATCH) await this.#applyBatch(monitors.slice(at, at + BATCH));
  }

  /** Plans again after it wrote: a rebalance that read before may have put a monitor elsewhere meanwhile. */
  async #applyBatch(monitors: readonly MonitorDoc[]): Promise<void> {
    const limits = await this.#limitsOf(monitors);
    const wanted = new Map(monitors.map((monitor) => [monitor._id, this.#wanted(monitor, limits.get(monitor.organization_id) ?? Infinity)]));
    await this.#markUnserved([...wanted.values()]);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const held = grouped(await this.#deps.items.ofMonitors([...wanted.keys()]), (item) => item.monitor_id);
      const changes = monitors.flatMap((monitor) => {
        const facts = { monitorId: monitor._id, organizationId: monitor.organization_id, monitorRev: monitor.revision };
        const plan = { wanted: wanted.get(monitor._id) ?? new Map(), held: held.get(monitor._id) ?? [], ...facts };
        return planMonitor(plan, (region) => this.eligible(region));
      });
      if (changes.length === 0) return;
      await this.commit(changes);
    }
  }

  async #markUnserved(wanted: Map<string, Assignment>[]): Promise<void> {
    const regions = new Set(wanted.flatMap((one) => [...one.keys()]));
    await this.#deps.regions.markToPlace([...regions].filter((region) => this.eligible(region).length === 0));
  }

  /** Region ids in which the monitor runs, in order: those it names that exist, else automatic ones. */
  async regionsOf(monitor: RegionChoice): Promise<string[]> {
    const limits = await this.#limitsOf([monitor]);
    return this.#regionsOf(monitor, limits.get(monitor.organization_id) ?? Infinity);
  }

  /** What the probe of each region would be told of the monitor, whether or not it is to run; in order of region. */
  async assignmentsOf(monitor: MonitorDoc): Promise<Map<string, Assignment>> {
    const limits = await this.#limitsOf([monitor]);
    return this.#assignments(monitor, limits.get(monitor.organization_id) ?? Infinity);
  }

  #regionsOf(monitor: RegionChoice, limit: number): string[] {
    const { directory } = this.#deps;
    const usable = directory
      .regions()
      .filter((region) => region.visibility === 'shared' || region.organization_id === monitor.organization_id);
    if (monitor.monitoring_regions.length > 0) {
      const asked = new Set(monitor.monitoring_regions);
      return chooseSome(monitor._id, usable.filter((region) => asked.has(region._id)).map((region) => region._id), limit);
    }
    const shared = usable.filter((region) => region.visibility === 'shared').map((region) => region._id);
    const served = shared.filter((id) => directory.probesOf(id).some(isEnrolled));
    return chooseSome(monitor._id, served.length > 0 ? served : shared, limit);
  }

  async #limitsOf(monitors: readonly RegionChoice[]): Promise<Map<string, number>> {
    const { regionLimit } = this.#deps;
    if (!regionLimit) return new Map();
    const organizations = [...new Set(monitors.map((monitor) => monitor.organization_id))];
    return new Map(await Promise.all(organizations.map(async (id) => [id, await regionLimit(id)] as const)));
  }

  /** Probes of the region that take monitors now. */
  eligible(regionId: string): string[] {
    const { directory, liveness } = this.#deps;
    const isPresent = (probe: ProbeDoc) =>
      liveness.silentMs(probe._id) < MOVE_AFTER_SILENT_MS && (probe.is_online || liveness.track(probe._id) !== null);
    return eligibleProbes(
      directory
        .probesOf(regionId)
        .filter(isEnrolled)
        .map((probe) => ({ probeId: probe._id, isPresent: isPresent(probe), isDraining: probe.is_draining })),
    );
  }

  /** Writes the changes and tells the probes: what is new first, so that a monitor on the move is run twice rather than not at all. */
  async commit(changes: readonly PlannedChange[]): Promise<void> {
    const isNew = (change: PlannedChange) => change.assignment !== null;
    const moved = new Set(changes.filter(isNew).map((change) => change.monitorId));
    const isLast = (change: PlannedChange) => !isNew(change) && moved.has(change.monitorId);
    await this.#commitNow(changes.filter((change) => !isLast(change)));
    await this.#commitNow(changes.filter(isLast));
  }

  /** Finishes what writers that died had begun before `before` (Unix ms). */
  async finishPending(before: number): Promise<void> {
    for (const [probeId, committed] of await this.#deps.writer.recommit(before)) this.#announce(probeId, committed);
  }

  async #commitNow(changes: readonly PlannedChange[]): Promise<void> {
    const work = [...grouped(changes, (change) => change.probeId)].map(async ([probeId, ofProbe]) => {
      const committed = await this.#deps.writer.change(probeId, ofProbe);
      if (committed) this.#announce(probeId, committed);
    });
    await Promise.all(work);
  }

  #announce(probeId: string, committed: CommittedChange): void {
    const probe = this.#deps.directory.probe(probeId);
    if (probe && isEnrolled(probe)) this.#deps.announcer.announce(probe, committed);
  }

  #wanted(monitor: MonitorDoc, limit: number): Map<string, Assignment> {
    // A heartbeat is watched by the controllers: no probe has anything to do for it.
    if (monitor.status !== 'active' || monitor.deleted_at !== null || monitor.type === 'HEARTBEAT') return new Map();
    return this.#assignments(monitor, limit);
  }

  #assignments(monitor: MonitorDoc, limit: number): Map<string, Assignment> {
    const wanted = new Map<string, Assignment>();
    const regions = this.#regionsOf(monitor, limit);
    const spec = toCheckSpec(monitor);
    const intervalMs = monitor.interval_seconds * 1000;
    regions.forEach((region, index) => {
      wanted.set(region, {
        monitor_id: monitor._id,
        organization_id: monitor.organization_id,
        project_id: monitor.project_id,
        assignment_rev: monitor.check_revision,
        interval_ms: intervalMs,
        timeout_ms: timeoutMs(monitor),
        phase_ms: phaseMs(monitor._id, intervalMs, index, regions.length),
        retries: monitor.confirmation_policy.retries,
        spec,
      });
    });
    return wanted;
  }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
