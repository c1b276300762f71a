import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { choosePinger } from '../../../../probe/checks/icmp/choose-pinger.ts';
import { findSystemPinger } from '../../../../probe/checks/icmp/system-pinger.ts';
import { addressGuard } from '../../../../probe/checks/network/address-guard.ts';
import { HostsFile } from '../../../../probe/checks/network/hosts-file.ts';
import { SystemResolver } from '../../../../probe/checks/network/resolver.ts';
import { SystemServers } from '../../../../probe/checks/network/system-servers.ts';
import { CheckRegistry } from '../../../../probe/checks/registry.ts';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { Examiner } from '../../../../probe/examining/examiner.ts';
import type { TraceTools } from '../../../../probe/examining/path.ts';
import type { Assignment } from '../../../../shared/contracts/assignment.ts';
import { examination, type Examination } from '../../../../shared/contracts/examination.ts';
import { systemClock, type Clock } from '../../../../shared/time.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { until } from '../../../helpers/until.ts';
import { buildAssignment, buildHttpSpec, buildTcpSpec } from '../build.ts';
import { issue } from '../checks/certificates.ts';
import { respondWith, serve as serveNames } from '../checks/dns/name-server.ts';
import { wireRecord } from '../checks/dns/wire.ts';
import { closeServers, serve } from '../checks/http-fixture.ts';

const authority = issue({ name: 'Test authority', isAuthority: true });
const certificate = issue({ name: 'shop.example', hosts: ['shop.example'], by: authority });
const wrongName = issue({ name: 'other.example', hosts: ['other.example'], by: authority });
const NO_TOOLS: TraceTools = { raw: null, pinger: null, rawUnavailableReason: 'raw-socket is not installed' };
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

afterEach(closeServers);

interface Options {
  clock?: Clock;
  /** Lines of the hosts file. */
  hosts?: string;
  nameServers?: { host: string; port: number }[];
  denied?: string[];
  trace?: TraceTools;
  isCutOff?: boolean;
}

function openExaminer(
  { clock = systemClock, hosts = '', nameServers = [], denied = [], trace = NO_TOOLS, isCutOff = false }: Options = {},
): Examiner {
  const folder = mkdtempSync(join(tmpdir(), 'farwatch-examiner-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'hosts'), hosts);
  const systemServers = new SystemServers(clock, { configured: nameServers, read: () => [] });
  const context = {
    clock, systemServers, version: '9.9.9', trust: new Trust([authority.cert]), pinger: trace.pinger ?? undefined,
    resolver: new SystemResolver(clock, {
      servers: systemServers, hosts: new HostsFile(clock, join(folder, 'hosts')),
    }),
    allowAddress: addressGuard({ allowPrivate: null, allowedRanges: [], deniedRanges: denied }, clock),
  };
  const registry = new CheckRegistry(context);
  return new Examiner({
    context, trace, isCutOff: () => Promise.resolve(isCutOff),
    check: (spec, timeoutMs, allowPrivate) => registry.run(spec, timeoutMs, allowPrivate),
  });
}

async function examined(examiner: Examiner, assignment: Assignment): Promise<Examination> {
  return examination.parse(await examiner.examine(assignment));
}

/** Accepts connections and never sends anything. */
async function silentServer(): Promise<{ port: number; count: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return { port: (server.address() as AddressInfo).port, count: () => count };
}

describe('an examination of an HTTPS target', () => {
  const hosts = '127.0.0.1 shop.example\n127.0.0.2 shop.example\n';
  const secure = (shown: typeof certificate) =>
    serve((socket) => socket.end(ok), { host: '0.0.0.0', tls: { cert: shown.cert, key: shown.key } });
  const assignmentTo = (port: number, spec = {}) =>
    buildAssignment({ spec: buildHttpSpec({ url: `https://shop.example:${port}/health`, ...spec }) });

  test('reports what every address shows', async () => {
    const { port } = await secure(certificate);
    const found = await examined(openExaminer({ hosts }), assignmentTo(port));
    const tls = {
      protocol: 'TLSv1.3', issuer: 'CN=Test authority', problem: null,
      valid_to: expect.any(Number) as number, fingerprint256: expect.stringMatching(/^[0-9A-F:]{95}$/) as string,
    };
    expect(found).toMatchObject({
      sees: 'up', error: null, has_network: true, addresses: ['127.0.0.1', '127.0.0.2'], resolvers: [],
      connections: [
        { address: '127.0.0.1', state: 'open', tls }, { address: '127.0.0.2', state: 'open', tls },
      ],
      path: { method: 'none', target: '127.0.0.1', hops: [], note: 'No ping program found, and raw-socket is not installed' },
    });
  });

  test('judges the certificate as the check does', async () => {
    const { port } = await secure(wrongName);
    const examiner = openExaminer({ hosts });
    const strict = await examined(examiner, assignmentTo(port));
    expect(strict).toMatchObject({ sees: 'down', error: { type: 'ssl_error', layer: 'tls' } });
    expect(strict.connections.map(({ tls }) => tls?.problem)).toEqual([strict.error?.message, strict.error?.message]);
    const lenient = await examined(examiner, assignmentTo(port, { verify_ssl: false }));
    expect(lenient).toMatchObject({ sees: 'up', connections: [{ tls: { problem: null } }, { tls: { problem: null } }] });
  });

  test('contacts no address that this probe denies', async () => {
    const { port } = await secure(certificate);
    const other = await serve((socket) => socket.end(ok), { host: '::1' });
    const denied = { hosts: `127.0.0.1 shop.example\n::1 shop.example\n`, denied: ['::1/128'] };
    const found = await examined(openExaminer(denied), assignmentTo(port));
    expect(found.addresses).toEqual(['127.0.0.1']);
    expect(found.connections.map(({ address }) => address)).toEqual(['127.0.0.1']);
    expect(other.connections).toBe(0);
  });

  test('is refused, without contact, if the assignment may not reach private addresses', async () => {
    const { port, count } = await silentServer();
    const spec = buildHttpSpec({ url: `http://127.0.0.1:${port}/` });
    expect(await openExaminer().examine(buildAssignment({ allow_private: false, spec }))).toBeNull();
    expect(await openExaminer({ hosts }).examine({ ...assignmentTo(port), allow_private: false })).toBeNull();
    expect(count()).toBe(0);
  });

  test('is refused for a type of check that this probe does not know', async () => {
    expect(await openExaminer().examine(buildAssignment({ spec: { type: 'GOPHER' } }))).toBeNull();
  });
});

describe('an examination', () => {
  const assignmentTo = (port: number) => buildAssignment({ spec: buildTcpSpec({ port, protocol: 'smtp' }) });

  test('runs at most four at once, ends after 3 s, and is refused after a second in the queue', async () => {
    const clock = new SimulatedClock();
    const examiner = openExaminer({ clock });
    const { port, count } = await silentServer();
    const all = Array.from({ length: 5 }, () => examiner.examine(assignmentTo(port)));
    // Each connects for its check and for itself.
    await until(() => count() === 8, { what: 'four run' });
    let fifth: Examination | null | undefined;
    void all[4]?.then((found) => (fifth = found));
    await clock.advance(999);
    expect(fifth).toBeUndefined();
    await clock.advance(1);
    expect(fifth).toBeNull();
    expect(count()).toBe(8);
    await clock.advance(2000);
    for (const found of await Promise.all(all.slice(0, 4))) {
      expect(examination.parse(found)).toMatchObject({
        sees: 'down', error: { type: 'timeout' }, connections: [{ address: '127.0.0.1', state: 'stalled', tls: null }],
      });
    }
    expect(clock.pending).toBe(0);
  });

  test('tells a refused connection from one that opens', async () => {
    const closed = await serve(() => undefined);
    await closed.close();
    expect(await examined(openExaminer(), assignmentTo(closed.port))).toMatchObject({
      sees: 'down', error: { type: 'connection_error' }, connections: [{ state: 'refused' }],
    });
  });

  test('judges inverted monitors', async () => {
    const { port } = await serve((socket) => socket.end(ok));
    const spec = buildHttpSpec({ url: `http://127.0.0.1:${port}/`, is_inverted: true });
    expect(await examined(openExaminer(), buildAssignment({ spec }))).toMatchObject({
      sees: 'down', error: { message: 'Expected the target to be down, but it responded' }, connections: [{ state: 'open' }],
    });
  });

  test('says that the probe has lost the network, whatever else it saw', async () => {
    const closed = await serve(() => undefined);
    await closed.close();
    expect(await examined(openExaminer({ isCutOff: true }), assignmentTo(closed.port)))
      .toMatchObject({ has_network: false, error: null });
  });

  test('asks every name server on its own', async () => {
    const record = wireRecord({ type: 1, data: Buffer.from([127, 0, 0, 1]) });
    const good = await serveNames((query) => respondWith(query.type === 'A' ? { records: [record] } : {})(query));
    const broken = await serveNames(respondWith({ flags: 0x8182 }));
    const { port } = await serve((socket) => socket.end(ok));
    const spec = buildHttpSpec({ url: `http://shop.example:${port}/` });
    const nameServers = [{ host: '127.0.0.1', port: broken.port }, { host: '127.0.0.1', port: good.port }];
    const found = await examined(openExaminer({ nameServers }), buildAssignment({ spec }));
    expect(found).toMatchObject({ sees: 'up', addresses: ['127.0.0.1'], connections: [{ state: 'open' }] });
    expect(found.resolvers).toEqual([
      { server: '127.0.0.1', answer: [], error: expect.stringContaining('SERVFAIL') as string },
      { server: '127.0.0.1', answer: ['127.0.0.1'], error: null },
    ]);
  });

  test('contains no value of a secret variable', async () => {
    const { port } = await serve((socket) => socket.end('HTTP/1.1 500 for hush-hush\r\n\r\n'));
    const spec = buildHttpSpec({
      url: `http://127.0.0.1:${port}/?key=hush-hush`, secrets: ['hush-hush', '127.0.0.1'],
    });
    const found = await examined(openExaminer(), buildAssignment({ spec }));
    expect(found).toMatchObject({ sees: 'down', addresses: [], connections: [], path: { target: null } });
    expect(JSON.stringify(found)).not.toMatch(/hush|127\.0\.0\.1/);
  });
});

const { raw, pinger } = await choosePinger(systemClock);
const systemPinger = await findSystemPinger(systemClock);
const byRaw: TraceTools = { raw, pinger, rawUnavailableReason: null };
const byPing: TraceTools = { raw: null, pinger: systemPinger, rawUnavailableReason: 'raw-socket is not built' };

describe('the path to a target on this machine', () => {
  const hop = { ttl: 1, address: '127.0.0.1', rtt_ms: expect.any(Number) as number };

  test.skipIf(!raw)('is traced by TCP to its port', async () => {
    const { port } = await serve((socket) => socket.end(ok));
    const spec = buildHttpSpec({ url: `http://127.0.0.1:${port}/` });
    const { path } = await examined(openExaminer({ trace: byRaw }), buildAssignment({ spec }));
    expect(path).toEqual({
      method: 'tcp', note: null, target: '127.0.0.1', hops: [hop], is_complete: true, large_packets: 'arrive',
    });
  });

  test.skipIf(!raw)('is traced by ICMP without a port', async () => {
    const spec = {
      type: 'ICMP' as const, host: '127.0.0.1', packet_count: 1, packet_size: 56, packet_timeout_ms: 1000, ttl: 64,
    };
    const found = await examined(openExaminer({ trace: byRaw }), buildAssignment({ spec }));
    expect(found.path).toMatchObject({ method: 'icmp', hops: [hop], is_complete: true, large_packets: 'arrive' });
    expect(found.connections).toEqual([{ address: '127.0.0.1', state: 'open', tls: null }]);
  });

  test.skipIf(!systemPinger)('is traced by ping without raw sockets', async () => {
    const { port } = await serve((socket) => socket.end(ok));
    const spec = buildHttpSpec({ url: `http://127.0.0.1:${port}/` });
    const { path } = await examined(openExaminer({ trace: byPing }), buildAssignment({ spec }));
    expect(path).toMatchObject({
      method: 'icmp', hops: [hop], is_complete: true,
      note: 'Traced with ping, without round-trip times of routers: raw-socket is not built',
    });
  });
});
