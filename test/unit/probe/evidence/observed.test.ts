import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../../../probe/checks/check.ts';
import { choosePinger } from '../../../../probe/checks/icmp/choose-pinger.ts';
import { EvidenceSender } from '../../../../probe/evidence/evidence-sender.ts';
import { resultOf } from '../../../../probe/runner/result.ts';
import type { CheckSpec } from '../../../../shared/contracts/check-spec.ts';
import { MAX_EVIDENCE_BYTES, type EvidenceMessage } from '../../../../shared/contracts/evidence.ts';
import { createLog } from '../../../../shared/log.ts';
import { systemClock } from '../../../../shared/time.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { buildAssignment, buildHttpSpec, buildTcpSpec } from '../build.ts';
import { closeServers, keywordSpec, registryWith, resolverOf, serve } from '../checks/http-fixture.ts';
import { respondWith, serve as serveNames } from '../checks/dns/name-server.ts';
import { wireRecord, wireString } from '../checks/dns/wire.ts';
import { startTcpService } from '../checks/tcp-service.ts';
import { RecordingBus } from './recording-bus.ts';

const { pinger } = await choosePinger(systemClock);

afterEach(closeServers);

const LOCAL = [1, 2, 3, 4, 5].map((last) => `127.0.0.${last}`);
/** After the addresses that are tried, one that must not be checked. */
const resolver = resolverOf({ 'a.test': { 4: [...LOCAL.slice(0, 4), '10.0.0.1', ...LOCAL.slice(4)] } });
const registry = registryWith({
  resolver, pinger: pinger ?? undefined, allowAddress: (ip) => ip !== '10.0.0.1',
});

/** Runs a check of this type on real sockets. */
const check = (spec: CheckSpec): Promise<Finding> => registry.run(spec, 60_000);

/** The message that a probe sends for the second check if the first one was of the same monitor. */
async function messageOf(spec: CheckSpec, bad: Finding, before?: Finding): Promise<EvidenceMessage> {
  const [clock, bus] = [new SimulatedClock(), new RecordingBus()];
  const sender = new EvidenceSender({
    bus, clock, log: createLog('test', 'silent'), region: 'eu', probeId: 'p', monitors: () => 1,
  });
  const assignment = buildAssignment({ spec });
  const made = { scheduledAtMs: 1, startedAtMs: 1, attempt: 1, reason: 'schedule' as const };
  for (const finding of before ? [before, bad] : [bad]) sender.checked(assignment, resultOf(assignment, made, finding), finding);
  await clock.advance(1000);
  for (const { bytes } of bus.sent) expect(bytes.length).toBeLessThanOrEqual(MAX_EVIDENCE_BYTES);
  return bus.messages[0] as EvidenceMessage;
}

describe('evidence', () => {
  test('of a TCP service is the data it sent', async () => {
    const service = await startTcpService({
      greeting: '+HI\r\n', responses: [{ to: /^AUTH/, send: '-ERR zebra is not the password\r\n\0\u00ff' }],
    });
    onTestFinished(() => service.close());
    const { port } = service;
    const spec = buildTcpSpec({ host: '127.0.0.1', port, send: 'AUTH zebra\r\n', expect: '+OK' });
    expect(await messageOf(spec, await registry.run(spec, 1000))).toMatchObject({
      addresses: ['127.0.0.1'], remote_address: '127.0.0.1', status_line: null, headers: [],
      body_excerpt: expect.stringMatching(/^\+HI\r\n-ERR \*\*\* is not the password\r\n\ufffd/) as string,
      error: { type: 'keyword_missing', message: expect.not.stringContaining('zebra') as string },
    });
  });

  test('of a verbose service is its first 4 kB', async () => {
    const service = await startTcpService({ greeting: 'x'.repeat(70_000) });
    onTestFinished(() => service.close());
    const finding = await check(buildTcpSpec({ port: service.port, send: 'a', expect: 'yyyy' }));
    expect(finding.observed?.body === 'x'.repeat(4096)).toBe(true);
  });

  test('of a host that refuses is all addresses that may be checked', async () => {
    const { port, close } = await serve(() => undefined);
    await close();
    const spec = buildHttpSpec({ url: `http://a.test:${port}/` });
    expect(await messageOf(spec, await check(spec))).toMatchObject({
      addresses: LOCAL, error: { type: 'connection_error' }, status_line: null, body_excerpt: null,
    });
  });

  test('of a name is its records, or the RCODE if there are none', async () => {
    const records = [
      wireRecord({ type: 16, data: wireString('zebra="1"') }), wireRecord({ type: 16, data: wireString('größe') }),
    ];
    const good = await serveNames(respondWith({ records }));
    const gone = await serveNames(respondWith({ flags: 0x8183 }));
    const spec = (port: number) => ({
      type: 'DNS', name: 'www.example.com', server: { host: '127.0.0.1', port }, resolution_timeout_ms: 60_000,
      record_entries: [{ type: 'TXT', expected_values: [], match: 'any' }],
    });
    const message = await messageOf(spec(gone.port), await check(spec(gone.port)), await check(spec(good.port)));
    expect(message).toMatchObject({
      addresses: ['127.0.0.1'], remote_address: '127.0.0.1', error: { type: 'dns_error' },
      body_excerpt: `; TXT from 127.0.0.1:${gone.port} by UDP: NXDOMAIN`,
    });
    expect(message.last_good?.body_excerpt?.split('\n')).toEqual([
      `; TXT from 127.0.0.1:${good.port} by UDP: NOERROR`, 'www.example.com TXT "zebra=\\"1\\""',
      'www.example.com TXT "größe"',
    ]);
  });

  test.runIf(pinger)('of a pinged host is its addresses and times', async () => {
    const spec = {
      type: 'ICMP', host: '127.0.0.1', packet_count: 1, packet_size: 56, packet_timeout_ms: 10_000, ttl: 64,
    };
    expect((await check(spec)).observed).toMatchObject({ addresses: ['127.0.0.1'], head: null, body: null });
  });

  test('of a page that lacks a keyword is the page as text', async () => {
    const { port } = await serve((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\nGr\u00f6\u00dfe', 'latin1'));
    const spec = keywordSpec(['Preis'], { url: `http://127.0.0.1:${port}/` });
    expect(await messageOf(spec, await check(spec), await check({ ...spec, keywords: [{ text: 'Größe', should_contain: true }] })))
      .toMatchObject({ body_excerpt: 'Größe', error: { type: 'keyword_missing' }, last_good: { body_excerpt: 'Größe' } });
  });
});

describe('a hostile target', () => {
  const url = (port: number) => buildHttpSpec({ url: `http://127.0.0.1:${port}/` });

  test('with a megabyte of headers shows none of them', async () => {
    const { port } = await serve((socket) => {
      socket.on('error', () => undefined);
      socket.write(`HTTP/1.1 500 Oops\r\n${'X-Big: y\r\n'.repeat(100_000)}`);
    });
    expect(await messageOf(url(port), await check(url(port)))).toMatchObject({
      status_line: null, headers: [], error: { message: expect.stringContaining('32 kB') as string },
    });
  });

  test('with many headers shows some of them', async () => {
    const { port } = await serve((socket) =>
      socket.end(`HTTP/1.1 500 Oops\r\n${Array.from({ length: 3000 }, (_, at) => `X: ${at}\r\n`).join('')}\r\n`));
    const message = await messageOf(url(port), await check(url(port)));
    expect(message.headers).toHaveLength(50);
    expect(message.headers[49]).toEqual({ name: 'X', value: '49' });
  });

  test('with any bytes becomes text', async () => {
    const bytes = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256));
    const { port } = await serve((socket) => {
      socket.write('HTTP/1.1 500 \0\u001b[31m\u00ff\r\n: empty\r\nno colon\r\nX-\u0007: \u0080\r\n\r\n', 'latin1');
      socket.end(bytes);
    });
    const message = await messageOf(url(port), await check(url(port)));
    const text = JSON.stringify(message);
    expect(text).not.toMatch(/\\u00[01]|\\ud[89a-f]/i);
    expect(message.status_line).toBe('HTTP/1.1 500 \ufffd\ufffd[31m\u00ff');
    expect(message.headers).toEqual([
      { name: '', value: 'empty' }, { name: 'no colon', value: '' }, { name: 'X-\ufffd', value: '\ufffd' },
    ]);
    expect(message.body_excerpt?.length).toBeGreaterThan(2000);
  });
});
