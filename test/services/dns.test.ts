import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../probe/checks/check.ts';
import type { DnsSpec } from '../../shared/contracts/check-spec.ts';
import type { DnsRecordType } from '../../shared/dns-values.ts';
import { until } from '../helpers/until.ts';
import { checkDns } from '../unit/probe/checks/dns/dns-check.ts';
import { startKnot } from './knot.ts';

const LONG = 'x'.repeat(250);
const ZONE = `
$ORIGIN shop.test.
$TTL 60
@        SOA   ns1.shop.test. admin\\.dns.shop.test. 7 3600 600 86400 60
@        NS    ns1
@        NS    ns2.example.
@        MX    10 mail
@        MX    20 backup.example.
@        TXT   "v=spf1 mx -all"
@        TXT   "two " "strings; with \\"quotes\\""
@        CAA   0 issue "ca.example; account=1"
ns1      A     192.0.2.53
www      A     192.0.2.1
www      A     192.0.2.2
www      AAAA  2001:db8::1
alias    CNAME WWW
far      CNAME www.example.
loop     CNAME pool
pool     CNAME loop
_sip._tcp SRV  1 2 5060 sip
sub      NS    ns.sub
ns.sub   A     192.0.2.54
*.wild   A     192.0.2.9
${Array.from({ length: 60 }, (_, at) => `long TXT "${at}" "${LONG}"`).join('\n')}
`;
const REVERSE = `
$ORIGIN 2.0.192.in-addr.arpa.
@  60 SOA ns1.shop.test. admin.shop.test. 1 3600 600 86400 60
@  60 NS  ns1.shop.test.
1  60 PTR www.shop.test.
`;

describe('a DNS check of Knot', () => {
  let knot: Awaited<ReturnType<typeof startKnot>>;
  let server: DnsSpec['server'];
  const checkRecords = (name: string, type: DnsRecordType, ...expected_values: string[]): Promise<Finding> =>
    checkDns({ name, server, record_entries: [{ type, expected_values, match: 'exact' }] });

  beforeAll(async () => {
    knot = await startKnot({ 'shop.test': ZONE, '2.0.192.in-addr.arpa': REVERSE, 'broken.test': 'nonsense' });
    server = { host: '127.0.0.1', port: knot.port };
    // Zones are loaded in the background.
    await until(async () => (await checkRecords('1.2.0.192.in-addr.arpa', 'PTR')).outcome === 'success'
      && (await checkRecords('shop.test', 'SOA')).outcome === 'success');
  });
  afterAll(() => knot?.stop());

  test.each<[DnsRecordType, string, string[]]>([
    ['A', 'www.shop.test', ['192.0.2.2', '192.0.2.1']],
    ['AAAA', 'www.shop.test', ['2001:DB8::0:1']],
    ['CNAME', 'alias.shop.test', ['www.shop.test.']],
    ['MX', 'shop.test', ['10 mail.shop.test', 'backup.example']],
    ['NS', 'shop.test', ['NS1.shop.test', 'ns2.example']],
    ['TXT', 'shop.test', ['v=spf1 mx -all', '"two strings; with \\"quotes\\""']],
    ['SOA', 'shop.test', ['ns1.shop.test']],
    ['SOA', 'shop.test', ['ns1.shop.test admin\\.dns.shop.test 7 3600 600 86400 60']],
    ['SRV', '_sip._tcp.shop.test', ['1 2 5060 sip.shop.test']],
    ['CAA', 'shop.test', ['0 issue "ca.example; account=1"']],
    ['PTR', '1.2.0.192.in-addr.arpa', ['www.shop.test']],
    ['A', 'alias.shop.test', ['192.0.2.1', '192.0.2.2']],
    ['A', 'any.wild.shop.test', ['192.0.2.9']],
  ])('finds the %s records of %s', async (type, name, values) => {
    expect(await checkRecords(name, type, ...values)).toMatchObject({ outcome: 'success', error: null });
    expect(await checkRecords(name, type, ...values.slice(1), ...(type === 'A' ? ['192.0.2.99'] : ['0 a.b']))).toMatchObject({
      outcome: 'failure', error: { type: 'dns_validation_error' },
    });
  });

  test('gets a response over TCP that is too long for UDP', async () => {
    const values = Array.from({ length: 60 }, (_, at) => `${at}${LONG}`);
    expect(await checkRecords('long.shop.test', 'TXT', ...values)).toMatchObject({ outcome: 'success', error: null });
  });

  test.each([
    ['nothing.shop.test', 'The name nothing.shop.test does not exist (NXDOMAIN from '],
    ['other.test', 'refused the query for A of other.test (REFUSED)'],
    ['broken.test', 'failed to look up A of broken.test (SERVFAIL)'],
    ['shop.test', 'The name shop.test has no A record (empty response from '],
    ['far.shop.test', 'The name far.shop.test is an alias of www.example, which has no A record'],
    ['loop.shop.test', 'its CNAME records form a loop'],
    ['host.sub.shop.test', 'is not authoritative for host.sub.shop.test and refers to other DNS servers'],
  ])('reports what is wrong with %s', async (name, message) => {
    const { error } = await checkRecords(name, 'A');
    expect(error).toMatchObject({ type: 'dns_error', layer: 'dns' });
    expect(error?.message).toContain(message);
  });
});
