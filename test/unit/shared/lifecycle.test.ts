import { expect, test } from 'vitest';
import { Lifecycle } from '../../../shared/lifecycle.ts';
import { createLog } from '../../../shared/log.ts';
import { SimulatedClock } from '../../helpers/simulated-clock.ts';

function newLifecycle() {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  const service = (name: string, stopped: Promise<unknown> = Promise.resolve()) => ({
    start: () => void calls.push(`start ${name}`),
    stop: () => {
      calls.push(`stop ${name}`);
      return stopped;
    },
  });
  return { clock, calls, service, lifecycle: new Lifecycle({ clock, log: createLog('test', 'silent') }) };
}

test('services start in the order of their groups and stop in reverse', async () => {
  const { lifecycle, calls, service } = newLifecycle();
  lifecycle.add({ mail: service('mail') }).add({ fleet: service('fleet'), results: service('results') }).add({ absent: null });
  await lifecycle.start();
  await lifecycle.stop();
  expect(calls).toEqual([
    'start mail', 'start fleet', 'start results', 'stop fleet', 'stop results', 'stop mail',
  ]);
});

test('a service that hangs or fails while stopping keeps no other from stopping', async () => {
  const { clock, lifecycle, calls, service } = newLifecycle();
  lifecycle
    .add({ mail: service('mail') })
    .add({ hanging: service('hanging', new Promise(() => undefined)), failing: service('failing', Promise.reject(new Error('x'))) }, 2000);
  const stopped = lifecycle.stop();
  await clock.advance(1999);
  expect(calls).toEqual(['stop hanging', 'stop failing']);
  await clock.advance(1);
  await stopped;
  expect(calls).toEqual(['stop hanging', 'stop failing', 'stop mail']);
});
