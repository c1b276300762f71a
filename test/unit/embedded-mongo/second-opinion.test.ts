import { inspect } from 'node:util';
import { serialize, type Document } from 'bson';
import fc from 'fast-check';
import { Query } from 'mingo';
import { expect, test } from 'vitest';
import { documentValue, type Value } from '../../../deploy/embedded/mongo/bson/value.ts';
import { matcherOf } from '../../../deploy/embedded/mongo/query/matcher.ts';
import { parseFilter } from '../../../deploy/embedded/mongo/query/filter.ts';
import { document, filter } from '../../store/model/arbitraries.ts';
import { matches } from '../../store/model/match.ts';
import type { Doc } from '../../store/model/values.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';

const encoded = (doc: Doc): Value => documentValue(Buffer.from(serialize(doc as Document)));

/**
 * Known deviations of mingo from the manual: longs beyond 2^53, NaN, nested arrays, orderings by null, documents and
 * arrays, arrays as members of `$in`, and absence below an array ("Query for Null or Missing Fields").
 */
function isMingoWrong(doc: Doc, wanted: Doc): boolean {
  const query = inspect(wanted, { depth: 9, breakLength: Infinity });
  const both = query + inspect(doc, { depth: 9, breakLength: Infinity });
  if (/NaN|Long\(|\[ ?\[/.test(both)) return true;
  if (/'\$[lg]te?': (null|\{|\[)/.test(query) || /'\$n?in': \[[^\]]*\[/.test(query)) return true;
  return /'(l|a)\.x'|'l\.y'/.test(query) && (Array.isArray(doc['l']) || Array.isArray(doc['a']));
}

test('the matcher agrees with the model, and with mingo where mingo follows the manual', () => {
  let compared = 0;
  fc.assert(
    fc.property(document, filter, (doc, wanted) => {
      const isMatch = matcherOf(parseFilter(encoded(wanted)))(encoded(doc));
      expect(isMatch).toBe(matches(doc, wanted));
      if (isMingoWrong(doc, wanted)) return;
      compared++;
      expect(new Query(wanted).test(doc)).toBe(isMatch);
    }),
    { numRuns: fewOrAll(1000, 2000) },
  );
  expect(compared).toBeGreaterThan(300);
});
