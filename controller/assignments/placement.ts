import type { Assignment } from '../../shared/contracts/assignment.ts';
import { grouped } from '../../shared/grouped.ts';
import type { Log } from '../../shared/log.ts';
import { timeoutMs, type MonitorDoc } from '../monitors/monitor.ts';
import type { VariableDoc } from '../monitors/variable.ts';
import { filledSpec } from '../monitors/variable-texts.ts';
import { AppError } from '../errors/app-error.ts';
import { phaseMs } from '../monitors/slot-rules.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { Liveness } from '../probes/liveness.ts';
import { isEnrolled } from '../probes/probe.ts';
import type { Announcer } from './announcer.ts';
import { eligibleProbes, movesAmong, planMonitor, regionsOf } from './assigned-regions.ts';
import type { AssignmentDoc, PlannedChange } from './assignment-doc.ts';
import type { PlacementMarks } from './ports.ts';
import type { AssignmentStore } from './store.ts';
import type { AssignmentWriter, CommittedChange } from './writer.ts';

const BATCH_SIZE = 500;
/** Each pass after the first handles a concurrent write of another controller. */
const MAX_PLANNING_PASSES = 4;

type RegionChoice = Pick<MonitorDoc, '_id' | 'organization_id' | 'monitoring_regions'>;

interface PlacementDeps {
  items: AssignmentStore;
  writer: AssignmentWriter;
  announcer: Announcer;
  directory: FleetDirectory;
  regions: PlacementMarks;
  liveness: Pick<Liveness, 'presenceOf'>;
  /** How many regions a monitor of the organization may run in. */
  regionLimit: (organizationId: string) => Promise<number>;
  /** Whether checks may reach private and loopback addresses. */
  allowPrivate: boolean;
  variables: { findMany(ids: string[]): Promise<VariableDoc[]> };
  log: Log;
  /** Called when the sets of some probes are about to change. */
  onChanged: () => void;
}

/** Keeps the probes' sets in line with the monitors. */
export class Placement {
  readonly #deps: PlacementDeps;

  constructor(deps: PlacementDeps) {
    this.#deps = deps;
  }

  /**
   * Assigns an active monitor to one probe in each of its regions, and any other monitor to none. Resolves
   * when this is durable and the probes are notified. Idempotent; ignores an older revision of a monitor.
   */
  async apply(monitors: readonly MonitorDoc[]): Promise<void> {
    for (let at = 0; at < monitors.length; at += BATCH_SIZE) {
      await this.#applyBatch(monitors.slice(at, at + BATCH_SIZE));
    }
  }

  /** Region ids in which the monitor runs, in order: the existing ones it names, otherwise automatic ones. */
  async regionsOf(monitor: RegionChoice): Promise<string[]> {
    return (await this.#regionChooser([monitor]))(monitor);
  }

  /**
   * By region: the assignment that a probe would receive, even if the monitor is not to run. Throws
   * VALIDATION_FAILED if the values of its variables are missing or make it invalid.
   */
  async assignmentsOf(monitor: MonitorDoc): Promise<Map<string, Assignment>> {
    const [regions, variables] = await Promise.all([this.regionsOf(monitor), this.#variablesOf([monitor])]);
    return assignmentsIn(regions, monitor, { variables, allowPrivate: this.#deps.allowPrivate });
  }

  /** Probes of the region that currently accept monitors. */
  eligible(regionId: string): string[] {
    return eligibleProbes(this.#probesOf(regionId));
  }

  /** `movesAmong` for the region's current probes. */
  movesIn(regionId: string): ReturnType<typeof movesAmong> {
    return movesAmong(this.#probesOf(regionId));
  }

  /**
   * Writes the changes and notifies the probes. Additions come first, so that a moving monitor keeps running.
   */
  async commit(changes: readonly PlannedChange[]): Promise<void> {
    const isAddition = (change: PlannedChange) => change.assignment !== null;
    const added = new Set(changes.filter(isAddition).map((change) => change.monitor_id));
    const isLast = (change: PlannedChange) => !isAddition(change) && added.has(change.monitor_id);
    await this.#commitNow(changes.filter((change) => !isLast(change)));
    await this.#commitNow(changes.filter(isLast));
  }

  /** Finishes writes that a crashed controller began before `before` (Unix ms). */
  async finishPending(before: number): Promise<void> {
    const finished = await this.#deps.writer.recommit(before);
    for (const [probeId, committed] of finished) this.#announce(probeId, committed);
  }

  /** Rewrites the probe's assignments that have no setting of `allowPrivate`, or another one. */
  async renewPolicy(probeId: string): Promise<void> {
    const { items, allowPrivate } = this.#deps;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const outdated: AssignmentDoc[] = await items.ofOtherPolicy(probeId, allowPrivate, after, BATCH_SIZE);
      await this.commit(outdated.flatMap((item) => renewed(item, allowPrivate)));
      after = outdated.length < BATCH_SIZE ? undefined : outdated.at(-1)?.monitor_id;
    }
  }

  /**
   * Plans again after each write, because a rebalance that read earlier may have moved a monitor meanwhile.
   */
  async #applyBatch(monitors: readonly MonitorDoc[]): Promise<void> {
    const regionsOf = await this.#regionChooser(monitors);
    const sources = { variables: await this.#variablesOf(monitors), allowPrivate: this.#deps.allowPrivate };
    const wanted = new Map(monitors.flatMap((monitor) => {
      const regions = runsOnProbes(monitor) ? regionsOf(monitor) : [];
      try {
        return [[monitor._id, assignmentsIn(regions, monitor, sources)]];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // Its probes keep what they have. Saving the variable again places it.
        this.#deps.log.warn({ monitor_id: monitor._id, reason: error.message }, 'could not assign a monitor');
        return [];
      }
    }));
    const regions = new Set([...wanted.values()].flatMap((one) => [...one.keys()]));
    const unserved = [...regions].filter((region) => this.eligible(region).length === 0);
    if (unserved.length > 0) {
      await this.#deps.regions.markToPlace(unserved);
      this.#deps.directory.refreshWithinInterval();
    }
    for (let pass = 0; pass < MAX_PLANNING_PASSES; pass += 1) {
      const held = grouped(await this.#deps.items.ofMonitors([...wanted.keys()]), (item) => item.monitor_id);
      const changes = monitors.flatMap((monitor) => {
        const own = wanted.get(monitor._id);
        if (own === undefined) return [];
        const plan = { monitor, wanted: own, held: held.get(monitor._id) ?? [] };
        return planMonitor(plan, (region) => this.eligible(region));
      });
      if (changes.length === 0) return;
      await this.commit(changes);
    }
  }

  async #variablesOf(monitors: readonly MonitorDoc[]): Promise<VariableDoc[]> {
    const ids = [...new Set(monitors.flatMap(({ variable_ids }) => variable_ids ?? []))];
    return ids.length === 0 ? [] : this.#deps.variables.findMany(ids);
  }

  #probesOf(regionId: string) {
    const { directory, liveness } = this.#deps;
    return directory.probesOf(regionId).filter(isEnrolled).map((probe) => ({
      probeId: probe._id, presence: liveness.presenceOf(probe), isDraining: probe.is_draining,
      isQuarantined: probe.quarantine !== null,
    }));
  }

  async #regionChooser(monitors: readonly RegionChoice[]): Promise<(monitor: RegionChoice) => string[]> {
    const { directory, regionLimit } = this.#deps;
    const organizations = [...new Set(monitors.map((monitor) => monitor.organization_id))];
    const entries = organizations.map(async (id) => [id, await regionLimit(id)] as const);
    const limits = new Map(await Promise.all(entries));
    return (monitor) => {
      const limit = limits.get(monitor.organization_id) as number;
      return regionsOf(directory, { ...monitor, monitor_id: monitor._id }, limit);
    };
  }

  async #commitNow(changes: readonly PlannedChange[]): Promise<void> {
    const work = [...grouped(changes, (change) => change.probe_id)].map(async ([probeId, ofProbe]) => {
      const committed = await this.#deps.writer.change(probeId, ofProbe);
      if (committed) this.#announce(probeId, committed);
    });
    await Promise.all(work).finally(this.#deps.onChanged);
  }

  #announce(probeId: string, committed: CommittedChange): void {
    const probe = this.#deps.directory.enrolled(probeId);
    if (probe) this.#deps.announcer.announce(probe, committed);
  }
}

/** Controllers, not probes, evaluate heartbeats. */
function runsOnProbes(monitor: MonitorDoc): boolean {
  return monitor.status === 'active' && monitor.deleted_at === null && monitor.type !== 'HEARTBEAT';
}

function assignmentsIn(
  regions: string[], monitor: MonitorDoc,
  { variables, allowPrivate }: { variables: readonly VariableDoc[]; allowPrivate: boolean },
): Map<string, Assignment> {
  if (regions.length === 0) return new Map();
  const intervalMs = monitor.interval_seconds * 1000;
  const spec = filledSpec(monitor, variables);
  const assignmentAt = (index: number): Assignment => ({
    monitor_id: monitor._id,
    organization_id: monitor.organization_id,
    project_id: monitor.project_id,
    assignment_rev: monitor.check_revision,
    interval_ms: intervalMs,
    timeout_ms: timeoutMs(monitor),
    phase_ms: phaseMs(monitor._id, intervalMs, index, regions.length),
    retries: monitor.confirmation_policy.retries,
    allow_private: allowPrivate,
    spec,
  });
  return new Map(regions.map((region, index) => [region, assignmentAt(index)]));
}

function renewed(item: AssignmentDoc, allowPrivate: boolean): PlannedChange[] {
  const { probe_id, region, organization_id, monitor_id, monitor_rev, assignment } = item;
  if (assignment === null) return [];
  // In the field order of a planned assignment, because `isSettled` compares JSON.
  const { spec, ...rest } = assignment;
  return [{
    probe_id, region, organization_id, monitor_id, monitor_rev,
    assignment: { ...rest, allow_private: allowPrivate, spec },
  }];
}
