import { ApiSession } from '../helpers/api-session.ts';
import { passTime } from '../helpers/pass-time.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { cpuMs, rssMb } from './cpu.ts';
import { startBenchTarget } from './target.ts';

export interface ChainFigures {
  monitors: number;
  intervalS: number;
  /** Checks per second that the target saw. */
  checksPerS: number;
  /** CPU of all processes per check, ms; `byRole` has each process. */
  cpuPerCheck: number;
  byRole: Record<string, number>;
  rssMb: number;
  /** Results the controller accepted, per check that the target saw. */
  stored: number;
}

const ROLES = ['quickstart', 'controller', 'probe', 'nats-server', 'embedded-mongo', 'mongod'] as const;

/**
 * Runs the whole product on a target that answers instantly, and measures the CPU per check of every process,
 * including the database and NATS.
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
    const before = {
      cpu: pids.map(([, pid]) => cpuMs([pid])), checks: await target.count(), taken: await taken(farwatch),
      at: Date.now(),
    };
    await passTime(measureS * 1000);
    const after = {
      cpu: pids.map(([, pid]) => cpuMs([pid])), checks: await target.count(), taken: await taken(farwatch),
      at: Date.now(),
    };
    const checks = after.checks - before.checks;
    const byRole = Object.fromEntries(pids.map(
      ([role], index) => [role, ((after.cpu[index] as number) - (before.cpu[index] as number)) / checks],
    ));
    return {
      monitors, intervalS, checksPerS: checks / ((after.at - before.at) / 1000), byRole,
      cpuPerCheck: Object.values(byRole).reduce((sum, each) => sum + each, 0),
      rssMb: rssMb(pids.map(([, pid]) => pid)),
      stored: (after.taken - before.taken) / checks,
    };
  } finally {
    await farwatch.stop();
    target.stop();
  }
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

async function taken(farwatch: Farwatch): Promise<number> {
  const metrics = await (await fetch(`${farwatch.url}/metrics`)).text();
  return Number(/^farwatch_results_total (\d+)/m.exec(metrics)?.[1] ?? NaN);
}
