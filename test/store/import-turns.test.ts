import { afterAll, beforeAll, expect, test } from 'vitest';
import { ImportTurns } from '../../controller/import-export/import-turns.ts';
import { ImportTurnStore } from '../../controller/import-export/store.ts';
import type { Mongo } from '../../controller/platform/mongo/mongo.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { checkedMongo } from '../helpers/checked-mongo.ts';
import { testMongo, type TestMongo } from '../helpers/mongo.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { until } from '../helpers/until.ts';

let store: TestMongo;
let mongo: Mongo;
beforeAll(async () => {
  store = await testMongo();
  mongo = checkedMongo(store.url);
});
afterAll(async () => {
  await mongo.close();
  await store.stop();
});

const controller = (holder: string, clock: Clock = systemClock) =>
  new ImportTurns({ turns: new ImportTurnStore(mongo.db), clock, holder, log: createLog('test', 'silent') });
const newProject = () => ({ organizationId: newId(Date.now()), projectId: newId(Date.now()) });

test('imports of a project run one after another on all controllers, and those of others meanwhile', async () => {
  const [project, other] = [newProject(), newProject()];
  const running: string[] = [];
  const seen: string[] = [];
  const work = (name: string) => async () => {
    running.push(name);
    seen.push(running.join());
    await controller('c').run(other, async () => undefined);
    running.splice(running.indexOf(name), 1);
    if (name === 'a') throw new Error('failed');
    return name;
  };
  const outcomes = await Promise.allSettled(['a', 'b'].map((name) => controller(name).run(project, work(name))));
  expect(outcomes).toMatchObject([{ reason: new Error('failed') }, { value: 'b' }]);
  expect(seen.toSorted()).toEqual(['a', 'b']);
});

test('an import that a crash ended blocks the project for others, up to ten minutes, but not its own controller', async () => {
  const project = newProject();
  const clock = new SimulatedClock();
  const crash = () => void controller('a', clock).run(project, () => new Promise(() => undefined));
  const isClaimed = async () => (await new ImportTurnStore(mongo.db).read(project)).claim !== undefined;
  crash();
  await until(isClaimed);
  await controller('a', clock).run(project, async () => undefined);
  expect(await isClaimed()).toBe(false);

  crash();
  await until(isClaimed);
  const other = controller('b', clock);
  let outcome: unknown = null;
  void other.run(project, async () => 'imported').catch((error: Error) => error.message).then((done) => {
    outcome = done;
  });
  await until(async () => {
    await clock.advance(1000);
    return outcome !== null;
  });
  expect(outcome).toBe('Another import of this project is running; try again');
  await clock.advance(600_000);
  expect(await other.run(project, async () => 'imported')).toBe('imported');
});
