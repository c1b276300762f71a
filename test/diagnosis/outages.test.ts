import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from '../../controller/diagnosis/classification-rules.ts';
import type { Classification } from '../../controller/diagnosis/diagnosis.ts';
import { Installation } from './installation.ts';
import { Namespaces } from './namespaces.ts';
import { Network, REGIONS } from './network.ts';
import { OUTAGES, type Outage } from './outages.ts';

/** What `npm run diagnosis` prints of an outage. */
interface OutageReport extends Pick<Outage, 'kind' | 'name' | 'cause'> {
  found: Classification;
  summary: string;
}

declare module 'vitest' {
  interface TaskMeta {
    outage?: OutageReport;
  }
}

const isAll = process.env['FARWATCH_OUTAGES'] === 'all';
/** In `npm test`, the first outage of each kind. */
const chosen = isAll ? OUTAGES : OUTAGES.filter((one, at) => one.kind !== OUTAGES[at - 1]?.kind);
const whyNot = Namespaces.whyNot();
if (whyNot !== null) process.stderr.write(`skipped: no outage is diagnosed, because ${whyNot}\n`);

describe.skipIf(whyNot !== null)('an outage in a network of three regions', () => {
  let network: Network;
  let installation: Installation;

  beforeAll(async () => {
    network = await Network.open();
    installation = await Installation.open(network);
  });
  afterEach(async () => {
    await network?.heal();
    await installation?.settle();
  });
  afterAll(async () => {
    await installation?.close();
    await network?.close();
  });

  test('is not seen while nothing is broken', async () => {
    const specs = [...new Map(chosen.map(({ monitor }) => [JSON.stringify(monitor), monitor])).values()];
    for (const spec of specs) {
      const { verdicts, observations } = await installation.diagnose(spec, [], true);
      expect(observations.map(({ region, examination: { sees, error } }) => [region, sees, error]), JSON.stringify(spec))
        .toEqual(REGIONS.map((region) => [region, 'up', null]));
      expect(verdicts.map(({ classification }) => classification)).toEqual(['unknown']);
    }
  });

  test.for(chosen)('is diagnosed as $cause or unknown: $kind, $name', async (outage, { task }) => {
    const { kind, name, cause, monitor, others, down, hasMesh, inflict } = outage;
    await inflict(network);
    const { verdicts, observations } = await installation.diagnose(monitor, others, hasMesh);
    const wrong = verdicts.find(({ classification }) => classification !== cause && classification !== 'unknown');
    const { classification, summary } = wrong ?? verdicts[0] as Verdict;
    task.meta.outage = { kind, name, cause, found: classification, summary };
    const details = JSON.stringify(observations, null, 1);
    expect(observations.filter(({ examination }) => examination.sees === 'down').map(({ region }) => region), details)
      .toEqual(down);
    expect(wrong, details).toBeUndefined();
  });
});
