import { MongoNetworkError } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../../shared/log.ts';
import { MonitorWrites, type OutboxPorts } from '../../../controller/results/writing/monitor-writes.ts';
import type { StateRecord } from '../../../controller/results/state/records.ts';
import { newMonitorState } from '../../../controller/verdicts/monitor-rules.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';
import { configOf } from './build.ts';

const record = (monitor_id: string, position = 1): StateRecord =>
  ({ monitor_id, shard: 2, position, state: newMonitorState(configOf()), outbox: [] });

/** A store that refuses according to `refuses`, and the accepted monitors with their positions. */
class Desk {
  readonly clock = new SimulatedClock();
  readonly taken: string[] = [];
  readonly done: string[] = [];
  refuses: (record: StateRecord) => Error | null = () => null;
  readonly writes = new MonitorWrites({
    clock: this.clock, log: createLog('test', 'silent'),
    stores: { states: { write: async (records: StateRecord[]) => {
      for (const one of records) {
        const error = this.refuses(one);
        if (error) throw error;
      }
      this.taken.push(...records.map(({ monitor_id: id, position }) => `${id}${position}`));
    }, clearOutboxes: async () => undefined } } as unknown as OutboxPorts,
    onWritten: ({ monitor_id: id, position }) => this.done.push(`${id}${position}`),
  });
}

describe('a monitor that the database refuses', () => {
  test('is set aside: all others are written', async () => {
    const desk = new Desk();
    desk.refuses = ({ monitor_id: id }) => (id === 'b' ? new Error('too large') : null);
    await desk.writes.write([record('a'), record('b'), record('c')]);
    expect([desk.taken, desk.done, desk.writes.aside]).toEqual([['a1', 'c1'], ['a1', 'c1'], 1]);
  });

  test('is retried separately, followed by its later changes in order', async () => {
    const desk = new Desk();
    desk.refuses = ({ monitor_id: id }) => (id === 'b' ? new Error('too large') : null);
    await desk.writes.write([record('b', 1)]);
    await desk.writes.write([record('b', 2), record('a', 2)]);
    await desk.clock.advance(10_000);
    expect(desk.taken).toEqual(['a2']);
    desk.refuses = () => null;
    await desk.clock.advance(300_000);
    expect([desk.taken, desk.done, desk.writes.aside]).toEqual([['a2', 'b1', 'b2'], ['a2', 'b1', 'b2'], 0]);
  });

  test('is not written again after the shard was released', async () => {
    const desk = new Desk();
    desk.refuses = () => new Error('too large');
    await desk.writes.write([record('b')]);
    await desk.writes.stop();
    desk.refuses = () => null;
    await desk.clock.advance(600_000);
    expect(desk.taken).toEqual([]);
  });
});

test('without a database response nothing is set aside, and a repeat counts nothing twice', async () => {
  const desk = new Desk();
  desk.refuses = ({ monitor_id: id }) =>
    (id === 'b' ? new Error('too large') : id === 'c' ? new MongoNetworkError('gone') : null);
  const records = [record('a'), record('b'), record('c')];
  await expect(desk.writes.write(records)).rejects.toThrow('gone');
  desk.refuses = () => null;
  await desk.writes.write(records);
  await desk.clock.advance(1000);
  expect(desk.done.toSorted()).toEqual(['a1', 'b1', 'c1']);
});
