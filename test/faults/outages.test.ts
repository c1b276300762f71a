import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { busOutage } from './bus-outage.ts';
import { fakeTimeLibrary } from './fake-time.ts';
import { Load } from './load.ts';
import { Parts, type ProbePart } from './parts.ts';
import { probeProblems } from './probe-problems.ts';
import { restarts } from './restarts.ts';

let load: Load<Parts>;
let probe: ProbePart;
const on = {
  get load() {
    return load;
  },
  get probe() {
    return probe;
  },
};
const library = await fakeTimeLibrary();
beforeAll(async () => {
  load = await Load.on(Parts.start());
  probe = await load.farwatch.probe(load.session, 'local');
});
afterEach(() => load.forget());
afterAll(() => load?.stop());

// First, because it waits for all probes, and the others add some that end.
describe('restarts', () => restarts(on));
describe('without NATS', () => busOutage(on));
describe('probes with problems', () => probeProblems(on, library));
