import { ApiSession } from '../helpers/api-session.ts';
import { passTime } from '../helpers/pass-time.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { until } from '../helpers/until.ts';
import { cpuMs, memoryOf, type Memory } from './cpu.ts';
import { startBenchTarget, type BenchTarget } from './target.ts';

export interface ChainFigures {
  monitors: number;
  intervalS: number;
  /** Checks per second seen by the target. */
  checksPerS: number;
  /** CPU per check, ms, of all processes and of each. */
  cpuPerCheck: number;
  cpuByRole: Record<string, number>;
  /** Memory of each process at the end. */
  memoryByRole: Record<string, Memory>;
  /** Results accepted by the controller per check seen by the target. */
  stored: number;
  /** Processes that ended although nothing asked them to. */
  deaths: number;
}

/** Settings of the installation. */
export const BENCH_ENV = { MIN_INTERVAL_SECONDS: '1', RATE_LIMIT: '100000000', LOG_LEVEL: 'warn' };
export const RESULTS = 'farwatch_results_total';
/** Monitors per document. */
const IMPORT_SIZE = 500;
const ROLES = ['quickstart', 'controller', 'probe', 'nats-server', 'embedded-mongo', 'mongod'] as const;
/** Without any of these the measurement is invalid. */
const REQUIRED_ROLES = ['controller', 'probe', 'nats-server'] as const;

/**
 * Runs the whole product on a target that responds instantly. Measures the CPU per check and the memory of every
 * process, including the database and NATS.
 */
export async function measureChain(
  options: {
    monitors: number; intervalS: number; settleS: number; measureS: number; targetBundle: string;
    /** Program and arguments instead of `farwatch start`. */
    command?: [string, ...string[]];
  },
): Promise<ChainFigures> {
  const { monitors, intervalS, settleS, measureS, command } = options;
  const target = await startBenchTarget(options.targetBundle);
  const farwatch = await startFarwatch({ env: BENCH_ENV, ...(command && { command }) });
  try {
    await createMonitors(await new ApiSession(farwatch.url).begin(), target, { to: monitors, intervalS });
    await passTime(settleS * 1000);
    const pids =
      Object.entries(farwatch.pids()).filter(([role]) => ROLES.includes(role as (typeof ROLES)[number]));
    const missing = REQUIRED_ROLES.filter((role) => !pids.some(([found]) => found === role));
    if (missing.length > 0) throw new Error(`not found among the processes: ${missing.join(', ')}`);
    const before = {
      cpu: pids.map(([, pid]) => cpuMs([pid])), checks: await target.count(), results: await counterOf(farwatch, RESULTS),
      at: Date.now(),
    };
    await passTime(measureS * 1000);
    const after = {
      cpu: pids.map(([, pid]) => cpuMs([pid])), checks: await target.count(), results: await counterOf(farwatch, RESULTS),
      at: Date.now(),
    };
    const checks = after.checks - before.checks;
    const cpuByRole = Object.fromEntries(pids.map(
      ([role], index) => [role, ((after.cpu[index] as number) - (before.cpu[index] as number)) / checks],
    ));
    const memoryByRole = Object.fromEntries(pids.map(([role, pid]) => [role, memoryOf(pid)]));
    return {
      monitors, intervalS, checksPerS: checks / ((after.at - before.at) / 1000),
      cpuByRole, cpuPerCheck: total(cpuByRole), memoryByRole,
      stored: (after.results - before.results) / checks, deaths: await farwatch.deaths(),
    };
  } finally {
    await farwatch.stop();
    target.stop();
  }
}

/** Of all roles. */
export function total(byRole: Record<string, number>): number {
  return Object.values(byRole).reduce((sum, each) => sum + each, 0);
}

/** Creates HTTP monitors of `target`, numbered from `from` up to but not including `to`. */
export async function createMonitors(
  session: ApiSession, target: BenchTarget,
  { from = 0, to, intervalS }: { from?: number; to: number; intervalS: number },
): Promise<void> {
  for (let first = from; first < to; first += IMPORT_SIZE) {
    const monitors = Array.from({ length: Math.min(IMPORT_SIZE, to - first) }, (_, at) => ({
      name: `bench ${first + at}`, type: 'HTTP', target: `${target.url}/${first + at}`, interval_seconds: intervalS,
    }));
    // The controller may be busy. A repeated import changes nothing.
    const isImported = async () => (await session.call('POST', '/api/import', { monitors })).status === 200;
    await until(isImported, { what: 'the monitors are imported', everyMs: 1000 });
  }
}

/** A counter of the controller since its start. */
export async function counterOf(farwatch: Farwatch, name: string): Promise<number> {
  const metrics = await (await fetch(`${farwatch.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1] ?? NaN);
}
