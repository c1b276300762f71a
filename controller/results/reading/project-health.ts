import { z } from 'zod';
import { SHARD_COUNT } from '../../../shared/ids.ts';
import { sleep, type Clock } from '../../../shared/time.ts';
import { shardQuestion, type ShardQuestions } from '../shards/shard-questions.ts';
import type { LiveMonitor } from '../state/live-monitor.ts';

/** Active monitors of a project by status, and the few that stand out. */
export interface ProjectHealth {
  counts: { up: number; down: number; degraded: number };
  /** By their latest success, slowest first. */
  slowest: { monitor_id: string; response_time_ms: number }[];
  /** By outages within the time in which flapping is looked for, most first. */
  flakiest: { monitor_id: string; recent_outages: number }[];
}

export interface HealthReader {
  ofProject(projectId: string): Promise<ProjectHealth>;
}

/** Monitors of each list that are told. */
const MOST_TOLD = 5;
/** A shard that takes longer is followed by a break. */
const WITHOUT_BREAK_MS = 2;

const answered = z.object({
  counts: z.object({ up: z.int(), down: z.int(), degraded: z.int() }),
  slowest: z.array(z.object({ monitor_id: z.string(), response_time_ms: z.number() })),
  flakiest: z.array(z.object({ monitor_id: z.string(), recent_outages: z.int() })),
});

/** How the monitors of a project are that a shard's owner has in memory. */
export const healthQuestion = shardQuestion({
  name: 'health',
  asked: z.object({ project_id: z.string() }),
  answered,
  fromMemory: ({ state }, { project_id }) => {
    const health: ProjectHealth = { counts: { up: 0, down: 0, degraded: 0 }, slowest: [], flakiest: [] };
    for (const [id, cell] of state.monitors) if (cell.state.config.project_id === project_id && cell.state.config.status === 'active') addTo(health, id, cell);
    return trimmed(health);
  },
});

/** Asks every shard's owner; one that does not answer is left out. Goes through all monitors, and lets others in between. */
export function projectHealth(owners: ShardQuestions, clock: Clock): HealthReader {
  return {
    ofProject: async (projectId) => {
      const asked: Promise<ProjectHealth | null>[] = [];
      for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
        const before = clock.monotonic();
        asked.push(owners.ask(shard, healthQuestion, { project_id: projectId }).catch(() => null));
        if (clock.monotonic() - before > WITHOUT_BREAK_MS) await sleep(clock, 0);
      }
      const known = (await Promise.all(asked)).filter((answer) => answer !== null);
      const sum = (name: keyof ProjectHealth['counts']) => known.reduce((total, { counts }) => total + counts[name], 0);
      return trimmed({
        counts: { up: sum('up'), down: sum('down'), degraded: sum('degraded') },
        slowest: known.flatMap(({ slowest }) => slowest), flakiest: known.flatMap(({ flakiest }) => flakiest),
      });
    },
  };
}

function addTo({ counts, slowest, flakiest }: ProjectHealth, id: string, { state }: LiveMonitor): void {
  if (state.status === 'up' || state.status === 'down' || state.status === 'degraded') counts[state.status] += 1;
  const time = state.last_success_ms ?? null;
  if (time !== null && state.status !== 'down' && state.status !== 'unknown') slowest.push({ monitor_id: id, response_time_ms: time });
  const outages = state.flaps?.downs.length ?? 0;
  if (outages > 0) flakiest.push({ monitor_id: id, recent_outages: outages });
}

function trimmed({ counts, slowest, flakiest }: ProjectHealth): ProjectHealth {
  return {
    counts,
    slowest: slowest.sort((one, other) => other.response_time_ms - one.response_time_ms).slice(0, MOST_TOLD),
    flakiest: flakiest.sort((one, other) => other.recent_outages - one.recent_outages).slice(0, MOST_TOLD),
  };
}
