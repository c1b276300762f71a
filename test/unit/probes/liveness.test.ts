import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Bus, BusMessage } from '../../../controller/platform/bus/bus-port.ts';
import { FleetDirectory } from '../../../controller/probes/directory.ts';
import { Liveness, type LivenessChange } from '../../../controller/probes/liveness.ts';
import type { ProbeDoc } from '../../../controller/probes/probe.ts';
import type { BeatNote } from '../../../controller/probes/store.ts';
import { BARE_PROBE } from '../../helpers/bare-probe.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

let lines: string[] = [];
const log = pino({}, { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
const probeDoc = (id: string, change: Partial<ProbeDoc> = {}): ProbeDoc => ({
  _id: id, region_id: 'eu', organization_id: null, name: id, created_at: 0, public_key: 'U', box_key: 'X',
  ...BARE_PROBE, ...change,
});

let clock: SimulatedClock;
let probes: ProbeDoc[];
let notes: BeatNote[][];
let failing: boolean;
let bus: Bus & { isConnected: boolean; deliver(subject: string, body: unknown): void; reconnect(): void };
let directory: FleetDirectory;
let liveness: Liveness;
let changes: LivenessChange[];

function fakeBus(): typeof bus {
  let handler: (message: BusMessage) => void = () => undefined;
  const listeners: (() => void)[] = [];
  return {
    isConnected: true,
    publish: () => undefined,
    request: () => Promise.reject(new Error('unused')),
    subscribe: (_subject, callback) => {
      handler = callback;
      return { stop: async () => undefined };
    },
    onReconnect: (listener) => void listeners.push(listener),
    close: async () => undefined, flush: async () => undefined,
    deliver: (subject, body) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      handler({ subject, data: Buffer.from(text), respond: () => undefined });
    },
    reconnect() {
      this.isConnected = true;
      for (const listener of listeners) listener();
    },
  };
}

const beat = async (id: string, change: object = {}, region = 'eu') => {
  bus.deliver(`beat.${region}.${id}`, {
    v: 1, epoch: 'e', sent_at: clock.now(), started_at: 1, version: '9', capabilities: ['http'], revision: 0,
    monitors: 1, in_flight: 0, spool_depth: 0, load: 0, lateness_ms: 0, missed_rate: 0, lost_rate: 0, ...change,
  });
  await clock.advance(0);
};

beforeEach(async () => {
  clock = new SimulatedClock();
  probes = [probeDoc('a'), probeDoc('b', { is_online: true })];
  notes = [];
  lines = [];
  failing = false;
  bus = fakeBus();
  const regions = { list: async () => [] };
  const store = { list: async () => probes, find: async () => null };
  directory = new FleetDirectory({ regions, probes: store, clock, log });
  await directory.start();
  liveness = new Liveness({
    bus, directory, clock, log,
    store: {
      noteBeats: async (written) => {
        if (failing) throw new Error('database away');
        notes.push(written);
      },
    },
  });
  changes = [];
  liveness.onChange((change) => changes.push(change));
  liveness.start();
});

const live = () => liveness.liveProbes('eu').map((probe) => probe._id);

describe('liveness', () => {
  test('keeps the last known status for 15 s, then follows the beats', async () => {
    expect(live()).toEqual(['b']);
    await beat('a');
    expect(live()).toEqual(['a', 'b']);
    await clock.advance(14_000);
    expect(live()).toEqual(['a', 'b']);
    await beat('a');
    await clock.advance(2000);
    expect(live()).toEqual(['a']);
    await clock.advance(15_000);
    expect(live()).toEqual([]);
    expect(changes).toEqual([
      { probeId: 'a', region: 'eu', isLive: true },
      { probeId: 'b', region: 'eu', isLive: false },
      { probeId: 'a', region: 'eu', isLive: false },
    ]);
  });

  test('does not count time without incoming beats', async () => {
    await beat('a');
    await beat('b');
    await clock.advance(5000);
    bus.isConnected = false;
    await clock.advance(600_000);
    expect(live()).toEqual(['a', 'b']);
    bus.reconnect();
    await clock.advance(14_000);
    expect(live()).toEqual(['a', 'b']);
    await beat('b');
    await clock.advance(2000);
    expect(live()).toEqual(['b']);
  });

  test('stores changes at once and beats once a minute, and retries failed writes', async () => {
    const beats = async (seconds: number) => {
      for (let at = 0; at < seconds; at += 5) {
        await beat('b');
        await clock.advance(5000);
      }
    };
    await beats(20);
    const first = notes.flat().filter((note) => note.probeId === 'b');
    const lastBeatAt = expect.any(Number) as number;
    const beatFields = { version: '9', capabilities: ['http'] };
    expect(first).toEqual([{ probeId: 'b', isOnline: true, lastBeatAt, ...beatFields }]);
    await beats(600);
    const count = notes.flat().filter((note) => note.probeId === 'b').length;
    expect(count).toBeGreaterThanOrEqual(10);
    expect(count).toBeLessThanOrEqual(12);
    failing = true;
    await clock.advance(90_000);
    failing = false;
    notes = [];
    await clock.advance(2000);
    expect(notes.flat()).toMatchObject([{ probeId: 'b', isOnline: false }]);
    await clock.advance(10_000);
    await beats(20);
    const failureLines = lines.filter((line) => line.includes('beats'));
    expect(failureLines).toEqual(['could not record beats', 'could not record beats', 'beats are recorded again']);
  });

  test('ignores malformed beats, and those of unknown or deleted probes or from another region', async () => {
    bus.deliver('beat.eu.a', '{');
    bus.deliver('beat.eu.a', { v: 1 });
    bus.deliver('beat.eu.a', 'x'.repeat(10_000));
    await beat('unknown');
    await beat('a', {}, 'us');
    probes = [probeDoc('a', { removed_at: 1 })];
    await directory.refresh();
    await beat('a');
    expect([liveness.track('a'), liveness.track('unknown')]).toEqual([null, null]);
    probes = [probeDoc('a')];
    await directory.refresh();
    await beat('a');
    expect(liveness.track('a')).not.toBeNull();
  });

  test('logs a probe that cannot be processed, and processes the others', async () => {
    Object.defineProperty(probes[0], 'is_online', { get: () => {
      throw new Error('unreadable');
    } });
    await beat('b');
    await clock.advance(20_000);
    expect(changes).toEqual([{ probeId: 'b', region: 'eu', isLive: false }]);
    expect(lines.filter((line) => line.includes('beat'))).toEqual(['could not process a beat or tick of a probe']);
  });

  test('drops a deleted probe', async () => {
    await beat('a');
    probes = [];
    await directory.refresh();
    await clock.advance(2000);
    expect(liveness.track('a')).toBeNull();
  });
});

test('starts another refresh when one is requested during a refresh', async () => {
  let reads = 0;
  const counted = { list: async () => ((reads += 1), []), find: async () => null };
  const regions = { list: async () => [] };
  const slow = new FleetDirectory({ regions, probes: counted, clock: new SimulatedClock(), log });
  await Promise.all([slow.refresh(), slow.refresh(), slow.refresh()]);
  expect(reads).toBe(2);
  await slow.refresh();
  expect(reads).toBe(3);
});
