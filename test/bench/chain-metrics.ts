import { join } from 'node:path';
import { measureChain, total } from './chain.ts';
import type { Memory } from './cpu.ts';
import { measureIdle } from './idle.ts';
import type { Metric } from './metrics.ts';
import { MemoryLimit } from './memory-limit.ts';
import { print } from './report.ts';

/** As in `podman run --memory 300m`. */
const LITTLE_MEMORY_MB = 300;

/** CPU of all processes per check, and while there is nothing to check. */
export const chainCpu: Metric = async ({ outdir, scale }) => {
  const targetBundle = join(outdir, 'target.mjs');
  const slow = await measureChain({
    monitors: 600, intervalS: 20, settleS: seconds(40, scale), measureS: seconds(60, scale), targetBundle,
  });
  const fast = await measureChain({
    monitors: 5000, intervalS: 5, settleS: seconds(20, scale), measureS: seconds(40, scale), targetBundle,
  });
  const idle = await measureIdle({ settleS: seconds(180, scale), measureS: seconds(60, scale) });
  const peers = 'others, measured apart: Uptime Kuma 9.4, Prometheus with blackbox_exporter 2.75, Gatus 2.2, Jetmon v2 0.5';
  return [
    print({
      metric: '15', what: 'CPU per check, whole chain, 600 monitors every 20 s', ours: [slow.cpuPerCheck],
      theirs: null, unit: 'ms', limit: { max: 0.9 }, note: `${each(slow.cpuByRole, 3)}; ${peers}`,
    }),
    print({
      metric: '15', what: 'CPU per check, whole chain, 1,000 checks/s', ours: [fast.cpuPerCheck],
      theirs: null, unit: 'ms', limit: { max: 0.5 }, note: each(fast.cpuByRole, 3),
    }),
    print({
      metric: '15', what: 'checks per second of 1,000', ours: [fast.checksPerS], theirs: null,
      unit: '/s', limit: { min: 980 },
    }),
    print({
      metric: '15', what: 'CPU per second without monitors', ours: [total(idle.cpu)], theirs: null, unit: 'ms',
      limit: { max: 4 }, note: each(idle.cpu, 2),
    }),
    print({
      metric: '15', what: 'wake-ups per second without monitors', ours: [total(idle.wakeUps)], theirs: null,
      unit: '/s', limit: { max: 15 }, note: each(idle.wakeUps, 1),
    }),
  ];
};

/** Memory of all processes after ten minutes of checks. */
export const chainMemory: Metric = async ({ outdir, scale }) => {
  const targetBundle = join(outdir, 'target.mjs');
  const outcomes: (boolean | null)[] = [];
  for (const [monitors, intervalS, max] of [[600, 20, 250], [10_000, 60, 400]] as const) {
    const figures = await measureChain({
      monitors, intervalS, settleS: seconds(540, scale), measureS: seconds(60, scale), targetBundle,
    });
    const { memoryByRole, cpuPerCheck, cpuByRole } = figures;
    const what = `${monitors} monitors every ${intervalS} s, after ten minutes`;
    outcomes.push(
      print({
        metric: '17', what: `memory, ${what}`, ...megabytes(memoryByRole, 'allMb'), limit: { max },
      }),
      print({
        metric: '17', what: `of it without pages of files, ${what}`, ...megabytes(memoryByRole, 'anonymousMb'),
      }),
      print({
        metric: '17', what: `CPU per check, ${what}`, ours: [cpuPerCheck], theirs: null, unit: 'ms',
        note: each(cpuByRole, 3),
      }),
    );
  }
  return outcomes;
};

/** Checks of 10,000 monitors where all processes together get as little memory as a small container. */
export const littleMemory: Metric = async ({ outdir, root, scale }) => {
  const limit = MemoryLimit.create(LITTLE_MEMORY_MB * 1_048_576);
  if (limit === null) {
    process.stdout.write('skip 17  10,000 monitors in little memory: only root can limit it\n');
    return [];
  }
  const figures = await measureChain({
    monitors: 10_000, intervalS: 60, settleS: seconds(540, scale), measureS: seconds(60, scale),
    targetBundle: join(outdir, 'target.mjs'),
    command: limit.around(process.execPath, join(root, 'deploy/command/farwatch.mjs')),
  }).finally(() => limit.remove());
  const what = `10,000 monitors every 60 s within ${LITTLE_MEMORY_MB} MB`;
  return [
    print({
      metric: '17', what: `processes killed, ${what}`, ours: [figures.deaths], theirs: null, unit: '', limit: { max: 0 },
    }),
    print({
      metric: '17', what: `checks per second of 167, ${what}`, ours: [figures.checksPerS], theirs: null, unit: '/s',
      limit: { min: 163 }, note: each(figures.cpuByRole, 3),
    }),
    print({
      metric: '17', what: `memory without pages of files, ${what}`, ...megabytes(figures.memoryByRole, 'anonymousMb'),
    }),
  ];
};

/** CPU and memory of each process at the rates in the table of `docs/operating.md`. */
export const chainRates: Metric = async ({ outdir, scale }) => {
  for (const rate of [1000, 5000, 6000]) {
    const figures = await measureChain({
      monitors: rate, intervalS: 1, settleS: seconds(60, scale), measureS: seconds(60, scale),
      targetBundle: join(outdir, 'target.mjs'),
    });
    const what = `of ${rate} HTTP checks/s`;
    print({ metric: 'rate', what: `run ${what}`, ours: [figures.checksPerS], theirs: null, unit: '/s' });
    print({
      metric: 'rate', what: `CPU per check ${what}`, ours: [figures.cpuPerCheck], theirs: null, unit: 'ms',
      note: each(figures.cpuByRole, 3),
    });
    print({ metric: 'rate', what: `memory ${what}`, ...megabytes(figures.memoryByRole, 'allMb') });
  }
  return [];
};

function megabytes(byRole: Record<string, Memory>, kind: keyof Memory) {
  const figures = Object.fromEntries(Object.entries(byRole).map(([role, memory]) => [role, memory[kind]]));
  return { ours: [total(figures)], theirs: null, unit: 'MB', note: each(figures, 0) };
}

function seconds(full: number, scale: number): number {
  return Math.max(10, Math.round(full * scale));
}

function each(figures: Record<string, number>, digits: number): string {
  return Object.entries(figures).map(([role, figure]) => `${role} ${figure.toFixed(digits)}`).join(', ');
}
