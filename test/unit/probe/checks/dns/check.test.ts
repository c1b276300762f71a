import { describe, expect, test } from 'vitest';
import type { DnsSpec } from '../../../../../shared/contracts/check-spec.ts';
import type { DnsRecordType } from '../../../../../shared/dns-values.ts';
import { checkDns, type DnsCheckOptions } from './dns-check.ts';
import { respondWith, serve, startNameServer, type ReceivedQuery, type TestNameServer } from './name-server.ts';
import { u16, wireMessage, wireName, wireRecord, wireString, type WireMessage } from './wire.ts';

const at = ({ port }: TestNameServer) => ({ host: '127.0.0.1', port });
const a = (last: number) => wireRecord({ type: 1, data: Buffer.of(192, 0, 2, last) });

async function checkAt(
  respond: (query: ReceivedQuery) => void, spec: Partial<DnsSpec> = {}, options: DnsCheckOptions = {},
) {
  const server = await serve(respond);
  const finding = await checkDns({ server: at(server), ...spec }, options);
  return { server, finding, message: finding.error?.message.replaceAll(`:${server.port}`, '') };
}

describe('a DNS check', () => {
  test('succeeds with any record, and reports the time and server', async () => {
    const { finding, server } = await checkAt(respondWith({ records: [a(1)] }));
    expect(finding).toMatchObject({
      outcome: 'success', degraded: false, error: null, remote_address: '127.0.0.1', detail: null,
    });
    expect(finding.timings?.dns).toBe(finding.response_time_ms);
    expect(server.queries).toMatchObject([{ name: 'www.example.com', type: 'A', via: 'UDP', hasEdns: true }]);
  });

  test('queries each type once, concurrently', async () => {
    const pending: ReceivedQuery[] = [];
    const entry = (type: DnsRecordType) => ({ type, expected_values: [], match: 'any' as const });
    const { finding, server } = await checkAt((query) => {
      if (pending.push(query) < 2) return;
      for (const { id, section, type, send } of pending) {
        const data = type === 'A' ? Buffer.of(192, 0, 2, 1) : wireString('x');
        send(wireMessage({ id, question: section, records: [wireRecord({ type: type === 'A' ? 1 : 16, data })] }));
      }
    }, { record_entries: [entry('A'), entry('TXT'), entry('A')] });
    expect(finding.outcome).toBe('success');
    expect(server.queries.map(({ type }) => type)).toEqual(['A', 'TXT']);
  });

  const alias = wireRecord({ type: 5, data: wireName('web.example.net') });
  const referral = [wireRecord({ type: 2, data: wireName('ns1.example') })];
  test.each<[string, Partial<WireMessage>, string]>([
    ['NXDOMAIN', { flags: 0x8183 }, 'The name www.example.com does not exist (NXDOMAIN from 127.0.0.1)'],
    ['SERVFAIL', { flags: 0x8182 }, '127.0.0.1 failed to look up A of www.example.com (SERVFAIL)'],
    ['REFUSED', { flags: 0x8185 }, '127.0.0.1 refused the query for A of www.example.com (REFUSED)'],
    ['another error', { flags: 0x8184 }, '127.0.0.1 responded for A of www.example.com with error NOTIMP'],
    ['an unknown error', { flags: 0x818b }, '127.0.0.1 responded for A of www.example.com with error 11'],
    ['an empty response', {}, 'The name www.example.com has no A record (empty response from 127.0.0.1)'],
    ['an alias without a record', { records: [alias] },
      'The name www.example.com is an alias of web.example.net, which has no A record (empty response from 127.0.0.1)'],
    ['a referral', { authorities: referral, flags: 0x8100 },
      '127.0.0.1 is not authoritative for www.example.com and refers to other DNS servers'],
    ['a damaged response', { records: [wireRecord({ type: 1, data: Buffer.of(1) })] },
      '127.0.0.1 sent an unusable response for A of www.example.com: a record of type A is damaged'],
  ])('reports %s', async (_, changes, message) => {
    const { finding, message: actualMessage } = await checkAt(respondWith(changes));
    expect(finding).toMatchObject({ outcome: 'failure', error: { type: 'dns_error', layer: 'dns' } });
    expect(actualMessage).toBe(message);
  });

  test('reports a silent server, within the shorter of the two timeouts', async () => {
    const silent = await checkAt(() => undefined, { resolution_timeout_ms: 30 });
    expect(silent.finding.error).toMatchObject({ type: 'timeout', layer: 'dns' });
    expect(silent.message).toBe('No response within 30 ms (asking 127.0.0.1 by UDP for A of www.example.com)');
    const { message } = await checkAt(() => undefined, {}, { timeoutMs: 20 });
    expect(message).toMatch(/^No response within 20 ms/);
  });

  test('reports a refused port', async () => {
    const server = await startNameServer(() => undefined);
    await server.close();
    const { error } = await checkDns({ server: at(server) });
    expect(error).toEqual({
      type: 'dns_error', layer: 'dns',
      message: `127.0.0.1:${server.port} cannot be queried over UDP: Connection refused`,
    });
  });

  test("repeats a query without EDNS if the server can't parse it", async () => {
    const { finding, server } = await checkAt(({ id, section, hasEdns, send }) => send(
      hasEdns ? wireMessage({ id, flags: 0x8181, question: Buffer.alloc(0) })
        : wireMessage({ id, question: section, records: [a(1)] }),
    ));
    expect(finding.outcome).toBe('success');
    expect(server.queries.map(({ hasEdns }) => hasEdns)).toEqual([true, false]);
  });

  test('retrieves a long response over TCP', async () => {
    const text = wireRecord({
      type: 16, data: Buffer.concat(Array<Buffer>(200).fill(wireString('x'.repeat(255)))),
    });
    const { finding, server } = await checkAt(({ id, section, via, send }) => send(
      wireMessage({ id, question: section, ...(via === 'UDP' ? { flags: 0x8380 } : { records: [text] }) }),
    ), { record_entries: [{ type: 'TXT', expected_values: ['x'.repeat(51_000)], match: 'exact' }] });
    expect(finding.outcome).toBe('success');
    expect(server.queries.map(({ via }) => via)).toEqual(['UDP', 'TCP']);
  });
});

describe('DNS check values', () => {
  const entry = (match: 'exact' | 'contains' | 'any', ...last: number[]): Partial<DnsSpec> => ({
    record_entries: [{ type: 'A', match, expected_values: last.map((octet) => `192.0.2.${octet}`) }],
  });
  const rows: [string, Partial<DnsSpec>, number[], string | null][] = [
    ['exactly those, in any order', entry('exact', 1, 2), [2, 1], null],
    ['one more than exactly those', entry('exact', 1), [1, 2],
      'Expected A of www.example.com to be exactly 192.0.2.1; got 192.0.2.1, 192.0.2.2'],
    ['one less than exactly those', entry('exact', 1, 2), [1],
      'Expected A of www.example.com to be exactly 192.0.2.1, 192.0.2.2; got 192.0.2.1'],
    ['more than contained', entry('contains', 1), [1, 2], null],
    ['less than contained', entry('contains', 1, 3), [1, 2],
      'Expected A of www.example.com to include 192.0.2.1, 192.0.2.3; got 192.0.2.1, 192.0.2.2'],
    ['any of several', entry('any', 3, 2), [1, 2], null],
    ['none of several', entry('any', 3, 4), [1, 2],
      'Expected A of www.example.com to include one of 192.0.2.3, 192.0.2.4; got 192.0.2.1, 192.0.2.2'],
    ['none expected', entry('exact'), [1], null],
    ['many', entry('any', 99), [1, 2, 3, 4, 5, 6],
      'Expected A of www.example.com to include one of 192.0.2.99; got 192.0.2.1, 192.0.2.2, 192.0.2.3, 192.0.2.4 and 2 more'],
  ];
  test.each(rows)('are evaluated: %s', async (_, spec, last, expectedMessage) => {
    const { finding } = await checkAt(respondWith({ records: last.map(a) }), spec);
    expect(finding.error?.message ?? null).toBe(expectedMessage);
    if (expectedMessage === null) return;
    expect(finding.error).toMatchObject({ type: 'dns_validation_error', layer: 'content' });
    expect(finding.detail).toEqual({ answers: { A: last.map((octet) => `192.0.2.${octet}`) } });
  });

  test.each<[DnsRecordType, number, Buffer, string]>([
    ['AAAA', 28, Buffer.from('20010db8000000000000000000000001', 'hex'), '2001:DB8:0::1'],
    ['MX', 15, Buffer.concat([u16(10), wireName('mail.example')]), 'Mail.Example.'],
    ['TXT', 16, Buffer.concat([wireString('a "b" '), wireString('c')]), '"a \\"b\\" " "c"'],
    ['CAA', 257, Buffer.concat([Buffer.of(0), wireString('issue'), Buffer.from('ca.example')]), '0 issue ca.example'],
  ])('of type %s match in another notation', async (type, number, data, expected) => {
    const { finding } = await checkAt(respondWith({ records: [wireRecord({ type: number, data })] }), {
      record_entries: [{ type, expected_values: [expected], match: 'exact' }],
    });
    expect(finding.outcome).toBe('success');
  });

  test('are sanitized and short in messages and details', async () => {
    const hostile = Buffer.concat([wireString('\x1b[2J\r\n\u2028'), ...Array<Buffer>(90).fill(wireString('"'.repeat(250)))]);
    const record = wireRecord({ type: 16, data: hostile });
    const { finding } = await checkAt(({ id, section, via, send }) => send(
      wireMessage({ id, question: section, ...(via === 'UDP' ? { flags: 0x8380 } : { records: [record, record] }) }),
    ), { record_entries: [{ type: 'TXT', expected_values: ['ok'], match: 'any' }] });
    expect(finding.error?.message).toMatch(/^[ -~…]{1,500}$/);
    expect(JSON.stringify(finding.detail)).toMatch(/^[ -~…]{1,4096}$/);
  });
});
