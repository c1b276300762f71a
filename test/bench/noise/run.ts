import { Confirmations } from '../../../controller/assignments/second-opinions.ts';
import type { Alert } from '../../../controller/verdicts/effect.ts';
import type { ConfirmOrder } from '../../../shared/contracts/assignment.ts';
import type { Outage } from '../../simulation/targets.ts';
import { MINUTE_MS, World } from '../../simulation/world.ts';
import { Random } from '../../simulation/random.ts';
import { VirtualProbe, type Found } from '../virtual-probe.ts';
import { NaiveAlerting } from './naive-alerting.ts';

const REGIONS = ['eu', 'us', 'ap'];
/** Time until most of the recent beats show the new clock. */
const SKEW_DETECTED_AFTER_MS = 15_000;
const CLOCK_SKEW_MS = 30_000;
const CUT_OFF_MS = 10 * MINUTE_MS;
const RESTART_AFTER_MS = 5000;
/** Time until all monitors are being checked. */
const SETTLE_MS = 2 * MINUTE_MS;
/** A check that failed during the outage may be confirmed shortly after it. */
const MAX_CONFIRM_DELAY_MS = 3000;

export interface NoiseOptions {
  seed: number;
  monitors: number;
  intervalMs: number;
  /** Slot checks of all regions together. */
  checks: number;
  outages: number;
  /** Share of checks that fail although their target works. */
  noise: number;
}

export interface NoiseFigures {
  checks: number;
  falseAlerts: number;
  /** Outages without an alert, and with more than one. */
  missed: number;
  doubled: number;
  /** Alerts whose resolution was not sent exactly once. */
  unresolved: number;
  firstFailure: { falseAlerts: number; falseByLoss: number };
  singleRound: { falseAlerts: number };
}

/** An alert, and when it was handed over for sending, Unix ms. */
interface SentAlert {
  alert: Alert;
  at: number;
}

/**
 * Three regions check under noise, on virtual time. Meanwhile, one loses its network for ten minutes, the clock of
 * another's probe jumps ahead by 30 s, and one of two controllers is killed and restarted.
 */
export async function runNoise(options: NoiseOptions): Promise<NoiseFigures> {
  const { seed, monitors, intervalMs, noise } = options;
  const shifts = new Map<string, number>();
  const probes: VirtualProbe[] = [];
  const sentAlerts: SentAlert[] = [];
  const world: World = new World({
    seed, controllers: 2, regions: [],
    disguise: (stores, { clock }) => ({ ...stores, alerts: { fanOut: (alert) => {
      sentAlerts.push({ alert, at: clock.now() });
      return stores.alerts.fanOut(alert);
    } } }),
    hooks: {
      clockShiftMs: (probeId) => shifts.get(probeId) ?? 0,
      onFailure: (state, region, result) => confirmations.onResult(state, region, result),
    },
  });
  const confirmations = confirmationsIn(world, probes);
  const draws = new Random(seed + 1);
  let isNoisy = false;
  let checks = 0;
  const rivals = rivalsOf(world, probes, noise, seed);
  // Always drawn, so that an outage doesn't change the random sequence of others.
  const outcomeFor = (isLost: boolean, id: string): Found => {
    const isNoise = draws.chance(noise) && isNoisy;
    if (isLost) return 'lost';
    return isNoise || !world.targets.isWorking(id, world.clock.now()) ? 'failure' : 'success';
  };
  for (const region of REGIONS) {
    const isLost = (): boolean => world.network.cutOff.has(probe.probeId);
    const probe: VirtualProbe = new VirtualProbe({
      clock: world.clock, pulse: world.pulse, random: world.random.fork(), region,
      checkOutcome: (id) => outcomeFor(isLost(), id), isLost,
      onSlot: (id, found) => {
        checks += 1;
        rivals.firstFailure.record(id, region, found);
        if (found !== 'lost') rivals.singleRound.record(id, region, found);
      },
      request: (from, ...args) => world.network.request(from, ...args),
    });
    probes.push(probe);
  }
  world.start();
  await world.run(MINUTE_MS);
  for (let nth = 0; nth < monitors; nth += 1) {
    const config = world.createMonitor({ interval_ms: intervalMs, monitoring_regions: REGIONS });
    probes.forEach((probe, index) => probe.take(config, index, REGIONS.length, true));
  }
  await world.run(SETTLE_MS);
  const forMs = (options.checks / (monitors * REGIONS.length)) * intervalMs;
  planOutages(world, options, forMs);
  planFaults(world, probes, forMs, shifts);
  const sweep = world.clock.setRepeating(MINUTE_MS, () => {
    world.db.clearHistory();
    for (const probe of probes) probe.dropHistory();
  });
  isNoisy = true;
  checks = 0;
  await world.run(forMs + SETTLE_MS);
  sweep.cancel();
  return { checks, ...judge(world, sentAlerts), ...rivals };
}

/** The product's confirmation orders, without encryption. */
function confirmationsIn(world: World, probes: readonly VirtualProbe[]): Confirmations {
  type Enrolled = ReturnType<ConstructorParameters<typeof Confirmations>[0]['directory']['enrolled']>;
  return new Confirmations({
    clock: world.clock,
    directory: {
      enrolled: (id) => {
        const probe = probes.find(({ probeId }) => probeId === id);
        return probe ? { _id: id, region_id: probe.region } as Enrolled : null;
      },
    },
    sealer: { seal: (_purpose, _to, content) => JSON.stringify(content) },
    bus: {
      publish: (subject, content) => {
        const probe = probes.find(({ probeId }) => subject.endsWith(probeId));
        if (!probe || world.network.cutOff.has(probe.probeId)) return;
        const { confirm } = JSON.parse(String(content)) as ConfirmOrder;
        world.clock.setTimer(1, () => probe.process.enter(() => probe.confirm(confirm)));
      },
    },
  });
}

/**
 * The first sees every slot seen by the product's probes. The second sees those of regions with a network, and confirms
 * with the others once.
 */
function rivalsOf(
  world: World, probes: readonly VirtualProbe[], noise: number, seed: number,
): { firstFailure: NaiveAlerting; singleRound: NaiveAlerting } {
  const isWorking = (id: string): boolean => world.targets.isWorking(id, world.clock.now());
  const draws = new Random(seed + 2);
  const sees = (id: string, { probeId }: VirtualProbe): boolean =>
    (draws.chance(noise) || !isWorking(id)) && !world.network.cutOff.has(probeId);
  return {
    firstFailure: new NaiveAlerting({ isWorking, confirms: () => true }),
    singleRound: new NaiveAlerting({
      isWorking,
      confirms: (id, region) => probes.filter((probe) => probe.region !== region && sees(id, probe)).length > 0,
    }),
  };
}

/** One outage per monitor for the first monitors, one to five intervals long, spread over the whole run. */
function planOutages(world: World, { outages, intervalMs }: NoiseOptions, forMs: number): void {
  const random = world.random.fork();
  const ids = [...world.db.monitors.keys()].slice(0, outages);
  const now = world.clock.now();
  for (const id of ids) {
    const durationMs = Math.round(intervalMs * (1 + 4 * random.next()));
    const from = now + random.int(0, Math.max(0, Math.round(forMs - durationMs)));
    world.targets.plan(id, [{ from, until: from + durationMs }]);
  }
}

function planFaults(
  world: World, probes: readonly VirtualProbe[], forMs: number, shifts: Map<string, number>,
): void {
  const [cutOff, skewed] = probes as [VirtualProbe, VirtualProbe];
  const [controller] = world.controllers;
  world.restartAfterMs = () => RESTART_AFTER_MS;
  const at = (share: number, action: () => void): void => void world.clock.setTimer(share * forMs, action);
  at(0.1, () => {
    world.network.cutOff.add(cutOff.probeId);
    world.clock.setTimer(CUT_OFF_MS, () => world.network.cutOff.delete(cutOff.probeId));
  });
  at(0.6, () => {
    skewed.process.offsetMs = CLOCK_SKEW_MS;
    world.clock.setTimer(SKEW_DETECTED_AFTER_MS, () => shifts.set(skewed.probeId, -CLOCK_SKEW_MS));
  });
  at(0.8, () => controller?.kill());
}

/** Compares the alerts with the ground truth. An alert repeated after a crash counts once. */
function judge(
  { targets, db }: World, sentAlerts: readonly SentAlert[],
): Pick<NoiseFigures, 'falseAlerts' | 'missed' | 'doubled' | 'unresolved'> {
  const first = new Map(sentAlerts.toReversed().map((each) => [each.alert.id, each]));
  const of = (event: Alert['event']): SentAlert[] => [...first.values()].filter(({ alert }) => alert.event === event);
  const isDue = ({ from, until }: Outage, at: number): boolean => at >= from && at <= until + MAX_CONFIRM_DELAY_MS;
  const [downs, ups] = [of('monitor.down'), of('monitor.up')];
  const counts = [...db.monitors.keys()].flatMap((id) => targets.outagesOf(id).map((outage) =>
    downs.filter(({ alert, at }) => alert.monitor.monitor_id === id && isDue(outage, at)).length));
  return {
    falseAlerts: downs.length - counts.reduce((sum, count) => sum + count, 0),
    missed: counts.filter((count) => count === 0).length,
    doubled: counts.filter((count) => count > 1).length,
    unresolved: downs.filter(({ alert: { incident } }) =>
      ups.filter(({ alert }) => alert.incident?.id === incident?.id).length !== 1).length,
  };
}
