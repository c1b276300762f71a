import { expect, test } from 'vitest';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import type { MonitorState } from '../../../controller/verdicts/monitor-state.ts';
import { NEW_REGION } from '../../../controller/verdicts/votes/region-rules.ts';
import { ShardMetrics } from '../../../controller/results/reading/metrics/shard-metrics.ts';
import { newLiveMonitor } from '../../../controller/results/state/live-monitor.ts';
import { ShardState } from '../../../controller/results/state/shard-state.ts';
import { configOf, HOUR, idIn, resultOf } from './build.ts';

const PROJECTS = new Set(['p']);

function shardOf(...configs: MonitorConfig[]) {
  const state = new ShardState(2, { n: 0, lanes: [], taken_at: 0 }, []);
  for (const config of configs) state.monitors.set(config.monitor_id, newLiveMonitor(up(config), 0));
  return { state, isWhole: true, writer: 'w' };
}

function up(config: MonitorConfig): MonitorState {
  return { ...newMonitorState(config), status: 'up', regions: { eu: { ...NEW_REGION, verdict: 'up' } } };
}

const fresh = (config: MonitorConfig, outcome: 'success' | 'failure') => ({
  config, region: 'eu', probe_id: 'probe', epoch: 'e', engine: 'test', late: false, received_at: HOUR,
  result: resultOf(config, { outcome }),
});

/** The checks of each listed monitor. */
function checksOf(metrics: ShardMetrics, shard: ReturnType<typeof shardOf>) {
  const { ids, numbers } = metrics.page(shard, PROJECTS, 0, HOUR);
  return Object.fromEntries(ids.map((id, at) => [id, numbers.slice(at * 17 + 14, at * 17 + 17)]));
}

test('checks are counted from the first read of their project on, by monitor', () => {
  const [one, other, foreign] =
    [configOf(), configOf({ monitor_id: idIn(2, 1) }), configOf({ monitor_id: idIn(2, 2), project_id: 'q' })];
  const shard = shardOf(one, other, foreign);
  const metrics = new ShardMetrics();
  metrics.note([fresh(one, 'success')]);
  metrics.follow(shard.state, PROJECTS);
  metrics.note([fresh(one, 'success'), fresh(other, 'failure'), fresh(one, 'failure'), fresh(foreign, 'success')]);
  expect(checksOf(metrics, shard)).toEqual({ [one.monitor_id]: [1, 1, 0], [other.monitor_id]: [0, 1, 0] });
});

test('a monitor that takes the place of a removed one starts at zero', () => {
  const [removed, later] = [configOf(), configOf({ monitor_id: idIn(2, 1) })];
  const shard = shardOf(removed);
  const metrics = new ShardMetrics();
  metrics.follow(shard.state, PROJECTS);
  metrics.note([fresh(removed, 'success')]);
  shard.state.monitors.delete(removed.monitor_id);
  metrics.follow(shard.state, PROJECTS);
  shard.state.monitors.set(later.monitor_id, newLiveMonitor(up(later), 0));
  metrics.follow(shard.state, PROJECTS);
  expect(checksOf(metrics, shard)).toEqual({ [later.monitor_id]: [0, 0, 0] });
});

test('pages contain every monitor of the projects once, without deleted ones', async () => {
  const configs = Array.from({ length: 600 }, (_, at) => configOf({
    monitor_id: `m${at}`, project_id: at % 3 === 0 ? 'q' : 'p', status: at % 7 === 0 ? 'deleted' : 'active',
  }));
  const shard = shardOf(...configs);
  const metrics = new ShardMetrics();
  metrics.follow(shard.state, PROJECTS);
  const ids: string[] = [];
  let pending = 0;
  for (let from: number | null = 0; from !== null;) {
    const page: ReturnType<ShardMetrics['page']> = metrics.page(shard, PROJECTS, from, HOUR);
    ids.push(...page.ids);
    pending += page.pending;
    from = page.next;
  }
  const wanted = configs.filter((_, at) => at % 3 !== 0 && at % 7 !== 0).map(({ monitor_id: id }) => id);
  expect(ids).toEqual(wanted);
  expect(pending).toBe(wanted.length);
  const read: number[] = [];
  while (metrics.hasStaleUptimes) {
    await metrics.readUptimes({
      hourTotals: async (keys) => {
        read.push(keys.length);
        return [];
      },
      dayTotals: async () => [],
    }, HOUR);
  }
  expect(read.reduce((sum, count) => sum + count, 0)).toBe(wanted.length * 26);
  expect(metrics.page(shard, PROJECTS, 0, HOUR).pending).toBe(0);
});
