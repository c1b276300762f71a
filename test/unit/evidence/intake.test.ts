import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReceivedEvidence } from '../../../controller/evidence/evidence.ts';
import { EvidenceIntake } from '../../../controller/evidence/intake.ts';
import type { BusHandler } from '../../../controller/platform/bus/bus-port.ts';
import type { EnrolledProbe } from '../../../controller/probes/probe.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import { newId } from '../../../shared/ids.ts';
import { evidenceMessage } from '../../helpers/evidence.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const MONITOR = newId(1);
const SHIFT_MS = -3_600_000;

let clock: SimulatedClock;
let deliver: BusHandler;
let intake: EvidenceIntake;
let stored: ReceivedEvidence[];
let lines: { probe_id: string; outcome: string }[];

beforeEach(() => {
  [clock, stored, lines] = [new SimulatedClock(), [], []];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  intake = new EvidenceIntake({
    clock, log,
    bus: {
      subscribe: (_subject, handler) => {
        deliver = handler;
        return { stop: async () => undefined };
      },
    },
    directory: { enrolled: (id) => (id === 'known' ? { region_id: 'eu' } as EnrolledProbe : null) },
    clockShiftMs: () => SHIFT_MS,
    store: async (batch) => {
      stored.push(...batch);
      return batch.map(({ message }) => (message.monitor_id === MONITOR ? 'kept' : 'not_assigned'));
    },
  });
  intake.start();
});
afterEach(async () => {
  const stopped = intake.stop();
  await clock.advance(250);
  await stopped;
});

function receive(subject: string, message: object | string): void {
  const data = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  deliver({ subject, data, respond: () => expect.unreachable('evidence gets no response') });
}

const own = subjects.evidence('eu', 'known');

describe('evidence', () => {
  test('is passed on with its sender, its time and the sender\'s clock shift', async () => {
    const message = evidenceMessage(MONITOR, clock.now());
    receive(own, message);
    const at = clock.now();
    await clock.advance(250);
    const size = JSON.stringify(message).length;
    expect(stored).toEqual([{ from: { region: 'eu', probeId: 'known' }, message, size, at, shiftMs: SHIFT_MS }]);
    expect(intake.counts).toMatchObject({ kept: 1, not_assigned: 0 });
    expect(lines).toEqual([]);
  });

  test('of a probe that is unknown, deleted or in another region is refused', async () => {
    receive(subjects.evidence('eu', 'unknown'), evidenceMessage(MONITOR, clock.now()));
    receive(subjects.evidence('us', 'known'), evidenceMessage(MONITOR, clock.now()));
    await clock.advance(1000);
    expect(stored).toEqual([]);
    expect(intake.counts.unknown_probe).toBe(2);
  });

  test('that is refused is counted, and logged once per probe and minute', async () => {
    for (let second = 0; second < 61; second += 1) {
      receive(own, '[]');
      receive(own, evidenceMessage(newId(2), clock.now()));
      await clock.advance(1000);
    }
    expect(intake.counts).toMatchObject({ unreadable: 61, not_assigned: 61, kept: 0 });
    expect(lines.map(({ probe_id, outcome }) => `${probe_id}: ${outcome}`))
      .toEqual(['known: unreadable', 'known: unreadable']);
  });

  test('beyond its probe\'s rate is not decoded', async () => {
    for (let at = 0; at < 300; at += 1) receive(own, '[]');
    expect(intake.counts.unreadable).toBe(100);
    expect(intake.rate.exceeded).toBe(200);
  });
});
