import { describe, expect, test } from 'vitest';
import { Classifier, type Failure } from '../../../controller/diagnosis/classifier.ts';
import type { DiagnosisDoc } from '../../../controller/diagnosis/diagnosis.ts';
import type { Observation } from '../../../controller/diagnosis/observation-rules.ts';
import { connection, EDGE, failing, FIRST, NOW, REFUSED, SECOND, seen, silent } from '../../helpers/examinations.ts';

const failureOf = (regions: Observation[], monitor_id = 'm'): Failure => (
  { organization_id: 'o', project_id: 'p', monitor_id, failed_at: NOW, regions }
);

/** A classifier whose other monitors failed like `others`, and the reads of other monitors so far. */
function build(others: Failure[] = []) {
  const reads: string[] = [];
  const classifier = new Classifier({
    diagnoses: {
      around: async () => {
        reads.push('diagnoses');
        return others as DiagnosisDoc[];
      },
    },
    features: {
      having: async () => {
        reads.push('features');
        return [];
      },
    },
    monitors: { summaries: async () => new Map() },
    lastSuccesses: async () => new Map(),
    brokenEdges: () => [],
    describe: (region) => ({ label: region, network: `AS of ${region}` }),
  });
  return { classifier, reads };
}

describe('a classifier', () => {
  test.each([
    ['a rule applies to the failure itself', ['Osaka', 'Paris'].map((label) => (
      failing(label, REFUSED, { connections: [connection('refused')] })
    )), 'target'],
    ['too few probes examined it', [silent('Osaka', [FIRST, EDGE])], 'unknown'],
    ['some regions see it up', [silent('Osaka', [FIRST, SECOND]), seen('Paris')], 'path'],
  ])('reads no other monitors, which could change nothing, if %s', async (_case, regions, classification) => {
    const { classifier, reads } = build();
    const { verdict, isFinal } = await classifier.classify(failureOf(regions), null);
    expect({ is: verdict.classification, isFinal, reads }).toEqual({ is: classification, isFinal: true, reads: [] });
  });

  test('compares a silent target with other monitors, until these show why it is silent', async () => {
    const silentAt = (address: string) => ['Osaka', 'Paris'].map((label) => silent(label, [FIRST, EDGE], address));
    const target = failureOf(silentAt('203.0.113.7'));
    const alone = build();
    expect(await alone.classifier.classify(target, null))
      .toMatchObject({ verdict: { classification: 'unknown' }, isFinal: false });
    expect(alone.reads.toSorted()).toEqual(['diagnoses', 'features']);
    const { classifier } = build([failureOf(silentAt('203.0.113.8'), 'other')]);
    expect(await classifier.classify(target, null)).toMatchObject({ verdict: { classification: 'edge' }, isFinal: true });
  });
});
