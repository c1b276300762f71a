import { Writable } from 'node:stream';
import { MongoServerError } from 'mongodb';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { RefusedWrites } from '../../../controller/platform/mongo/refused-writes.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

const REFUSED = { err: new MongoServerError({ code: 2, message: 'nested arrays are not supported' }) };
const AWAY = { err: new MongoServerError({ code: 91, message: 'shutdown in progress' }) };

function wrappedLog() {
  const clock = new SimulatedClock();
  const lines: { level: number; msg: string }[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const refused = new RefusedWrites(clock);
  const logged = () => lines.splice(0).map(({ level, msg }) => [level, msg]);
  return { clock, refused, logged, log: refused.wrapLog(pino(sink)) };
}

test('logs a repeatedly refused write as an error, less and less often', async () => {
  const { clock, refused, log, logged } = wrappedLog();
  const minutes: number[] = [];
  for (let minute = 0; minute < 10; minute += 1) {
    log.warn(REFUSED, 'not written');
    log.warn(REFUSED, 'not written');
    for (const line of logged()) {
      expect(line).toEqual([50, 'not written']);
      minutes.push(minute);
    }
    await clock.advance(60_000);
  }
  expect(minutes).toEqual([0, 1, 3, 7]);
  expect(refused.count).toBe(20);
});

test('logs each kind of refused write', () => {
  const { refused, log, logged } = wrappedLog();
  log.warn(REFUSED, 'one');
  log.warn(REFUSED, 'other');
  log.error(REFUSED, 'other');
  expect(logged()).toEqual([[50, 'one'], [50, 'other'], [50, 'other']]);
  expect(refused.count).toBe(3);
});

test('leaves all other log lines unchanged', () => {
  const { refused, log, logged } = wrappedLog();
  log.warn(AWAY, 'away');
  log.warn({ err: new RangeError('not of the database') }, 'range');
  log.warn('only text');
  log.info({ a: 1 }, 'fields');
  expect(logged()).toEqual([[40, 'away'], [40, 'range'], [40, 'only text'], [30, 'fields']]);
  expect(refused.count).toBe(0);
});
