import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { HostsFile, parseHosts } from '../../../../probe/checks/network/hosts-file.ts';
import { SystemResolver } from '../../../../probe/checks/network/resolver.ts';
import { SystemServers } from '../../../../probe/checks/network/system-servers.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import type { HostAndPort } from '../../../../shared/setting.ts';
import { systemClock } from '../../../../shared/time.ts';

const TYPES = new Map([[1, 'A'], [2, 'NS'], [28, 'AAAA']]);
type DnsOutcome = string[] | 'NXDOMAIN' | 'SERVFAIL' | 'RUBBISH' | 'SILENCE';

/** A name server (RFC 1035) for queries of one name. */
class NameServer {
  readonly #socket: Socket = createSocket('udp4');
  readonly #outcomes: Record<string, DnsOutcome>;
  questions = 0;

  constructor(outcomes: Record<string, DnsOutcome>) {
    this.#outcomes = outcomes;
    this.#socket.on('message', (message, peer) => this.#take(message, peer));
  }

  async listen(): Promise<HostAndPort> {
    await new Promise<void>((resolve) => this.#socket.bind(0, '127.0.0.1', resolve));
    return { host: '127.0.0.1', port: this.#socket.address().port };
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(resolve));
  }

  #take(message: Buffer, peer: RemoteInfo): void {
    this.questions += 1;
    let at = 12;
    const labels: string[] = [];
    for (let size = message[at] as number; size > 0; size = message[at] as number) {
      labels.push(message.toString('latin1', at + 1, at + 1 + size));
      at += 1 + size;
    }
    const type = message.readUInt16BE(at + 1);
    const question = message.subarray(12, at + 5);
    const outcome = this.#outcomes[`${labels.join('.')} ${TYPES.get(type)}`] ?? [];
    if (outcome === 'SILENCE') return;
    if (outcome === 'RUBBISH') {
      return void this.#socket.send(
        Buffer.concat([message.subarray(0, 2), Buffer.alloc(40, 0xff)]), peer.port, peer.address,
      );
    }
    const records = typeof outcome === 'string' ? [] : outcome;
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (outcome === 'NXDOMAIN' ? 3 : outcome === 'SERVFAIL' ? 2 : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    const parts = records.map((value) => {
      const data = type === 2
        ? Buffer.from(`${value}.`.replace(/([^.]*)\./g, (_all, label: string) => String.fromCharCode(label.length) + label) + '\0')
        : type === 1 ? Buffer.from(value.split('.').map(Number)) : Buffer.from(value.replaceAll(':', ''), 'hex');
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
      return Buffer.concat([head, data]);
    });
    this.#socket.send(Buffer.concat([header, question, ...parts]), peer.port, peer.address);
  }
}

const serversAt = (configured: HostAndPort[]) => new SystemServers(systemClock, { configured });
const resolverOf = (servers: HostAndPort[]) => new SystemResolver(systemClock, { servers: serversAt(servers) });

describe('the resolver', () => {
  const server = new NameServer({
    'target.test A': ['192.0.2.7', '192.0.2.8'],
    'target.test AAAA': ['2001:0db8:0000:0000:0000:0000:0000:0007'],
    'gone.test A': 'NXDOMAIN', 'broken.test A': 'SERVFAIL', 'odd.test A': 'RUBBISH',
  });
  let directory = '';
  let resolver: SystemResolver;
  let address: HostAndPort;

  beforeAll(async () => {
    address = await server.listen();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'farwatch-hosts-'));
    writeFileSync(join(directory, 'hosts'), '10.1.2.3 pinned.test\n');
    resolver = new SystemResolver(
      systemClock, { hosts: new HostsFile(systemClock, join(directory, 'hosts')), servers: serversAt([address]) },
    );
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('returns the addresses of the requested family, without caching', async () => {
    const before = server.questions;
    expect(await resolver.resolve('target.test', 4)).toEqual({
      ok: true, addresses: ['192.0.2.7', '192.0.2.8'],
    });
    expect(await resolver.resolve('target.test', 6)).toEqual({ ok: true, addresses: ['2001:db8::7'] });
    expect(await resolver.resolve('target.test.', 4)).toEqual({
      ok: true, addresses: ['192.0.2.7', '192.0.2.8'],
    });
    expect(server.questions - before).toBe(3);
  });

  test.each([
    ['gone.test', 'ENOTFOUND'], ['broken.test', 'ESERVFAIL'], ['nothing.test', 'ENODATA'],
  ])('reports why there is no address for %s', async (name, code) => {
    expect(await resolver.resolve(name, 4)).toEqual({ ok: false, code });
  });

  test('treats an invalid response as no response', async () => {
    const resolution = await resolver.resolve('odd.test', 4);
    expect(resolution.ok).toBe(false);
  });

  test('reads the hosts file first, and queries nobody for localhost', async () => {
    const before = server.questions;
    expect(await resolver.resolve('pinned.test', 4)).toEqual({ ok: true, addresses: ['10.1.2.3'] });
    expect(await resolver.resolve('localhost', 6)).toEqual({ ok: true, addresses: ['::1'] });
    expect(await resolver.resolve('a.localhost', 4)).toEqual({ ok: true, addresses: ['127.0.0.1'] });
    expect(server.questions).toBe(before);
  });
});

describe('with several name servers', () => {
  const first = new NameServer({
    'web.test A': 'SERVFAIL', 'odd.test A': 'RUBBISH', 'late.test A': 'SILENCE', 'gone.test A': 'NXDOMAIN',
    'broken.test A': 'SERVFAIL', 'web.test NS': 'SERVFAIL', 'gone.test NS': 'NXDOMAIN',
  });
  const second = new NameServer({
    'web.test A': ['192.0.2.7'], 'odd.test A': ['192.0.2.8'], 'late.test A': ['192.0.2.9'],
    'gone.test A': ['192.0.2.10'], 'broken.test A': 'SILENCE', 'web.test NS': ['ns1.web.test', 'ns2.web.test'],
  });
  let servers: HostAndPort[] = [];

  beforeAll(async () => {
    servers = [await first.listen(), await second.listen()];
  });
  afterAll(() => Promise.all([first.close(), second.close()]));

  const resolve = (host: string) => resolverOf(servers).resolve(host, 4);

  test.each([
    ['fails', 'web.test', '192.0.2.7'], ['responds with garbage', 'odd.test', '192.0.2.8'],
    ['is silent', 'late.test', '192.0.2.9'],
  ])('the next one is queried if one %s', async (_what, host, address) => {
    expect(await resolve(host)).toEqual({ ok: true, addresses: [address] });
  });

  test('the next one is queried if one refuses', async () => {
    const gone = new NameServer({});
    const nowhere = await gone.listen();
    await gone.close();
    const resolver = resolverOf([nowhere, ...servers]);
    expect(await resolver.resolve('late.test', 4)).toEqual({ ok: true, addresses: ['192.0.2.9'] });
  });

  test('a response that the name does not exist is final', async () => {
    expect(await resolve('gone.test')).toEqual({ ok: false, code: 'ENOTFOUND' });
  });

  test('the name servers of a domain are looked up the same way', async () => {
    expect((await resolverOf(servers).nameServersOf('web.test')).sort()).toEqual(['ns1.web.test', 'ns2.web.test']);
    expect(await resolverOf(servers).nameServersOf('gone.test')).toEqual([]);
  });

  test('the failure of one counts if the others are silent', async () => {
    expect(await resolve('broken.test')).toEqual({ ok: false, code: 'ESERVFAIL' });
  });

  test('a silent one is queried last from then on', async () => {
    const resolver = resolverOf(servers);
    await resolver.resolve('late.test', 4);
    const before = first.questions;
    expect(await resolver.resolve('late.test', 4)).toEqual({ ok: true, addresses: ['192.0.2.9'] });
    expect(first.questions).toBe(before);
  });
});

describe('the hosts file', () => {
  test('is read as hosts(5) specifies', () => {
    const text = '# comment\n127.0.0.1\tlocalhost\n::1 localhost ip6-localhost # more\n10.0.0.1 Web web.test\n10.0.0.2 web\nnonsense web\n\n10.0.0.3\n';
    expect(Object.fromEntries(parseHosts(text))).toEqual({
      'localhost': ['127.0.0.1', '::1'], 'ip6-localhost': ['::1'], 'web': ['10.0.0.1', '10.0.0.2'],
      'web.test': ['10.0.0.1'],
    });
  });

  test('is reloaded when it changes, and may be missing', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'farwatch-hosts-'));
    const path = join(directory, 'hosts');
    const clock = new SimulatedClock();
    const hosts = new HostsFile(clock, path);
    expect(hosts.find('web', 4)).toEqual([]);
    writeFileSync(path, '10.0.0.1 web\n');
    await clock.advance(2001);
    expect(hosts.find('WEB', 4)).toEqual(['10.0.0.1']);
    expect(hosts.find('web', 6)).toEqual([]);
    writeFileSync(path, '10.0.0.9 web\n');
    utimesSync(path, 1, 1);
    expect(hosts.find('web', 4)).toEqual(['10.0.0.1']);
    await clock.advance(2001);
    expect(hosts.find('web', 4)).toEqual(['10.0.0.9']);
    rmSync(directory, { recursive: true, force: true });
    await clock.advance(2001);
    expect(hosts.find('web', 4)).toEqual([]);
  });
});
