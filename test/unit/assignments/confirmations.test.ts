import { beforeEach, describe, expect, test } from 'vitest';
import { Confirmations, otherProbes } from '../../../controller/assignments/second-opinions.ts';
import type { EnrolledProbe } from '../../../controller/probes/probe.ts';
import { confirmOrder } from '../../../shared/contracts/assignment.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { MonitorRun } from '../verdicts/build.ts';

/** A monitor that three regions see up, with one retry. */
function upInThreeRegions(): MonitorRun {
  const run = new MonitorRun({ quorum: 'majority', retries: 1 });
  ['eu', 'us', 'ap'].forEach((region, at) => run.up(1 + at, region));
  return run;
}

function fail(run: MonitorRun, atSeconds: number, region: string, late = false): string[] {
  run.result(atSeconds, { region, outcome: 'failure', late });
  return otherProbes(run.state, region, { ...run.resultAt(atSeconds), outcome: 'failure' });
}

describe('the probes that confirm a failure', () => {
  test('are the probes of the other regions, once per first failure of a region', () => {
    const run = upInThreeRegions();
    expect(fail(run, 10, 'us')).toEqual(['probe-eu', 'probe-ap']);
    expect(fail(run, 11, 'us')).toEqual([]);
    expect(fail(run, 12, 'ap')).toEqual(['probe-eu']);
  });

  test('are asked again after the region has recovered', () => {
    const run = upInThreeRegions();
    fail(run, 10, 'us');
    run.up(20, 'us');
    expect(fail(run, 30, 'us')).toEqual(['probe-eu', 'probe-ap']);
  });

  test('are none if the monitor is down or paused, or the result does not count', () => {
    const run = upInThreeRegions();
    expect(fail(run, 10, 'us', true)).toEqual([]);
    for (const at of [20, 21]) for (const region of ['us', 'ap']) fail(run, at, region);
    expect(run.state.status).toBe('down');
    expect(fail(run, 30, 'eu')).toEqual([]);
    const paused = upInThreeRegions();
    paused.change(5, { status: 'paused' });
    expect(fail(paused, 10, 'us')).toEqual([]);
  });

  test('exclude silent and unassigned regions', () => {
    const run = upInThreeRegions();
    run.silent('eu', 8);
    expect(fail(run, 10, 'us')).toEqual(['probe-ap']);
    const fewer = upInThreeRegions();
    fewer.change(5, { monitoring_regions: ['us', 'eu'], check_revision: 1 });
    expect(fail(fewer, 10, 'us')).toEqual(['probe-eu']);
  });
});

describe('confirmations', () => {
  const clock = new SimulatedClock();
  let sent: { subject: string; ids: string[] }[];
  let confirmations: Confirmations;

  beforeEach(() => {
    sent = [];
    confirmations = new Confirmations({
      clock,
      bus: { publish: (subject, payload) => {
        sent.push({ subject, ids: confirmOrder.parse(JSON.parse(String(payload))).confirm });
      } },
      sealer: { seal: (_purpose, _probe, content) => JSON.stringify(content) },
      directory: {
        enrolled: (id) => (id === 'probe-ap' ? null : { _id: id, region_id: id.slice(6) } as EnrolledProbe),
      },
    });
  });

  function confirmFailures(monitors: number): void {
    for (let at = 0; at < monitors; at += 1) {
      const run = new MonitorRun({ monitor_id: `m${at}`, quorum: 'majority' });
      ['eu', 'us', 'ap'].forEach((region, second) => run.up(1 + second, region));
      run.down(10, 'us');
      confirmations.onResult(run.state, 'us', { ...run.resultAt(10), outcome: 'failure' });
    }
  }

  test('are sent together, 500 per message, to probes that are still enrolled', async () => {
    confirmFailures(1200);
    expect(sent).toEqual([]);
    await clock.advance(10);
    expect(sent.map(({ subject, ids }) => [subject, ids.length])).toEqual([
      ['run.eu.probe-eu', 500], ['run.eu.probe-eu', 500], ['run.eu.probe-eu', 200],
    ]);
    expect(new Set(sent.flatMap(({ ids }) => ids)).size).toBe(1200);
    expect(confirmations.counts).toEqual({ requested: 1200, omitted: 1200 });
  });

  test('are not sent after a stop', async () => {
    confirmFailures(1);
    confirmations.stop();
    await clock.advance(1000);
    expect(sent).toEqual([]);
  });
});
