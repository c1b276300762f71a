import { describe, expect, test } from 'vitest';
import type { TargetFacts } from '../../../shared/contracts/result.ts';
import { compareSighting } from '../../../controller/changes/change-rules.ts';
import type { ChangeDoc, SeenDoc } from '../../../controller/changes/change.ts';
import type { TargetSighting } from '../../../controller/verdicts/monitor-state.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';
import { randomOf } from '../../helpers/random-of.ts';

const START = Date.UTC(2026, 5, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A monitor whose target is seen again and again. */
class Seen {
  doc: SeenDoc | null = null;
  readonly changes: ChangeDoc[] = [];
  #position = 0;

  at(ms: number, found: Partial<TargetSighting>, region = 'eu'): ChangeDoc[] {
    this.#position += 1;
    const compared = compareSighting(this.doc, {
      monitor_id: 'm', organization_id: 'o', project_id: 'p', check_revision: 1, region, seen_at: START + ms,
      position: this.#position, ...found,
    });
    for (const { id, region: joining } of compared.joined) {
      this.changes.find(({ _id }) => _id === id)?.regions.push(joining);
    }
    this.doc = compared.seen;
    this.changes.push(...compared.changes);
    return compared.changes;
  }

  addresses(ms: number, addresses: string[], region = 'eu'): ChangeDoc[] {
    return this.at(ms, { facts: { addresses: addresses.toSorted() } }, region);
  }

  header(ms: number, server: string | null): ChangeDoc[] {
    const headers: TargetFacts['headers'] = server === null ? {} : { server };
    return this.at(ms, { facts: { redirects: [], headers } });
  }
}

describe('addresses', () => {
  test('the first set is no change, and a move is one, with what was there before', () => {
    const seen = new Seen();
    expect(seen.addresses(0, ['192.0.2.1'])).toEqual([]);
    expect(seen.addresses(MINUTE_MS, ['198.51.100.1'])).toEqual([{
      _id: expect.any(String), organization_id: 'o', project_id: 'p', monitor_id: 'm', at: START + MINUTE_MS,
      regions: ['eu'], kind: 'addresses', before: ['192.0.2.1'], after: ['198.51.100.1'],
    }]);
  });

  test('a set that was seen before, a part of one and another order are no change', () => {
    const seen = new Seen();
    for (const set of [['192.0.2.1', '192.0.2.2'], ['192.0.2.2'], ['192.0.2.2', '192.0.2.1'], ['192.0.2.1']]) {
      expect(seen.addresses(0, set)).toEqual([]);
    }
    expect(seen.addresses(0, ['198.51.100.1'])).toHaveLength(1);
    expect(seen.addresses(0, ['192.0.2.1'])).toEqual([]);
  });

  test('a move that several regions see is one change that lists them', () => {
    const seen = new Seen();
    for (const region of ['eu', 'us', 'ap']) seen.addresses(0, ['192.0.2.1'], region);
    seen.addresses(HOUR_MS, ['198.51.100.1'], 'us');
    seen.addresses(HOUR_MS + 20_000, ['198.51.100.1'], 'eu');
    seen.addresses(HOUR_MS + MINUTE_MS, ['198.51.100.1'], 'ap');
    seen.addresses(HOUR_MS + MINUTE_MS, ['198.51.100.1'], 'ap');
    expect(seen.changes).toHaveLength(1);
    expect(seen.changes[0]).toMatchObject({ at: START + HOUR_MS, regions: ['us', 'eu', 'ap'] });
  });

  test('regions with their own addresses are no change, and neither is a new region', () => {
    const seen = new Seen();
    seen.addresses(0, ['192.0.2.1'], 'eu');
    seen.addresses(0, ['198.51.100.1'], 'us');
    seen.addresses(DAY_MS, ['203.0.113.1'], 'ap');
    expect(seen.changes).toEqual([]);
  });

  test.each([
    { size: 40, answered: 4, networks: 1, everyMs: MINUTE_MS },
    { size: 40, answered: 4, networks: 40, everyMs: MINUTE_MS },
    { size: 200, answered: 4, networks: 1, everyMs: MINUTE_MS },
    { size: 200, answered: 4, networks: 200, everyMs: MINUTE_MS },
    { size: 200, answered: 4, networks: 200, everyMs: HOUR_MS },
    { size: 200, answered: 1, networks: 200, everyMs: MINUTE_MS },
    { size: 40, answered: 8, networks: 3, everyMs: 20_000 },
  ])('a pool of $size addresses in $networks networks, $answered at a time, is at most two changes', (
    { size, answered, networks, everyMs },
  ) => {
    for (let seed = 1; seed <= fewOrAll(3, 50); seed += 1) {
      const random = randomOf(seed);
      const pool = Array.from({ length: size }, (_, nth) => `10.${nth % networks}.0.${nth}`);
      const seen = new Seen();
      for (let check = 0; check < 2000; check += 1) {
        const rest = [...pool];
        const set = Array.from({ length: answered }, () => rest.splice(Math.floor(random() * rest.length), 1)[0] as string);
        seen.addresses(check * everyMs, set, ['eu', 'us', 'ap'][check % 3]);
      }
      expect(seen.changes.length, `seed ${seed}`).toBeLessThanOrEqual(2);
    }
  });

  test('a move away from a pool that has been known for a day is a change, and from a growing one is none', () => {
    const seen = new Seen();
    for (let nth = 0; nth < 10; nth += 1) seen.addresses(nth * MINUTE_MS, [`10.0.0.${nth}`]);
    const before = seen.changes.length;
    expect(seen.addresses(HOUR_MS, ['192.0.2.1'])).toEqual([]);
    expect(seen.addresses(2 * DAY_MS, ['10.0.7.7'])).toEqual([]);
    expect(seen.addresses(4 * DAY_MS, ['203.0.113.1'])).toHaveLength(1);
    expect(seen.changes).toHaveLength(before + 1);
  });
});

describe('other kinds', () => {
  test('a header that changes, disappears and returns is two changes', () => {
    const seen = new Seen();
    expect(seen.header(0, 'nginx/1')).toEqual([]);
    expect(seen.header(1000, 'nginx/2')).toMatchObject([
      { kind: 'header', before: ['server: nginx/1'], after: ['server: nginx/2'] },
    ]);
    expect(seen.header(2000, null)).toMatchObject([{ before: ['server: nginx/2'], after: [] }]);
    expect(seen.header(3000, 'nginx/1')).toEqual([]);
  });

  test('a header that is new in each response is at most four changes', () => {
    const seen = new Seen();
    for (let nth = 0; nth < 5000; nth += 1) seen.header(nth * MINUTE_MS, `edge-${nth}`);
    expect(seen.changes).toHaveLength(4);
  });

  test('a header that changes once a day is a change each time', () => {
    const seen = new Seen();
    for (let nth = 0; nth < 30; nth += 1) seen.header(nth * DAY_MS, `version ${nth}`);
    expect(seen.changes).toHaveLength(29);
  });

  test('redirects, name servers and the certificate are compared, each as a whole', () => {
    const seen = new Seen();
    const certificate = (fingerprint256: string) =>
      ({ subject: 'CN=shop', issuer: 'CN=CA', expires_at: START, fingerprint256 });
    seen.at(0, {
      facts: { redirects: ['https://a/'], headers: {}, name_servers: ['ns1.a', 'ns2.a'] }, certificate: certificate('AA'),
    });
    const found = seen.at(1000, {
      facts: { redirects: ['https://a/', 'https://b/'], headers: {}, name_servers: ['ns1.b'] }, certificate: certificate('BB'),
    });
    expect(found.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['name_servers', ['ns1.a', 'ns2.a'], ['ns1.b']],
      ['redirects', ['https://a/'], ['https://a/', 'https://b/']],
      ['certificate', ['CN=shop, issued by CN=CA, valid until 2026-06-01, SHA-256 AA'],
        ['CN=shop, issued by CN=CA, valid until 2026-06-01, SHA-256 BB']],
    ]);
  });

  test('facts that a result lacks change nothing', () => {
    const seen = new Seen();
    seen.header(0, 'nginx');
    const { doc } = seen;
    seen.at(1000, { facts: {} });
    expect(seen.doc).toBe(doc);
  });
});

test('another check of the monitor makes everything new', () => {
  const seen = new Seen();
  seen.addresses(0, ['192.0.2.1']);
  seen.at(1000, { check_revision: 2, facts: { addresses: ['198.51.100.1'] } });
  expect(seen.changes).toEqual([]);
  expect(seen.addresses(2000, ['198.51.100.1'])).toEqual([]);
});

test('what is remembered is bounded', () => {
  const seen = new Seen();
  for (let nth = 0; nth < 2000; nth += 1) {
    seen.at(nth * HOUR_MS, {
      facts: { addresses: [`10.${nth % 250}.${nth % 7}.1`], redirects: [`https://a/${nth}`], headers: { via: `edge ${nth}` } },
    }, `region ${nth % 100}`);
  }
  expect(JSON.stringify(seen.doc).length).toBeLessThan(64_000);
});

test('the same sightings yield the same changes under the same ids', () => {
  const [one, other] = [new Seen(), new Seen()];
  for (const seen of [one, other]) for (let nth = 0; nth < 3; nth += 1) seen.addresses(nth, [`192.0.2.${nth}`]);
  expect(one.changes).toEqual(other.changes);
  expect(new Set(one.changes.map(({ _id }) => _id)).size).toBe(one.changes.length);
});
