import { describe, expect, test } from 'vitest';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun, SECOND } from '../build.ts';

const REGIONS = ['dallas', 'osaka', 'paris'];

/** All three regions reported up, at 1, 2 and 3 s. */
function upRun(overrides: Partial<MonitorConfig> = {}): MonitorRun {
  const run = new MonitorRun({ quorum: 'majority', assigned: REGIONS, interval_ms: 10_000, ...overrides });
  REGIONS.forEach((region, index) => run.up(1 + index, region));
  run.effects = [];
  return run;
}

const changesOf = (run: MonitorRun) => run.regionChanges.map(({ region, previous_status: was, status: is, at }) =>
  `${region} ${was}→${is}@${(at - HOUR) / SECOND}`);

describe('a region that changes its status', () => {
  test('emits each change, except a first report of up', () => {
    const run = upRun();
    expect(changesOf(run)).toEqual([]);
    run.down(11, 'paris');
    run.down(21, 'paris');
    run.silent('osaka', 30);
    run.result(31, { region: 'paris', degraded: true });
    run.up(41, 'paris');
    run.up(42, 'osaka');
    expect(changesOf(run)).toEqual([
      'paris up→down@11', 'osaka up→unknown@30', 'paris down→degraded@31', 'paris degraded→up@41',
      'osaka unknown→up@42',
    ]);
    expect(run.regionChanges[0]).toMatchObject({ reason: 'Expected 200, got 503', incident_id: null });
    expect(run.regionChanges[1]).toMatchObject({ reason: 'silent' });
  });

  test('emits the incident that is ongoing meanwhile', () => {
    const run = upRun();
    run.down(11, 'paris');
    run.down(12, 'dallas');
    run.down(13, 'osaka');
    const incident = run.state.outage?.incident_id;
    expect(incident).toBeDefined();
    expect(run.regionChanges.map(({ incident_id }) => incident_id)).toEqual([null, incident, incident]);
  });

  test('emits a change if it is down from its first report on', () => {
    const run = new MonitorRun({ quorum: 'majority', assigned: ['paris'] });
    run.down(1, 'paris');
    expect(changesOf(run)).toEqual(['paris unknown→down@1']);
  });
});

describe('the only region that is down', () => {
  const alerts = (run: MonitorRun) => run.degraded.map(({ at, regions }) => `${regions}@${(at - HOUR) / SECOND}`);

  test('is alerted once, when all others have reported since', () => {
    const run = upRun();
    run.down(11, 'paris');
    run.up(12, 'dallas');
    expect(alerts(run)).toEqual([]);
    run.up(13, 'osaka');
    expect(alerts(run)).toEqual(['paris@11']);
    expect(run.degraded[0]).toMatchObject({ incident: null, error: { message: 'Expected 200, got 503' } });
    run.down(21, 'paris');
    run.up(22, 'dallas');
    run.up(23, 'osaka');
    expect(run.degraded).toHaveLength(1);
    run.up(31, 'paris');
    run.down(41, 'paris');
    run.up(42, 'dallas');
    run.up(43, 'osaka');
    expect(alerts(run)).toEqual(['paris@11', 'paris@41']);
    expect(run.lines).toEqual([]);
  });

  test('is not alerted while another one rechecks, which may confirm it', () => {
    const run = upRun({ retries: 1 });
    for (const at of [11, 12]) run.down(at, 'paris');
    run.up(13, 'osaka');
    run.down(14, 'dallas');
    expect(alerts(run)).toEqual([]);
    run.up(15, 'dallas');
    expect(alerts(run)).toEqual(['paris@11']);
  });

  test('is not alerted if it is the last to see a recovery, unless it fails after that', () => {
    const run = upRun();
    REGIONS.forEach((region, index) => run.down(11 + index, region));
    run.up(21, 'dallas');
    run.up(22, 'osaka');
    expect(run.state.status).toBe('up');
    expect(alerts(run)).toEqual([]);
    run.down(23, 'paris');
    expect(alerts(run)).toEqual(['paris@13']);
  });

  test('is not alerted if the monitor goes down, or only one region reports', () => {
    const run = upRun();
    run.down(11, 'paris');
    run.down(12, 'dallas');
    run.up(13, 'osaka');
    const onlyParis = upRun();
    onlyParis.silent('dallas', 11);
    onlyParis.silent('osaka', 11);
    onlyParis.down(21, 'paris');
    onlyParis.down(31, 'paris');
    expect([...run.degraded, ...onlyParis.degraded]).toEqual([]);
  });
});
