import { describe, expect, test } from 'vitest';
import { isInternalName } from '../../../../../probe/checks/dns/internal-names.ts';
import { addressGuard, refusesPrivate, type OwnPolicy } from '../../../../../probe/checks/network/address-guard.ts';
import { DNS_RECORD_TYPES, type DnsSpec } from '../../../../../shared/contracts/check-spec.ts';
import { systemClock } from '../../../../../shared/time.ts';
import { checkDns } from './dns-check.ts';
import { serve, type ReceivedQuery } from './name-server.ts';
import { wireMessage, wireName, wireRecord } from './wire.ts';

test.each([
  ['printer', true], ['db.internal', true], ['x.local', true], ['nas.lan', true], ['a.home.arpa', true],
  ['a.onion', true], ['localhost', true], ['1.2.3.10.in-addr.arpa', true], ['168.192.in-addr.arpa', true],
  ['0-25.2.1.10.in-addr.arpa', true], [`1.${'0.'.repeat(29)}d.f.ip6.arpa`, true], ['d.f.ip6.arpa', true],
  ['1.0.0.127.in-addr.arpa', true],
  ['com', false], ['example.co.uk', false], ['_dmarc.example.com', false], ['xn--mnchen-3ya.de', false],
  ['shop.github.io', false], ['8.8.8.8.in-addr.arpa', false], ['8.in-addr.arpa', false],
  ['8.b.d.0.6.2.ip6.arpa', false],
])('%s is an internal name: %s', (name, expected) => expect(isInternalName(name)).toBe(expected));

const REFUSING: OwnPolicy = { allowPrivate: false, allowedRanges: [], deniedRanges: [] };

/** Runs a check with the probe's own name server, which returns these records for every question. */
async function run(records: Buffer[], spec: Partial<DnsSpec>, policy = REFUSING, flags = 0x8180, isAssigned = false) {
  const { port, queries } = await serve(({ id, section, send }: ReceivedQuery) => (
    send(wireMessage({ id, question: section, records, flags }))
  ));
  const guard = addressGuard(policy, systemClock);
  const finding = await checkDns(spec, {
    system: [`127.0.0.1:${port}`], context: {
      allowAddress: (ip) => guard(ip, isAssigned), refusesPrivate: () => refusesPrivate(policy, isAssigned),
    },
  });
  return { finding, queries: queries.map(({ name }) => name) };
}

const a = (...bytes: number[]): Buffer => wireRecord({ type: 1, data: Buffer.from(bytes) });
const aaaa = (hex: string): Buffer => wireRecord({ type: 28, data: Buffer.from(hex, 'hex') });
const blocked = { outcome: 'missed', missed: 'blocked_target', error: null, detail: null, observed: null };
const entries = (...types: (typeof DNS_RECORD_TYPES)[number][]): DnsSpec['record_entries'] =>
  types.map((type) => ({ type, expected_values: [], match: 'any' }));

describe('with private addresses denied, a DNS check', () => {
  test.each(DNS_RECORD_TYPES)('of an internal name queries no name server for %s', async (type) => {
    const { finding, queries } = await run([a(192, 0, 2, 1)], { name: 'DB.internal', record_entries: entries(type) });
    expect(finding).toMatchObject(blocked);
    expect(queries).toEqual([]);
  });

  test.each([
    ['a private address', [a(10, 1, 2, 3)], 'A'],
    ['a private address among others', [a(8, 8, 8, 8), a(192, 168, 1, 1)], 'A'],
    ['loopback', [a(127, 0, 0, 1)], 'A'],
    ['a link-local address', [a(169, 254, 1, 1)], 'A'],
    ['a private IPv6 address', [aaaa(`fd00${'0'.repeat(27)}1`)], 'AAAA'],
    ['an IPv4 address within IPv6', [aaaa(`${'0'.repeat(20)}ffff0a010203`)], 'AAAA'],
  ] as const)('does not reveal %s', async (_name, records, type) => {
    const expecting = (expected: string[]): Partial<DnsSpec> =>
      ({ record_entries: [{ type, expected_values: expected, match: 'exact' }] });
    expect((await run([...records], expecting([]))).finding).toMatchObject(blocked);
    const guess = type === 'A' ? '1.1.1.1' : '2606::1';
    expect((await run([...records], expecting([guess]))).finding).toMatchObject(blocked);
  });

  test('does not reveal an internal name when another record fails', async () => {
    const { finding } = await run([a(10, 1, 2, 3)], { record_entries: entries('MX', 'A') });
    expect(finding).toMatchObject(blocked);
  });

  test('does not reveal records of an internal name behind an alias', async () => {
    const alias = wireRecord({ type: 5, data: wireName('db.internal') });
    const text = wireRecord({ owner: wireName('db.internal'), type: 16, data: Buffer.from('\x06secret') });
    const { finding } = await run([alias, text], { record_entries: entries('TXT') });
    expect(finding).toMatchObject(blocked);
  });

  test.each([['NXDOMAIN', 0x8183], ['SERVFAIL', 0x8182]])(
    'does not reveal by %s whether the internal target of an alias exists', async (_rcode, flags) => {
      const aliasOf = (name: string): Buffer => wireRecord({ type: 5, data: wireName(name) });
      const failing = (name: string) => run([aliasOf(name)], {}, REFUSING, flags);
      expect((await failing('db.internal')).finding).toMatchObject(blocked);
      expect((await failing('db.example.org')).finding).toMatchObject({ error: { type: 'dns_error' } });
    },
  );

  test('shows public and reserved addresses, and nonexistent public names', async () => {
    for (const record of [a(8, 8, 8, 8), a(0, 0, 0, 0), a(192, 0, 2, 1)]) {
      expect((await run([record], {})).finding).toMatchObject({ outcome: 'success' });
    }
    expect((await run([], {}, REFUSING, 0x8183)).finding).toMatchObject({ error: { type: 'dns_error' } });
  });

  test('shows addresses allowed by the operator', async () => {
    const policy = { ...REFUSING, allowedRanges: ['10.1.0.0/16'] };
    expect((await run([a(10, 1, 2, 3)], {}, policy)).finding).toMatchObject({ outcome: 'success' });
    expect((await run([a(10, 2, 2, 3)], {}, policy)).finding).toMatchObject(blocked);
  });
});

test('with private addresses allowed, a DNS check shows all names and addresses', async () => {
  const policy = { ...REFUSING, allowPrivate: true };
  for (const record of [a(10, 1, 2, 3), a(127, 0, 0, 1), a(169, 254, 1, 1)]) {
    const { finding } = await run([record], { name: 'db.internal' }, policy, 0x8180, true);
    expect(finding).toMatchObject({ outcome: 'success' });
  }
});
