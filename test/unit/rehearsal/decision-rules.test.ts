import { describe, expect, test } from 'vitest';
import type { PastIncident } from '../../../controller/incidents/past-incident.ts';
import { decisionsOf } from '../../../controller/rehearsal/decision-rules.ts';
import type { Fact } from '../../../controller/rehearsal/monitor-rehearsal.ts';
import type { StatusChange } from '../../../controller/verdicts/monitor-state.ts';
import { configOf } from '../results/build.ts';

type Move = [at: number, from: StatusChange['from'], to: StatusChange['to'], incidentId?: string];

const changesOf = (moves: Move[]): StatusChange[] => moves.map(([at, from, to, incident_id = null]) => ({
  id: `${at} ${to}`, monitor_id: 'm', organization_id: 'o', project_id: 'p', from, to, at, reason: '', incident_id,
}));

const incidentOf = (id: string, opened_at: number, rest: Partial<PastIncident> = {}): PastIncident => ({
  id, monitor_id: 'm', project_id: 'p', severity: 'major', type: 'timeout', error_message: '', features: [],
  started_at: opened_at - 2000, opened_at, acknowledged_at: null, ended: null, late: false, maintenance_until: null,
  ...rest,
});

/** At what instant each was decided, in order. */
function decided(moves: Move[], incidents: PastIncident[] = [], facts: Fact[] = []): string[] {
  const config = configOf({ interval_ms: 60_000, timeout_ms: 10_000, recoveries: 0 });
  const found = decisionsOf({ config, changes: changesOf(moves), incidents, facts });
  return found.map((one) => {
    const what = one.kind === 'move' ? one.change.to : one.kind === 'fact' ? one.fact.kind : one.kind;
    return `${what} ${one.at}`;
  });
}

const START: Move = [0, 'unknown', 'up'];

describe('past decisions', () => {
  test('of one instant follow from each other, and none is later than the next', () => {
    const moves: Move[] = [START, [7000, 'up', 'down', 'b'], [7000, 'down', 'up', 'a'], [5000, 'up', 'down', 'a']];
    const inOrder = moves.toSorted(([one], [other]) => one - other);
    const incidents = [incidentOf('a', 6000), incidentOf('b', 9000, { started_at: 7000 })];
    expect(decided(inOrder, incidents)).toEqual(['up 6000', 'down 6000', 'up 9000', 'down 9000']);
  });

  test('were made when the incident was opened and resolved', () => {
    const ended = { at: 30_000, by_hand: false, changed_at: 31_000 };
    expect(decided([START, [5000, 'up', 'down', 'a'], [30_000, 'down', 'up', 'a']], [incidentOf('a', 6000, { ended })]))
      .toEqual(['up 6000', 'down 6000', 'up 31000']);
  });

  test('include what people did, and incidents that opened again', () => {
    const incidents = [incidentOf('a', 6000), incidentOf('b', 400_000, { started_at: 4000 })];
    const moves: Move[] = [START, [4000, 'up', 'down', 'a'], [500_000, 'down', 'paused', 'b']];
    const facts: Fact[] = [{ at: 90_000, kind: 'end_by_hand' }, { at: 500_000, kind: 'pause' }];
    expect(decided(moves, incidents, facts))
      .toEqual(['up 6000', 'down 6000', 'end_by_hand 90000', 'reopen 400000', 'paused 500000']);
  });

  test('do not take the end of missing data for the start of an outage', () => {
    const ended = { at: 90_000, by_hand: true, changed_at: 90_000 };
    const incidents = [incidentOf('a', 6000, { ended, started_at: 4000 }), incidentOf('b', 700_000, { started_at: 4000 })];
    const moves: Move[] = [
      START, [4000, 'up', 'down', 'a'], [60_000, 'down', 'unknown', 'a'], [650_000, 'unknown', 'down', 'a'],
      [900_000, 'down', 'unknown', 'b'], [1_000_000, 'unknown', 'down', 'b'],
    ];
    expect(decided(moves, incidents)).toEqual([
      'up 6000', 'down 6000', 'unknown 205000', 'down 700000', 'reopen 700000', 'unknown 1045000', 'down 1145000',
    ]);
  });

  test('leave out outages that only late results showed, apart from their end', () => {
    const moves: Move[] = [START, [4000, 'up', 'down', 'a'], [9000, 'down', 'up', 'a']];
    expect(decided(moves, [incidentOf('a', 80_000, { late: true })])).toEqual(['up 145000', 'up 154000']);
  });
});
