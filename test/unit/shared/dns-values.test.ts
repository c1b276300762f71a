import { describe, expect, test } from 'vitest';
import { canonicalDnsValue, isDnsValue, type DnsRecordType } from '../../../shared/dns-values.ts';

describe('an expected DNS value', () => {
  test.each<[DnsRecordType, string, string | null]>([
    ['A', ' 192.0.2.1 ', '192.0.2.1'],
    ['A', '192.0.2.01', null],
    ['AAAA', '2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['AAAA', '::ffff:192.0.2.1', '::ffff:c000:201'],
    ['AAAA', 'fe80::1%eth0', null],
    ['CNAME', 'WWW.Example.COM.', 'www.example.com'],
    ['NS', 'münchen.example', 'xn--mnchen-3ya.example'],
    ['PTR', '.', '.'],
    ['PTR', 'a..b', null],
    ['PTR', '"a"', null],
    ['PTR', 'a\\.b.example', 'a\\.b.example'],
    ['MX', '010  Mail.example.', '10 mail.example'],
    ['MX', 'mail.example', 'mail.example'],
    ['MX', '70000 mail.example', null],
    ['SRV', '1 2 443 Host.example.', '1 2 443 host.example'],
    ['SRV', 'host.example', null],
    ['SOA', 'NS1.example.', 'ns1.example'],
    ['SOA', 'ns1.example. a.b. 1 2 3 4 4294967295', 'ns1.example a.b 1 2 3 4 4294967295'],
    ['SOA', 'ns1.example a.b 1 2 3 4 4294967296', null],
    ['CAA', '0 Issue ca.example', '0 issue "ca.example"'],
    ['CAA', '128 iodef "mailto:a@b"', '128 iodef "mailto:a@b"'],
    ['CAA', '256 issue a', null],
    ['CAA', '0 issue "open', null],
    ['TXT', 'v=spf1 -all', 'v=spf1 -all'],
    ['TXT', '"a \\"b\\" \\\\ \\059" "c"', 'a "b" \\ ;c'],
    ['TXT', '"a" b', null],
  ])('of type %s is normalized: %s', (type, text, canonical) => {
    expect(canonicalDnsValue(type, text)).toBe(canonical);
    if (canonical !== null && type !== 'TXT') expect(canonicalDnsValue(type, canonical)).toBe(canonical);
  });

  test('matches a record with the parts that it omits', () => {
    expect(isDnsValue('MX', 'mail.example', '10 mail.example')).toBe(true);
    expect(isDnsValue('MX', '20 mail.example', '10 mail.example')).toBe(false);
    expect(isDnsValue('SOA', 'ns1.example', 'ns1.example a.b 1 2 3 4 5')).toBe(true);
    expect(isDnsValue('SOA', 'a.b', 'ns1.example a.b 1 2 3 4 5')).toBe(false);
    expect(isDnsValue('SRV', 'a.example', '1 2 3 a.example')).toBe(false);
  });
});
