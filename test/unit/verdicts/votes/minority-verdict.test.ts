import { describe, expect, test } from 'vitest';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import type { Witness } from '../../../../controller/verdicts/monitor-state.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun, SECOND } from '../build.ts';

/** Three regions are assigned; `dallas` and `osaka` reported once and have been silent since. */
function onlyParis(config: Partial<MonitorConfig> = {}): MonitorRun {
  const run = new MonitorRun({
    quorum: 'majority', interval_ms: 10_000, timeout_ms: 5000, assigned: ['dallas', 'osaka', 'paris'], ...config,
  });
  for (const region of ['dallas', 'osaka', 'paris']) run.up(1, region);
  for (const region of ['dallas', 'osaka']) run.silent(region, 11);
  run.effects = [];
  return run;
}

function addWitness(run: MonitorRun, region: string, vote: Witness['vote'], overrides: Partial<Witness> = {}): void {
  const witness = { vote, probe_id: `probe-${region}`, engine: '1', error: null, attempt: 1, ...overrides };
  run.item({
    kind: 'witness', region, check_revision: run.config.check_revision,
    witness: { at: HOUR + 61 * SECOND, ...witness },
  });
}

function acceptMinority(run: MonitorRun, atSeconds: number): void {
  run.item({ kind: 'alone', at: HOUR + atSeconds * SECOND });
}

describe('the only one of three regions to report', () => {
  test('does not decide at first, but does once no more votes can be obtained in time', () => {
    const run = onlyParis();
    run.down(60, 'paris');
    expect(run.lines).toEqual([]);
    expect(run.state.status).toBe('up');
    acceptMinority(run, 70);
    expect(run.lines).toEqual(['up→down@60', 'open@60', 'monitor.down@60']);
    run.up(80, 'paris');
    expect(run.lines.slice(3)).toEqual(['down→up@80', 'resolve@80', 'monitor.up@80']);
    run.effects = [];
    run.down(90, 'paris');
    expect(run.lines, 'each outage restarts the wait').toEqual([]);
  });

  test('is not accepted if it recovers before', () => {
    const run = onlyParis();
    run.down(60, 'paris');
    run.up(65, 'paris');
    acceptMinority(run, 70);
    expect(run.lines).toEqual([]);
  });

  test('is accepted at once if a witness region agrees', () => {
    const run = onlyParis();
    run.down(60, 'paris');
    addWitness(run, 'berlin', 'down');
    expect(run.lines).toEqual(['up→down@60', 'open@60', 'monitor.down@60']);
    run.up(80, 'paris');
    expect(run.state).toMatchObject({ status: 'up', witnesses: null, minority_accepted: false });
  });

  test('is not accepted if a witness region sees the monitor up, however long it takes', () => {
    const run = onlyParis();
    run.down(60, 'paris');
    addWitness(run, 'berlin', 'up');
    acceptMinority(run, 70);
    run.down(70, 'paris');
    acceptMinority(run, 80);
    expect(run.lines).toEqual([]);
    addWitness(run, 'berlin', 'down', { at: HOUR + 81 * SECOND });
    expect(run.state.status).toBe('down');
  });

  test('is accepted once the witness vote for up has expired', () => {
    const run = onlyParis();
    run.down(60, 'paris');
    addWitness(run, 'berlin', 'up');
    acceptMinority(run, 70);
    run.silent('berlin', 61);
    expect(run.lines, 'its vote has not expired').toEqual([]);
    run.silent('berlin', 71);
    expect(run.lines).toEqual(['up→down@60', 'open@60', 'monitor.down@60']);
  });

  test('is not accepted against an assigned region that reports again', () => {
    const run = onlyParis();
    run.down(60, 'paris');
    addWitness(run, 'berlin', 'down');
    run.up(81, 'osaka');
    expect(run.lines.slice(3)).toEqual(['down→up@81', 'resolve@81', 'monitor.up@81']);
    expect(run.state.witnesses).toBeNull();
  });

  test('is accepted at once if one vote suffices', () => {
    const run = onlyParis({ quorum: 'any' });
    run.down(60, 'paris');
    expect(run.state.status).toBe('down');
  });

  test('leaves the monitor unknown under a fixed quorum', () => {
    const run = onlyParis({ quorum: 2 });
    expect(run.state.status).toBe('unknown');
    run.down(60, 'paris');
    acceptMinority(run, 70);
    expect(run.state.status).toBe('unknown');
    run.down(75, 'osaka');
    expect(run.state.status).toBe('down');
  });
});

test('a witness vote on an earlier check, of an assigned region or without need does not count', () => {
  const run = onlyParis();
  addWitness(run, 'berlin', 'down');
  expect(run.state.witnesses).toBeNull();
  run.down(60, 'paris');
  addWitness(run, 'osaka', 'down');
  run.item({
    kind: 'witness', region: 'berlin', check_revision: run.config.check_revision - 1,
    witness: { vote: 'down', probe_id: 'p', engine: '1', error: null, attempt: 1, at: HOUR + 61 * SECOND },
  });
  expect(run.lines).toEqual([]);
});

test('an outage stays open when all but one of the agreeing regions fall silent', () => {
  const run = new MonitorRun({ quorum: 'majority', assigned: ['osaka', 'paris'], interval_ms: 10_000 });
  for (const region of ['osaka', 'paris']) run.up(1, region);
  for (const region of ['osaka', 'paris']) run.down(11, region);
  expect(run.state.status).toBe('down');
  run.silent('osaka', 21);
  run.down(31, 'paris');
  expect(run.state.status).toBe('down');
  run.silent('paris', 41);
  expect(run.state.status).toBe('unknown');
  expect(run.state.outage).not.toBeNull();
});

describe('region assignments', () => {
  const change = (run: MonitorRun, assigned: string[], atSeconds: number, domains: Record<string, string> | null = null) =>
    run.item({ kind: 'assigned', assigned, domains, at: HOUR + atSeconds * SECOND });

  test('give a vote from when they begin until they end', () => {
    const run = new MonitorRun({ quorum: 'any', assigned: ['paris'] });
    run.up(1, 'paris');
    run.down(2, 'osaka');
    expect(run.state.status).toBe('up');
    change(run, ['osaka', 'paris'], 3);
    run.down(12, 'osaka');
    expect(run.state.status).toBe('down');
    change(run, ['paris'], 13);
    expect(run.state.status).toBe('up');
  });

  test('give one shared vote per network', () => {
    const run = new MonitorRun({ quorum: 'majority', assigned: ['dallas', 'osaka', 'paris'] });
    for (const region of ['dallas', 'osaka', 'paris']) run.up(1, region);
    for (const region of ['dallas', 'osaka']) run.down(11, region);
    expect(run.state.status).toBe('down');
    change(run, ['dallas', 'osaka', 'paris'], 12, { dallas: 'AS1', osaka: 'AS1' });
    expect(run.state.status).toBe('up');
    run.down(13, 'paris');
    expect(run.state.status).toBe('down');
    run.up(14, 'osaka');
    expect(run.state.status).toBe('up');
  });

  test('are kept by unrelated configuration changes, and refreshed by related ones', () => {
    const run = new MonitorRun({ assigned: ['paris'], domains: null });
    run.change(1, { name: 'new', assigned: null });
    expect(run.state.config.assigned).toEqual(['paris']);
    run.change(2, { monitoring_regions: ['osaka'], assigned: null });
    expect(run.state.config.assigned).toBeNull();
  });
});
