import type { JournaledPing, Run } from '../monitor-state.ts';

/** Runs of a monitor at a time. Beyond that, the oldest are forgotten. */
const MAX_RUNS = 50;

type RunPing = Pick<JournaledPing, 'at' | 'run_id'>;

/**
 * The runs after a start. A run that starts again without an end keeps its deadline: its first start did not
 * end. `limitMs`: how long a run may take, null for no limit.
 */
export function runsAfterStart(runs: readonly Run[], ping: RunPing, limitMs: number | null): Run[] {
  const { at, run_id: id = null } = ping;
  const again = runs.find((run) => run.id === id);
  const deadline = again?.deadline ?? (limitMs === null ? null : at + limitMs);
  return [...runs.filter((run) => run !== again), { id, started_at: at, deadline }].slice(-MAX_RUNS);
}

/** The runs after the end of one. */
export function runsAfterEnd(runs: readonly Run[], { run_id: id = null }: RunPing): Run[] {
  return runs.filter((run) => run.id !== id);
}

/** When the first run is overdue, Unix ms; Infinity if none can be. */
export function firstRunDeadline(runs: readonly Run[]): number {
  return Math.min(Infinity, ...runs.map(({ deadline }) => deadline ?? Infinity));
}
