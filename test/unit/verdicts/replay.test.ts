import { describe, expect, test } from 'vitest';
import type { MonitorConfig } from '../../../controller/verdicts/monitor-config.ts';
import { OutageReplay } from '../../../controller/verdicts/outage-replay.ts';
import type { ReplayedResult } from '../../../controller/verdicts/replay.ts';
import { configOf, HOUR, resultOf } from '../results/build.ts';
import { SECOND } from './build.ts';

const REGIONS = ['dallas', 'osaka', 'paris'];
const MONITOR = { interval_ms: 10_000, timeout_ms: 5000, retries: 0, assigned: REGIONS };

function replayed(config: Partial<MonitorConfig>, rows: [at: number, region: string, isUp: boolean][], until: number) {
  const settings = configOf({ ...MONITOR, ...config });
  const replay = new OutageReplay(settings, HOUR);
  for (const [at, region, isUp] of rows) {
    const result = resultOf(settings, {
      started_at: HOUR + at * SECOND, outcome: isUp ? 'success' : 'failure',
    });
    const row: ReplayedResult = { ...result, region, probe_id: region, late: false };
    replay.add(row);
  }
  return replay.finish(HOUR + until * SECOND).map(({ started_at, resolved_at, votes }) => ({
    from: (started_at - HOUR) / SECOND, until: resolved_at && (resolved_at - HOUR) / SECOND,
    votes: votes.map(({ region, vote }) => `${region} ${vote}`),
  }));
}

/** All are up from second 1 on, every 10 s, except during `down`. */
function resultsOf(count: number, down: Record<string, [from: number, to: number]>): [number, string, boolean][] {
  return Array.from({ length: count }, (_, cycle) => REGIONS.map((region, index): [number, string, boolean] => {
    const [from, to] = down[region] ?? [Infinity, 0];
    return [1 + cycle * 10 + index, region, cycle < from || cycle >= to];
  })).flat();
}

describe('replayed results', () => {
  const two = resultsOf(20, { paris: [5, 10], dallas: [6, 8] });

  test('yield the outages of another policy, with their votes', () => {
    expect(replayed({ quorum: 'any' }, two, 201)).toMatchObject([{ from: 53, until: 103 - 2 + 2 }]);
    expect(replayed({ quorum: 'majority' }, two, 201)).toEqual([
      { from: 53, until: 81, votes: ['dallas down', 'osaka up', 'paris down'] },
    ]);
    expect(replayed({ quorum: 'all' }, two, 201)).toEqual([]);
    expect(replayed({ quorum: 'any', retries: 4 }, two, 201)).toHaveLength(1);
    expect(replayed({ quorum: 'any', retries: 5 }, two, 201)).toEqual([]);
  });

  test('end an outage at the first success after which enough others followed', () => {
    const rows = resultsOf(30, { paris: [5, 10] })
      .map(([at, region, isUp]): [number, string, boolean] => [at, region, isUp && !(region === 'paris' && at === 123)]);
    const ends = [0, 1, 2].map((recoveries) => replayed({ quorum: 'any', recoveries }, rows, 301));
    expect(ends.map((incidents) => incidents.map(({ from, until }) => [from, until]))).toEqual([
      [[53, 103], [123, 133]], [[53, 103], [123, 133]], [[53, 133]],
    ]);
  });

  test('leave an ongoing outage open', () => {
    const rows = resultsOf(20, { paris: [15, 20], dallas: [15, 20] });
    expect(replayed({ quorum: 'majority' }, rows, 201)).toMatchObject([{ until: null }]);
  });

  test('let regions fall silent, and accept the minority verdict when it is due', () => {
    const rows = [
      ...resultsOf(2, {}), ...[61, 71].map((at): [number, string, boolean] => [at, 'paris', false]),
      [90, 'paris', true] as [number, string, boolean],
    ];
    expect(replayed({ quorum: 'majority' }, rows, 200)).toMatchObject([{ from: 61, until: 90 }]);
    expect(replayed({ quorum: 2 }, rows, 200)).toEqual([]);
  });
});
