import { startFarwatch } from '../helpers/farwatch.ts';
import { passTime } from '../helpers/pass-time.ts';
import { cpuMs, wakeUps } from './cpu.ts';

export interface IdleFigures {
  /** CPU ms per second, by role. */
  cpu: Record<string, number>;
  /** Thread wake-ups per second, by role. */
  wakeUps: Record<string, number>;
}

/** Idle cost of each process of an installation without monitors. */
export async function measureIdle(options: { settleS: number; measureS: number }): Promise<IdleFigures> {
  const farwatch = await startFarwatch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await passTime(options.settleS * 1000);
    const processes = Object.entries(farwatch.pids());
    const read = () =>
      ({ at: performance.now(), each: processes.map(([, pid]) => ({ cpu: cpuMs([pid]), wakes: wakeUps(pid) })) });
    const before = read();
    await passTime(options.measureS * 1000);
    const after = read();
    const perSecond = (of: 'cpu' | 'wakes') => Object.fromEntries(processes.map(([role], index) => {
      const [from, to] = [before.each[index]?.[of] ?? NaN, after.each[index]?.[of] ?? NaN];
      return [role, (to - from) / ((after.at - before.at) / 1000)];
    }));
    return { cpu: perSecond('cpu'), wakeUps: perSecond('wakes') };
  } finally {
    await farwatch.stop();
  }
}
