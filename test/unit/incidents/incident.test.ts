import { describe, expect, test } from 'vitest';
import { incidentView } from '../../../controller/incidents/responses.ts';
import { recoverySeconds } from '../../../controller/incidents/change-rules.ts';
import type { IncidentDoc, IncidentUpdateDoc } from '../../../controller/incidents/incident.ts';
import { incidentFromOpening, IncidentOutbox } from '../../../controller/incidents/outbox.ts';
import { viewIncident, viewIncidentUpdate } from '../../../controller/incidents/views.ts';
import { searchPattern, searchText } from '../../../controller/monitors/monitor.ts';
import type { IncidentOpening } from '../../../controller/verdicts/effect.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { monitorConfig } from '../../helpers/delivery-rig.ts';

const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5);
const opening: IncidentOpening = {
  id: '11111111-1111-8111-8111-111111111111', monitor: monitorConfig({ name: 'Shop' }), severity: 'critical',
  type: 'timeout', error_message: 'No response within 10 s', affected_regions: ['eu'], failure_count: 2,
  started_at: startedAt,
};
const incidentWith = (change: Partial<IncidentOpening> = {}) => {
  return incidentFromOpening({ ...opening, ...change }, startedAt + 500);
};

describe('an incident opened by the state machine', () => {
  test('is shown with every field, ISO 8601 instants and no recovery time', () => {
    const shown = viewIncident(incidentWith());
    expect(incidentView.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({
      id: opening.id, title: 'Shop is down', status: 'open', source: 'system',
      check_id: opening.monitor.monitor_id, started_at: '2026-01-02T03:04:05.000Z',
      created_at: '2026-01-02T03:04:05.500Z', resolved_at: null, acknowledged_at: null,
      acknowledged_by_name: null, notification_sent: false, notification_channels: [],
    });
    expect(shown.recovery_time_seconds).toBeUndefined();
    expect(shown).not.toHaveProperty('search_text');
  });

  test('is shown with its recovery time after it is resolved', () => {
    const end = { resolved_at: startedAt + 61_400, recovery_time_seconds: 61 };
    expect(viewIncident({ ...incidentWith(), status: 'resolved', ...end })).toMatchObject({
      recovery_time_seconds: 61, resolved_at: '2026-01-02T03:05:06.400Z',
    });
  });

  test('stays within the limits of the API for any monitor name and error', () => {
    const monitor = monitorConfig({ name: 'n'.repeat(300) });
    const { title, error_message } = incidentWith({ monitor, error_message: 'e'.repeat(2000) });
    expect([title.length, error_message.length]).toEqual([255, 1000]);
    expect(incidentWith({ error_message: '' }).error_message).toBe('timeout');
    expect(incidentWith({ type: 'slow_response' }).title).toBe('Shop is responding slowly');
  });

  test('has an ordered history, and repeated calls write the same entries', async () => {
    let stored: IncidentDoc = { ...incidentWith(), acknowledged_at: 5 };
    const lines: IncidentUpdateDoc[] = [];
    const outbox = new IncidentOutbox({
      incidents: {
        insertIfAbsent: async () => false,
        findById: async () => stored,
        findMany: async () => [],
        clearUnjournaled: async () => undefined,
        setDiagnosis: async () => [],
        markResolved: async (_id, change) => (stored = { ...stored, ...change }),
      },
      updates: { insertIfAbsent: async (line) => void lines.push(line) },
      votes: { insertIfAbsent: async () => undefined },
    }, new SimulatedClock(stored.created_at));
    const { id, monitor } = opening;
    for (const _time of [1, 2]) {
      await outbox.open(opening);
      await outbox.resolve({ id, monitor, resolved_at: startedAt + 1000, failure_count: 2 });
    }
    const [first, last, ...again] = lines;
    expect(again.map((line) => line._id)).toEqual([first?._id, last?._id]);
    expect(first?._id).not.toBe(last?._id);
    expect(last?.created_at).toBeGreaterThan(first?.created_at as number);
    const { kind, field, from, to } = viewIncidentUpdate(last as IncidentUpdateDoc);
    expect([kind, field, from, to]).toEqual(['status_change', 'status', 'acknowledged', 'resolved']);
  });
});

test.each([
  [0, 61_400, 61], [0, 0, 0], [5000, 1000, 0], [0, 1499, 1], [0, 1500, 2],
])('recovery from %i to %i ms takes %i seconds', (from, to, seconds) => {
  expect(recoverySeconds(from, to)).toBe(seconds);
});

test('a search matches literal text and ignores case', () => {
  const text = searchText('Shop (EU) a+b $1 [x]', 'ÄRGER\u0301', 'İstanbul');
  const finds = (search: string) => new RegExp(searchPattern(search)).test(text);
  for (const found of ['(eu)', 'A+B', '$1', '[X]', 'ärgeŕ', 'İ']) expect(finds(found), found).toBe(true);
  for (const missing of ['[x]\nä', '.*', '(eu|us)', 'a{1}', '^shop', '\\w']) {
    expect(finds(missing), missing).toBe(false);
  }
  expect(new RegExp(searchPattern('two\nlines')).test(searchText('a', 'two\nlines'))).toBe(true);
});
