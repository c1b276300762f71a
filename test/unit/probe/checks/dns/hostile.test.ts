import { createSocket } from 'node:dgram';
import { describe, expect, test } from 'vitest';
import { questionFor, type Question } from '../../../../../probe/checks/dns/question.ts';
import { UdpSockets } from '../../../../../probe/checks/dns/udp-sockets.ts';
import { faultOf } from '../../../../../probe/checks/dns/outcome-faults.ts';
import { systemClock } from '../../../../../shared/time.ts';
import { SimulatedClock } from '../../../../helpers/simulated-clock.ts';
import { until } from '../../../../helpers/until.ts';
import { drip } from '../../../../helpers/drip.ts';
import { checkDns, NAME } from './dns-check.ts';
import { respondWith, serve, startNameServer, type ReceivedQuery, type TestNameServer } from './name-server.ts';
import { u16, wireMessage, wireName, wireQuestion, wireRecord, wireString } from './wire.ts';

const at = ({ port }: TestNameServer, host = '127.0.0.1') => ({ host, port });
const a = (last: number) => wireRecord({ type: 1, data: Buffer.of(192, 0, 2, last) });
const expectOne = { record_entries: [{ type: 'A' as const, expected_values: ['192.0.2.1'], match: 'exact' as const }] };

/** Responses that must be rejected; each would change the outcome. */
const FORGERIES: [string, (query: ReceivedQuery) => void][] = [
  ['another id', ({ id, section, send }) => send(wireMessage({ id: id ^ 1, question: section, records: [a(66)] }))],
  ['another name', ({ id, send }) =>
    send(wireMessage({ id, question: wireQuestion('evil.example', 'A'), records: [a(66)] }))],
  ['another type', ({ id, send }) =>
    send(wireMessage({ id, question: wireQuestion('www.example.com', 'AAAA'), records: [a(66)] }))],
  ['no question', ({ id, send }) => send(wireMessage({ id, flags: 0x8183, question: Buffer.alloc(0) }))],
  ['the query itself', ({ id, section, send }) => send(wireMessage({ id, flags: 0x0100, question: section }))],
  ['noise', ({ send }) => send(Buffer.from('noise'))],
  ['nothing', ({ send }) => send(Buffer.alloc(0))],
];

describe('a DNS check ignores a response with', () => {
  test.each(FORGERIES)('%s, and waits for the genuine one', async (_, forge) => {
    const server = await serve((query) => {
      forge(query);
      respondWith({ records: [a(1)] })(query);
    });
    expect(await checkDns({ server: at(server), ...expectOne })).toMatchObject({ outcome: 'success' });
  });

  test.each(FORGERIES)('%s, and reports that there was no other', async (_, forge) => {
    const server = await serve(forge);
    const { error } = await checkDns({ server: at(server), resolution_timeout_ms: 50 });
    expect(error).toMatchObject({ type: 'timeout', message: expect.stringContaining(
      'for A of www.example.com; received messages that match no query of this probe',
    ) as string });
  });

  test('a different source port', async () => {
    const other = createSocket('udp4');
    const server = await serve((query) => {
      const forged = wireMessage({ id: query.id, question: query.section, records: [a(66)] });
      other.send(forged, query.port, '127.0.0.1', () => respondWith({ records: [a(1)] })(query));
    });
    expect(await checkDns({ server: at(server), ...expectOne })).toMatchObject({ outcome: 'success' });
    other.close();
  });
});

describe('a DNS check rejects, with a one-line message,', () => {
  const alias = (owner: Buffer, to: Buffer) => wireRecord({ owner, type: 5, data: to });
  const [one, two] = [wireName('one.example'), wireName('two.example')];
  const odd = Buffer.concat([wireString('\u001b[31m\r\n<b>'), wireName('')]);
  const at12 = u16(0xc00c);
  const itself = u16(0xc000 | (12 + wireQuestion(NAME, 'A').length));

  test.each<[string, Buffer[], string]>([
    ['a loop of CNAME records', [alias(at12, one), alias(one, two), alias(two, one)], 'its CNAME records form a loop'],
    ['a CNAME to itself', [alias(at12, at12)], 'its CNAME records form a loop'],
    ['a compressed name that points to itself', [wireRecord({ owner: itself, type: 1, data: Buffer.alloc(4) })],
      'it ends within a record'],
    ['an alias with control characters', [alias(at12, odd)], 'is an alias of \\027[31m\\013\\010<b>, which has no A record'],
  ])('%s', async (_, records, problem) => {
    const server = await serve(respondWith({ records }));
    const { outcome, error } = await checkDns({ server: at(server) });
    expect([outcome, error?.type, error?.layer]).toEqual(['failure', 'dns_error', 'dns']);
    expect(error?.message).toContain(problem);
    expect(error?.message).toMatch(/^[ -~]{1,500}$/);
  });

  test('64 kB of unexpected text', async () => {
    const text = wireRecord({ type: 16, data: Buffer.concat(Array<Buffer>(250).fill(wireString('\u001b'.repeat(255)))) });
    const server = await serve(({ id, section, via, send }) => send(
      wireMessage({ id, question: section, ...(via === 'UDP' ? { flags: 0x8380 } : { records: [text] }) }),
    ));
    const wish = { type: 'TXT' as const, expected_values: ['v=spf1'], match: 'exact' as const };
    const { error, detail } = await checkDns({ server: at(server), record_entries: [wish] });
    expect(error).toMatchObject({ type: 'dns_validation_error', layer: 'content' });
    expect(error?.message).toMatch(/^[ -~…]{1,500}$/);
    expect(JSON.stringify(detail)).toMatch(/^[ -~…]{1,4096}$/);
  });
});

describe('a DNS check over TCP', () => {
  const cut = respondWith({ flags: 0x8380 });

  async function byTcp(respond: (query: ReceivedQuery) => void, resolution_timeout_ms = 60_000) {
    const server = await serve((query) => (query.via === 'UDP' ? cut(query) : respond(query)));
    const finding = await checkDns({ server: at(server), resolution_timeout_ms });
    return { server, error: finding.error, message: finding.error?.message.replaceAll(`:${server.port}`, '') };
  }

  test('rejects a response that is truncated again', async () => {
    const { error, message } = await byTcp(cut);
    expect(error?.type).toBe('dns_error');
    expect(message).toContain('it is truncated even over TCP');
  });

  test('rejects a response to another question', async () => {
    const { message } = await byTcp(respondWith({ id: 1, records: [a(1)] }));
    expect(message).toContain('it answers a different question');
  });

  test('accepts a response in single bytes, and ignores data after it', async () => {
    const { error, server } = await byTcp(({ id, section, socket }) => {
      const message = wireMessage({ id, question: section, records: [a(1)] });
      for (const byte of [...u16(message.length), ...message]) socket?.write(Buffer.of(byte));
      const flood = () => socket?.writable && socket.write(Buffer.alloc(65_536), flood);
      flood();
    });
    expect(error).toBeNull();
    expect(server.queries).toHaveLength(2);
  });

  test.each<[string, (query: ReceivedQuery) => void]>([
    ['drips', ({ socket }) => void (socket && drip(socket, '\xff\xff', 5))],
    ['is silent', () => undefined],
    ['announces 64 kB and sends less', ({ socket }) => socket?.write(Buffer.alloc(1000, 0xff))],
  ])('times out if the server %s', async (_, respond) => {
    const { error, message } = await byTcp(respond, 500);
    expect(error).toMatchObject({ type: 'timeout', layer: 'dns' });
    expect(message).toContain('asking 127.0.0.1 by TCP for A');
  });

  test('reports a server that closes the connection', async () => {
    const { error, message } = await byTcp(({ socket }) => socket?.end(Buffer.of(0)));
    expect(error?.type).toBe('dns_error');
    expect(message).toBe('127.0.0.1 cannot be queried over TCP: Connection closed before a response arrived');
  });

  test('rejects an empty message', async () => {
    const { message } = await byTcp(({ socket }) => socket?.write(u16(0)));
    expect(message).toContain('it answers a different question');
  });
});

describe('DNS check sockets', () => {
  test('serve sixteen queries each, and close after the last', async () => {
    const server = await serve(respondWith({ records: [a(1)] }));
    const open = () => process.getActiveResourcesInfo().filter((name) => name === 'UDPWrap').length;
    const before = open();
    const udp = new UdpSockets(systemClock);
    const question = questionFor('www.example.com', 'A') as Question;
    const target = { address: '127.0.0.1', port: server.port };
    const responses = await Promise.all(Array.from({ length: 40 }, () =>
      udp.query(target, { question, withEdns: true, timeoutMs: 60_000 })));
    expect(new Set(responses.map(({ kind }) => kind))).toEqual(new Set(['records']));
    const ports = [...new Set(server.queries.map(({ port }) => port))];
    const idsByPort = ports.map((each) => new Set(server.queries.filter(({ port }) => port === each).map(({ id }) => id)));
    expect(idsByPort.map(({ size }) => size).sort((one, two) => two - one)).toEqual([16, 16, 8]);
    await until(() => open() === before);
  });

  test('time out each query separately', async () => {
    const clock = new SimulatedClock();
    const server = await serve(() => {});
    const udp = new UdpSockets(clock);
    const question = questionFor('www.example.com', 'A') as Question;
    const target = { address: '127.0.0.1', port: server.port };
    const ends: [number, number][] = [];
    for (const timeoutMs of [1000, 400, 700, 400]) {
      void udp.query(target, { question, withEdns: true, timeoutMs })
        .then(() => ends.push([timeoutMs, clock.monotonic()]));
    }
    await until(() => server.queries.length === 4);
    for (const stepMs of [400, 300, 300]) {
      await clock.advance(stepMs);
      await clock.advance(0);
    }
    expect(ends).toEqual([[400, 400], [400, 400], [700, 700], [1000, 1000]]);
    expect(clock.pending).toBe(0);
  });
});

describe('a lost query', () => {
  test('is repeated after two seconds with a different id and port', async () => {
    const clock = new SimulatedClock();
    const server = await serve((query) => {
      if (server.queries.length > 1) respondWith({ records: [a(1)] })(query);
    });
    const finding = checkDns({ server: at(server) }, { context: { clock } });
    await until(() => server.queries.length === 1);
    await clock.advance(2000);
    expect(await finding).toMatchObject({ outcome: 'success', response_time_ms: 2000 });
    const [first, second] = server.queries as [ReceivedQuery, ReceivedQuery];
    expect(second.port).not.toBe(first.port);
  });
});

describe("the system's name servers", () => {
  const failing = respondWith({ flags: 0x8182 });

  test('are queried in turn until one responds', async () => {
    const [refusing, broken, sound] = [
      await serve(respondWith({ flags: 0x8185 })), await serve(failing), await serve(respondWith({ records: [a(1)] })),
    ];
    const system = [refusing, broken, sound].map(({ port }) => `127.0.0.1:${port}`);
    expect(await checkDns({}, { system })).toMatchObject({ outcome: 'success' });
    expect([refusing, broken, sound].map(({ queries: query }) => query.length)).toEqual([1, 1, 1]);
  });

  test('are not queried further after a nonexistent name', async () => {
    const [knowing, other] = [await serve(respondWith({ flags: 0x8183 })), await serve(respondWith({ records: [a(1)] }))];
    const system = [knowing, other].map(({ port }) => `127.0.0.1:${port}`);
    const { error } = await checkDns({}, { system });
    expect(error?.message).toContain('does not exist');
    expect(other.queries).toEqual([]);
  });

  test('may have an IPv6 address, and are not subject to the address guard', async () => {
    const server = await serve(respondWith({ records: [a(1)] }), '::1');
    const context = { allowAddress: () => false };
    expect(await checkDns({}, { system: [`[::1]:${server.port}`], context })).toMatchObject({
      outcome: 'success', remote_address: '::1',
    });
  });

  test("that are all down or missing are the probe's fault", async () => {
    const server = await startNameServer(() => undefined);
    await server.close();
    const missed = { outcome: 'missed', missed: 'probe_unhealthy' };
    expect(await checkDns({}, { system: [`127.0.0.1:${server.port}`] })).toMatchObject(missed);
    expect(await checkDns({}, { system: [] })).toMatchObject(missed);
  });

  test("that are all silent don't count as a timeout of the target", async () => {
    const servers = [await serve(() => undefined), await serve(() => undefined)];
    const system = servers.map(({ port }) => `127.0.0.1:${port}`);
    expect(await checkDns({}, { system, timeoutMs: 30 })).toMatchObject({
      outcome: 'failure',
      error: { type: 'dns_error', layer: 'dns', message: 'No DNS server responded within 30 ms for A of www.example.com' },
    });
  });

  test('that fail are reported rather than one that is down', async () => {
    const [down, broken] = [await startNameServer(() => undefined), await serve(failing)];
    await down.close();
    const system = [`127.0.0.1:${down.port}`, `127.0.0.1:${broken.port}`];
    expect((await checkDns({}, { system })).error?.message).toContain('SERVFAIL');
  });
});

describe('a configured name server', () => {
  const resolver = {
    resolve: (host: string, family: 4 | 6) => Promise.resolve(host === 'ns.example' && family === 4
      ? { ok: true as const, addresses: ['127.0.0.2', '127.0.0.1'] }
      : { ok: false as const, code: 'ENOTFOUND' }),
  };

  test('is queried only if all its addresses are allowed', async () => {
    const server = await serve(respondWith({ records: [a(1)] }));
    for (const [host, allowed] of [['127.0.0.1', '192.0.2.1'], ['ns.example', '127.0.0.1']] as const) {
      const context = { resolver, allowAddress: (ip: string) => ip === allowed };
      expect(await checkDns({ server: at(server, host) }, { context })).toMatchObject({
        outcome: 'missed', missed: 'blocked_target',
      });
    }
    expect(server.queries).toEqual([]);
  });

  test('may be a host name, whose addresses are tried in turn', async () => {
    const server = await serve(respondWith({ records: [a(1)] }));
    const finding = await checkDns({ server: at(server, 'ns.example') }, { context: { resolver } });
    expect(finding).toMatchObject({ outcome: 'success', remote_address: '127.0.0.1' });
    expect(await checkDns({ server: at(server, 'gone.example') }, { context: { resolver } })).toMatchObject({
      error: { type: 'dns_error', message: 'The name gone.example does not exist' },
    });
  });

  test('fails as its first address does if no other responds', async () => {
    const down = await startNameServer(() => undefined);
    await down.close();
    const both = { resolve: (_: string, family: 4 | 6) =>
      Promise.resolve({ ok: true as const, addresses: [family === 4 ? '127.0.0.1' : '2001:db8::1'] }) };
    const { error } = await checkDns({ server: at(down, 'ns.example') }, { timeoutMs: 500, context: { resolver: both } });
    expect(error?.message).toBe(`127.0.0.1:${down.port} cannot be queried over UDP: Connection refused`);
  });
});

test.each([['EMFILE', 'overload'], ['ENOBUFS', 'overload'], ['NO_ROUTE', 'probe_unhealthy'], ['EPERM', 'probe_unhealthy']])(
  'a DNS check that ends with %s is missed', (code, reason) => {
    const entry = { type: 'A' as const, expected: [], match: 'any' as const };
    const outcome = { kind: 'down' as const, code, server: { address: '192.0.2.1', port: 53 }, via: 'UDP' as const };
    expect(faultOf('a.example', entry, outcome, false)).toMatchObject({ outcome: 'missed', missed: reason });
  },
);

test.each([
  ["a server of the monitor's own", false, { outcome: 'failure', error: { type: 'dns_error', layer: 'dns' } }],
  ["the probe's own server", true, { outcome: 'missed', missed: 'probe_unhealthy' }],
])('a route to %s that a router reports as lost', (_name, isSystem, expected) => {
  const entry = { type: 'A' as const, expected: [], match: 'any' as const };
  const server = { address: '192.0.2.1', port: 53 };
  const outcome = { kind: 'down' as const, code: 'ENETUNREACH', server, via: 'TCP' as const };
  expect(faultOf('a.example', entry, outcome, isSystem)).toMatchObject(expected);
});
