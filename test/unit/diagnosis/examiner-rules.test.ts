import { describe, expect, test } from 'vitest';
import { chooseExaminers, type SeenRegion } from '../../../controller/diagnosis/examiner-rules.ts';

const seen = (regions: Record<string, SeenRegion['is']>): SeenRegion[] =>
  Object.entries(regions).map(([region, is]) => ({ region, probe_id: `probe-${region}`, is }));

function choose(regions: SeenRegion[], failed: string) {
  const { examiners, others } = chooseExaminers({
    regions, failed, witnesses: [], examinerOf: (_region, preferred) => preferred, networkOf: () => null,
  });
  return { examiners: examiners.map(({ region }) => region), others: others.map(({ region }) => region) };
}

describe('the regions that examine a target', () => {
  test('are the one that failed and one that sees it up', () => {
    const { examiners } = choose(seen({ osaka: 'down', paris: 'failing', lima: 'up' }), 'osaka');
    expect(examiners).toEqual(['osaka', 'lima']);
  });

  test('are all others as well if both see it down, those that last saw it up first', () => {
    const regions = seen({ osaka: 'down', paris: 'up', lima: 'failing', oslo: 'up' });
    expect(choose(regions, 'osaka')).toEqual({ examiners: ['osaka', 'paris'], others: ['oslo', 'lima'] });
  });

  test('are at most six others', () => {
    const names = Array.from({ length: 20 }, (_, at) => `region-${at}`);
    const regions = seen(Object.fromEntries(names.map((name) => [name, 'up'])));
    expect(choose(regions, 'region-0').others).toHaveLength(6);
  });
});
