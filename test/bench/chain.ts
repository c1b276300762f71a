import { ApiSession } from '../helpers/api-session.ts';
import { passTime } from '../helpers/pass-time.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { cpuMs, memoryMb } from './cpu.ts';
import { startBenchTarget } from './target.ts';

export interface ChainFigures {
  monitors: number;
  intervalS: number;
  /** Checks per second seen by the target. */
  checksPerS: number;
  /** CPU per check, ms, of all processes and of each. */
  cpuPerCheck: number;
  cpuByRole: Record<string, number>;
  /** Memory at the end, MB, of all processes and of each. */
  memoryMb: number;
  memoryByRole: Record<string, number>;
  /** Results accepted by the controller per check seen by the target. */
  stored: number;
}

const ROLES = ['quickstart', 'controller', 'probe', 'nats-server', 'embedded-mongo', 'mongod'] as const;
/** Without any of these the measurement is invalid. */
const REQUIRED_ROLES = ['controller', 'probe', 'nats-server'] as const;

/**
 * Runs the whole product on a target that responds instantly. Measures the CPU per check and the memory of every
 * process, including the database and NATS.
 */
export async function measureChain(
  options: { monitors: number; intervalS: number; settleS: number; measureS: number; targetBundle: string },
): Promise<ChainFigures> {
  const { monitors, intervalS, settleS, measureS } = options;
  const target = await startBenchTarget(options.targetBundle);
  const farwatch =
    await startFarwatch({ env: { MIN_INTERVAL_SECONDS: '1', RATE_LIMIT: '100000000', LOG_LEVEL: 'warn' } });
  try {
    await createMonitors(farwatch, target.url, monitors, intervalS);
    await passTime(settleS * 1000);
    const pids =
      Object.entries(farwatch.pids()).filter(([role]) => ROLES.includes(role as (typeof ROLES)[number]));
    const missing = REQUIRED_ROLES.filter((role) => !pids.some(([found]) => found === role));
    if (missing.length > 0) throw new Error(`not found among the processes: ${missing.join(', ')}`);
    const before = {
      cpu: pids.map(([, pid]) => cpuMs([pid])), checks: await target.count(), resultsTotal: await resultsTotal(farwatch),
      at: Date.now(),
    };
    await passTime(measureS * 1000);
    const after = {
      cpu: pids.map(([, pid]) => cpuMs([pid])), checks: await target.count(), resultsTotal: await resultsTotal(farwatch),
      at: Date.now(),
    };
    const checks = after.checks - before.checks;
    const cpuByRole = Object.fromEntries(pids.map(
      ([role], index) => [role, ((after.cpu[index] as number) - (before.cpu[index] as number)) / checks],
    ));
    const memoryByRole = Object.fromEntries(pids.map(([role, pid]) => [role, memoryMb(pid)]));
    return {
      monitors, intervalS, checksPerS: checks / ((after.at - before.at) / 1000),
      cpuByRole, cpuPerCheck: total(cpuByRole), memoryByRole, memoryMb: total(memoryByRole),
      stored: (after.resultsTotal - before.resultsTotal) / checks,
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

async function createMonitors(
  farwatch: Farwatch, targetUrl: string, count: number, intervalS: number,
): Promise<void> {
  const session = await new ApiSession(farwatch.url).begin();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      await session.ok('POST', '/api/monitors', {
        name: `bench ${index}`, type: 'HTTP', target: `${targetUrl}/${index}`, interval_seconds: intervalS,
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function resultsTotal(farwatch: Farwatch): Promise<number> {
  const metrics = await (await fetch(`${farwatch.url}/metrics`)).text();
  return Number(/^farwatch_results_total (\d+)/m.exec(metrics)?.[1] ?? NaN);
}
