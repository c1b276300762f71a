import { chooseProbe } from '../../../controller/assignments/assigned-regions.ts';
import { phaseMs } from '../../../controller/monitors/slot-rules.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { Shards } from '../../../controller/results/shards/shards.ts';
import type { StateRecord } from '../../../controller/results/state/records.ts';
import { createLog } from '../../../shared/log.ts';
import { shardOfSubject } from '../../../shared/contracts/subjects.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { limitsOf } from '../../helpers/take-limits.ts';
import { Random } from '../../simulation/random.ts';
import { SimulatedProcess, type Pulse } from '../../simulation/simulated-process.ts';
import { countedStores } from '../fleet/counted-stores.ts';
import { movesIn, type Moves } from '../fleet/moves.ts';
import { VirtualProbe } from '../virtual-probe.ts';
import { shardMap } from '../../helpers/shard-map.ts';

const START_MS = 1_760_000_460_000;
const INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;
/** Regions that check each monitor. */
const REGIONS_PER_MONITOR = 3;

interface FleetOptions {
  monitors: number;
  regions: number;
  probesPerRegion: number;
  /** Virtual time before and during the measurement, ms. */
  settleMs: number;
  forMs: number;
}

export interface FleetFigures extends Moves {
  results: number;
  /** Batches sent by probes. */
  messages: number;
  writes: number;
  documents: number;
  /** Heap and buffers after garbage collection, bytes. */
  probeBytes: number;
  controllerBytes: number;
  /** CPU of this process during the measurement, ms. */
  cpuMs: number;
  /** CPU for assigning probes to all monitors, ms. */
  placingMs: number;
}

/**
 * A working fleet on virtual time, as in the product: probes chosen by the placement rules, each with scheduling,
 * rechecks, packing and sending, and a controller with all shards.
 */
export async function virtualFleet(input: Record<string, unknown>): Promise<FleetFigures> {
  const options = input as unknown as FleetOptions;
  const clock = new SimulatedClock(START_MS);
  const pulse: Pulse = { beats: 0 };
  const random = new Random(options.monitors);
  let [messages, before] = [0, memory()];
  const monitors = Array.from({ length: options.monitors }, () => configOf(random, options.regions));
  const machine = new SimulatedProcess(clock, pulse);
  const states = { records: recordsOf(monitors) };
  const { stores, writes } = countedStores((shard) => states.records[shard] as StateRecord[]);
  const shards = new Shards({
    clock: machine, log: createLog('bench', 'silent'), random: Math.random, stores, limits: limitsOf(30 * DAY_MS), instance: 'bench',
    holdsLease: () => true, surrender: () => undefined, onStarted: () => undefined, onEnded: () => undefined,
    listeners: { onApplied: [], onConfigs: () => undefined },
  });
  shards.start();
  for (const shard of shardMap.all) shards.acquire(shard);
  await run(clock, pulse, 1000);
  if (shards.summaries.size < shardMap.count) throw new Error('not all shards are loaded');
  states.records = [];
  const controllerBytes = memory() - before;
  before = memory();
  const probes = Array.from({ length: options.regions * options.probesPerRegion }, (_, nth) => new VirtualProbe({
    clock, pulse, random: random.fork(), region: `region-${nth % options.regions}`, checkOutcome: () => 'success',
    isLost: () => false,
    request: (from, subject, bytes) => new Promise((resolve) => {
      messages += 1;
      const acknowledge = (watermark: number): void => resolve(Buffer.from(JSON.stringify({ v: 1, watermark })));
      const shard = shardOfSubject(subject) as number;
      shards.take(shard, { region: from.region, probe_id: from.probeId, bytes, acknowledge });
    }),
  }));
  const byRegion = new Map<string, VirtualProbe[]>();
  for (const probe of probes) byRegion.set(probe.region, [...(byRegion.get(probe.region) ?? []), probe]);
  const placingMs = placeAll(monitors, byRegion);
  await run(clock, pulse, 1000);
  const probeBytes = memory() - before;
  await run(clock, pulse, options.settleMs);
  const at = { results: shards.counts.results, messages, ...writes, cpuMs: cpuMs() };
  await run(clock, pulse, options.forMs);
  const figures = {
    results: shards.counts.results - at.results, messages: messages - at.messages,
    writes: writes.commands - at.commands, documents: writes.documents - at.documents, cpuMs: cpuMs() - at.cpuMs,
  };
  const [first = []] = byRegion.values();
  const inFirstRegion = monitors.filter((config) => config.monitoring_regions.includes('region-0'));
  const moves = movesIn(inFirstRegion.map((config) => config.monitor_id), first.map(({ probeId }) => probeId), random.uuid());
  return { ...figures, ...moves, probeBytes, controllerBytes, placingMs };
}

function configOf(random: Random, regions: number): MonitorConfig {
  const home = random.int(0, regions - 1);
  return {
    monitor_id: random.uuid(), organization_id: 'organization', project_id: 'project', revision: 1,
    check_revision: 1, name: 'A monitor of the fleet', target: 'https://www.example.org/some/path', type: 'HTTP',
    status: 'active', interval_ms: INTERVAL_MS, timeout_ms: 10_000, retries: 1, quorum: 'majority',
    tls_warning_days: [], tls_validity: false, domain_warning_days: [], domain_expires_at: null,
    slow_response_threshold_ms: null, notification_target_ids: [],
    monitoring_regions: Array.from({ length: REGIONS_PER_MONITOR }, (_, nth) => `region-${(home + nth) % regions}`),
    changed_at: START_MS - DAY_MS,
  };
}

/** The states of monitors that have been up for a day, by shard. */
function recordsOf(monitors: readonly MonitorConfig[]): StateRecord[][] {
  const shards: StateRecord[][] = Array.from({ length: shardMap.count }, () => []);
  for (const config of monitors) {
    const regions = Object.fromEntries(config.monitoring_regions.map((region, index) => {
      const phase = phaseMs(config.monitor_id, INTERVAL_MS, index, REGIONS_PER_MONITOR);
      const last = START_MS - INTERVAL_MS + phase;
      return [region, { ...NEW_REGION, verdict: 'up' as const, last_at: last, response_time_ms: 20, status_code: 200 }];
    }));
    const state = {
      ...newMonitorState(config), status: 'up' as const, regions, accounted_until: START_MS - (START_MS % 3_600_000),
    };
    const shard = shardMap.of(config.monitor_id);
    (shards[shard] as StateRecord[]).push({ monitor_id: config.monitor_id, shard, position: 0, state, outbox: [] });
  }
  return shards;
}

/** Returns the CPU ms spent on placement. */
function placeAll(monitors: readonly MonitorConfig[], byRegion: ReadonlyMap<string, VirtualProbe[]>): number {
  const ids = new Map([...byRegion].map(([region, probes]) => [region, probes.map(({ probeId }) => probeId).sort()]));
  const byId = new Map([...byRegion.values()].flat().map((probe) => [probe.probeId, probe]));
  let usedMs = 0;
  for (let at = 0; at < monitors.length; at += 1000) {
    const some = monitors.slice(at, at + 1000);
    const before = cpuMs();
    const chosen = some.map(({ monitor_id, monitoring_regions }) =>
      monitoring_regions.map((region) => chooseProbe(monitor_id, ids.get(region) ?? [])));
    usedMs += cpuMs() - before;
    some.forEach((config, nth) => chosen[nth]?.forEach(
      (id, index) => byId.get(id ?? '')?.take(config, index, REGIONS_PER_MONITOR, false),
    ));
  }
  return usedMs;
}

/** Advances the clock; promises settle after each timer that did something. */
async function run(clock: SimulatedClock, pulse: Pulse, forMs: number): Promise<void> {
  let isOver = false;
  clock.setTimer(forMs, () => (isOver = true));
  const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  await settled();
  while (!isOver) {
    const { beats } = pulse;
    clock.step();
    if (pulse.beats !== beats) await settled();
  }
}

function memory(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
