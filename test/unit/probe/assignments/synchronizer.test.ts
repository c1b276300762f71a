import { createAccount, createCurve } from 'nkeys.js';
import { beforeEach, expect, test } from 'vitest';
import { AssignmentSet } from '../../../../probe/assignments/assignment-set.ts';
import { EnvelopeOpener } from '../../../../probe/assignments/envelope.ts';
import { Synchronizer } from '../../../../probe/assignments/synchronizer.ts';
import type { ProbeBus } from '../../../../probe/ports.ts';
import { BusError } from '../../../../shared/bus-error.ts';
import { signedText, type AssignmentDelta } from '../../../../shared/contracts/assignment.ts';
import { createLog } from '../../../../shared/log.ts';
import { sleep } from '../../../../shared/time.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

const BEAT_MS = 5000;
const signer = createAccount();
const controllerBox = createCurve();
const probeBox = createCurve();

let clock: SimulatedClock;
let isListening: boolean;
/** What happened, in order. */
let events: string[];

beforeEach(() => {
  clock = new SimulatedClock();
  [isListening, events] = [false, []];
});

function sealed(delta: AssignmentDelta): Buffer {
  const payload = Buffer.from(controllerBox.seal(Buffer.from(JSON.stringify(delta)), probeBox.getPublicKey()));
  const unsigned = {
    purpose: 'sync' as const, probe_id: 'p', revision: delta.revision, expires_at: clock.now() + 1000,
    payload: payload.toString('base64'),
  };
  const signature = Buffer.from(signer.sign(Buffer.from(signedText(unsigned)))).toString('base64url');
  return Buffer.from(JSON.stringify({ v: 1, ...unsigned, signature }));
}

/** A bus on which requests without responders just time out, as across NATS accounts. */
const bus: ProbeBus = {
  isConnected: true,
  request: async (_subject, _payload, timeoutMs) => {
    events.push('asked');
    if (isListening) return sealed({ from: 0, revision: 0, reset: false, changes: [], more: null });
    await sleep(clock, timeoutMs);
    throw new BusError('timeout', 'sync');
  },
  publish: () => undefined, flush: () => Promise.resolve(), subscribe: () => ({ stop: () => undefined }),
  onChange: () => undefined,
};

function start(random: number): Synchronizer {
  const opener = new EnvelopeOpener({
    probeId: 'p', box: probeBox, controllerKey: signer.getPublicKey(),
    controllerBoxKey: controllerBox.getPublicKey(),
  });
  const synchronizer = new Synchronizer({
    bus, opener, clock, log: createLog('test', 'silent'), set: new AssignmentSet(), random: () => random,
    region: 'eu', probeId: 'p',
    onApplied: () => undefined, onSynced: () => events.push('synced'),
  });
  synchronizer.start();
  clock.setRepeating(BEAT_MS, () => events.push('beat'));
  return synchronizer;
}

test.each([0, 1])('a controller that starts a second after the probe gets a sync request before the next beat (%i)', async (random) => {
  const synchronizer = start(random);
  await clock.advance(1000);
  events.push('the controller listens');
  isListening = true;
  await clock.advance(BEAT_MS);
  const startIndex = events.indexOf('the controller listens');
  expect(events.slice(0, startIndex)).toEqual(['asked', 'asked']);
  expect(events.slice(startIndex, startIndex + 4)).toEqual(['the controller listens', 'asked', 'synced', 'beat']);
  await synchronizer.stop();
});

test('sync requests become rare while no controller responds', async () => {
  const synchronizer = start(0);
  await clock.advance(60_000);
  const inFirstMinute = events.filter((event) => event === 'asked').length;
  expect(inFirstMinute).toBeLessThan(12);
  await clock.advance(600_000);
  const later = events.filter((event) => event === 'asked').length - inFirstMinute;
  expect(later).toBeGreaterThanOrEqual(600_000 / 20_000);
  expect(later).toBeLessThanOrEqual(600_000 / 10_000);
  await synchronizer.stop();
});
