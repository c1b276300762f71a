import type { ProbeAddress } from '../../shared/contracts/subjects.ts';
import { grouped } from '../../shared/grouped.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Peers } from '../work/peers.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import { isEnrolled, type EnrolledProbe, type ProbeDoc, type RegionDoc } from './probe.ts';
import type { RegionStore } from './region-store.ts';
import type { ProbeStore } from './store.ts';

/** Delay after which a controller sees other controllers' changes. It reads its own at once. */
const READ_INTERVAL_MS = 3000;

interface DirectoryDeps {
  regions: Pick<RegionStore, 'list'>;
  probes: Pick<ProbeStore, 'list' | 'find'>;
  clock: Clock;
  log: Log;
  peers?: Peers;
}

/** An in-memory copy of regions and probes for hot paths, a few seconds old. */
export class FleetDirectory {
  readonly #deps: DirectoryDeps;
  readonly #readTask: PeriodicTask;
  #regions: RegionDoc[] = [];
  #probes = new Map<string, ProbeDoc>();
  #byRegion = new Map<string, ProbeDoc[]>();
  /** Regions with an enrolled probe. */
  #served = new Set<string>();
  #hasFailed = false;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
    this.#readTask = new PeriodicTask({
      clock: deps.clock,
      intervalMs: READ_INTERVAL_MS,
      idleIntervalMs: READ_INTERVAL_MS,
      peers: deps.peers,
      task: () => this.#read(),
      onError: (error) => {
        if (!this.#hasFailed) deps.log.warn({ err: error }, 'could not read the fleet; using the last known state');
        this.#hasFailed = true;
      },
    });
  }

  /** Reads once, then periodically. Rejects if the first read fails. */
  async start(): Promise<void> {
    await this.#readTask.run();
    this.#readTask.start();
  }

  stop(): Promise<void> {
    return this.#readTask.stop();
  }

  /** Resolves after a read that began after this call. Rejects if the database does not respond. */
  refresh(): Promise<void> {
    return this.#readTask.run();
  }

  /** Schedules a read within 3 s, for changes that are not urgent. */
  refreshWithinInterval(): void {
    this.#readTask.triggerWithinInterval();
  }

  /** In order of id. */
  regions(): readonly RegionDoc[] {
    return this.#regions;
  }

  region(id: string): RegionDoc | null {
    return this.#regions.find((region) => region._id === id) ?? null;
  }

  probe(id: string): ProbeDoc | null {
    return this.#probes.get(id) ?? null;
  }

  /** The organization of a private region, null for a shared one; undefined for an unknown one. */
  readonly regionOwner = (id: string): string | null | undefined => this.region(id)?.organization_id;

  /** Whether the probe's reports count for verdicts: those of a quarantined one do not. */
  readonly hasVote = (id: string): boolean => (this.probe(id)?.quarantine ?? null) === null;

  enrolled(id: string): EnrolledProbe | null {
    const probe = this.probe(id);
    return probe && isEnrolled(probe) ? probe : null;
  }

  /**
   * The enrolled probe at this address, read from the database if it is not cached; null if there is none.
   */
  async findEnrolled({ region, probeId }: ProbeAddress): Promise<EnrolledProbe | null> {
    const probe = this.enrolled(probeId) ?? (await this.#deps.probes.find(probeId));
    return probe && isEnrolled(probe) && probe.region_id === region ? probe : null;
  }

  /** Includes deleted probes whose monitors still have to move. */
  probesOf(regionId: string): readonly ProbeDoc[] {
    return this.#byRegion.get(regionId) ?? [];
  }

  /** Whether the region has an enrolled probe. */
  isServed(regionId: string): boolean {
    return this.#served.has(regionId);
  }

  probes(): Iterable<ProbeDoc> {
    return this.#probes.values();
  }

  /** The ids among `ids` that this organization may not use. Reads the database if an id is not cached. */
  async unknownRegions(organizationId: string, ids: string[]): Promise<string[]> {
    if (ids.some((id) => this.region(id) === null)) await this.refresh();
    return ids.filter((id) => {
      const region = this.region(id);
      return !region || (region.organization_id !== null && region.organization_id !== organizationId);
    });
  }

  /** Each region with its name and city, in the order of `ids`. A deleted region has only its id. */
  named(ids: string[]): { id: string; name: string; city: string | null }[] {
    return ids.map((id) => {
      const region = this.region(id);
      return { id, name: region?.name ?? id, city: region?.city || null };
    });
  }

  /** City by region id, without deleted regions and those without a city. */
  async cities(ids: string[]): Promise<Map<string, string>> {
    return new Map(this.named(ids).flatMap(({ id, city }) => (city === null ? [] : [[id, city] as const])));
  }

  async #read(): Promise<'idle'> {
    const [regions, probes] = await Promise.all([this.#deps.regions.list(), this.#deps.probes.list()]);
    this.#regions = regions;
    this.#probes = new Map(probes.map((probe) => [probe._id, probe]));
    this.#byRegion = grouped(probes, (probe) => probe.region_id);
    this.#served = new Set(probes.filter(isEnrolled).map(({ region_id: region }) => region));
    this.#hasFailed = false;
    return 'idle';
  }
}
