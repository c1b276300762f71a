import { afterAll, beforeAll, describe } from 'vitest';
import { Load } from '../faults/load.ts';
import { certificates } from './certificates.ts';
import { checkTypes } from './check-types.ts';
import { mainJob } from './main-job.ts';
import { maintenance } from './maintenance.ts';
import { subscriptions } from './subscriptions.ts';

let load: Load;
const on = {
  get load() {
    return load;
  },
};
beforeAll(async () => {
  load = await Load.start();
});
afterAll(() => load?.stop());

// First, because it counts all checks.
describe('from a clean directory to an alert and back', () => mainJob(on));
describe('maintenance', () => maintenance(on));
describe('certificates', () => certificates(on));
describe('subscriptions', () => subscriptions(on));
// Last, because it leaves integrations behind.
describe('other types of checks', () => checkTypes(on));
