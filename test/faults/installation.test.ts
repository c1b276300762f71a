import { afterAll, beforeAll, afterEach, describe } from 'vitest';
import { apiStorm } from './api-storm.ts';
import { causeKills } from './causes.ts';
import { controllerKills } from './controller-kills.ts';
import { databaseKills } from './database-kills.ts';
import { flapping } from './flapping.ts';
import { hostileTargets } from './hostile-targets.ts';
import { Load } from './load.ts';
import { natsFaults } from './nats.ts';

let load: Load;
const on = {
  get load() {
    return load;
  },
};
beforeAll(async () => {
  load = await Load.start();
});
afterEach(() => load.forget());
afterAll(() => load?.stop());

// First, because it asserts that the installation has no incidents at all.
describe('changes', () => apiStorm(on));
describe('flapping', () => flapping(on));
describe('kills of the controller', () => controllerKills(on));
describe('kills of the controller during a cause', () => causeKills(on));
describe('kills of the database', () => databaseKills(on));
describe('NATS', () => natsFaults(on));
describe('hostile targets', () => hostileTargets(on));
