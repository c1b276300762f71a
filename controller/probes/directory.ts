import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { ProbeDoc, RegionDoc } from './probe.ts';
import type { RegionStore } from './region-store.ts';
import type { ProbeStore } from './store.ts';

/** How late a controller learns what another one changed. */
const REFRESH_EVERY_MS = 3000;

export interface DirectoryDeps {
  regions: Pick<RegionStore, 'all'>;
  probes: Pick<ProbeStore, 'all'>;
  clock: Clock;
  log: Log;
}

/** Regions and probes as MongoDB had them a moment ago: what hot paths ask instead of the database. */
export class FleetDirectory {
  readonly #deps: DirectoryDeps;
  readonly #listeners: (() => void)[] = [];
  #regions: RegionDoc[] = [];
  #probes = new Map<string, ProbeDoc>();
  #byRegion = new Map<string, ProbeDoc[]>();
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #timer: Timer | null = null;
  #hasFailed = false;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** Reads once, then again every 3 s. Rejects when the first read fails. */
  async start(): Promise<void> {
    await this.#run();
    this.#timer = this.#deps.clock.setRepeating(REFRESH_EVERY_MS, () => void this.refresh().catch(() => undefined));
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#running?.catch(() => undefined);
  }

  /** Calls `listener` after each read. */
  onRead(listener: () => void): void {
    this.#listeners.push(listener);
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

  /** Also those whose deletion is not through. */
  probesOf(regionId: string): readonly ProbeDoc[] {
    return this.#byRegion.get(regionId) ?? [];
  }

  probes(): Iterable<ProbeDoc> {
    return this.#probes.values();
  }

  /** Reads again; whoever calls while a read is under way gets one that began after the call. Rejects when the database does not answer. */
  refresh(): Promise<void> {
    if (!this.#running) return this.#run();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        return this.#run();
      });
    return this.#next;
  }

  #run(): Promise<void> {
    this.#running = this.#read().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #read(): Promise<void> {
    try {
      const [regions, probes] = await Promise.all([this.#deps.regions.all(), this.#deps.probes.all()]);
      this.#regions = regions;
      this.#probes = new Map(probes.map((probe) => [probe._id, probe]));
      this.#byRegion = byRegion(probes);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#deps.log.warn({ err: error }, 'fleet not read; the last known one is used');
      this.#hasFailed = true;
      throw error;
    }
    for (const listener of this.#listeners) listener();
  }
}

function byRegion(probes: ProbeDoc[]): Map<string, ProbeDoc[]> {
  const groups = new Map<string, ProbeDoc[]>();
  for (const probe of probes) {
    const group = groups.get(probe.region_id);
    if (group) group.push(probe);
    else groups.set(probe.region_id, [probe]);
  }
  return groups;
}
