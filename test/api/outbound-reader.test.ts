import { afterEach, describe, expect, test } from 'vitest';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import { GuardedReader } from '../../controller/platform/outbound/reader.ts';
import type { Resolve } from '../../controller/platform/outbound/resolver.ts';
import { systemClock } from '../../shared/time.ts';
import { drip } from '../helpers/drip.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startRegistry, type Registry } from '../helpers/registry.ts';
import { until } from '../helpers/until.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const toLoopback: Resolve = async () => ['127.0.0.1'];

function reader({ allowPrivate = true, resolve = toLoopback } = {}): GuardedReader {
  const made = new GuardedReader({
    clock: systemClock, vetting: createAddressVetting({ resolve, allowPrivate, clock: systemClock }),
  });
  closing.push(() => made.close());
  return made;
}

async function receiver(): Promise<Receiver> {
  const started = await startReceiver();
  closing.push(() => started.close());
  return started;
}

async function registry(): Promise<Registry> {
  const started = await startRegistry();
  closing.push(() => started.close());
  return started;
}

const get = (url: string, timeoutMs = 10_000) =>
  ({ url, accept: 'application/rdap+json', limitBytes: 256 * 1024, timeoutMs });

describe('a GET', () => {
  test('returns the status and the exact body, and sends an Accept header', async () => {
    const to = await receiver();
    to.behave((response) => response.writeHead(404).end('ü'));
    const outcome = await reader().get(get(`${to.url}/a?b=c`));
    expect(outcome).toEqual({ kind: 'responded', status: 404, location: null, body: Buffer.from('ü') });
    expect(to.requests[0]).toMatchObject({ method: 'GET', path: '/a?b=c' });
    expect(to.requests[0]?.headers).toMatchObject({ accept: 'application/rdap+json', 'user-agent': 'Farwatch' });
  });

  test('does not follow redirects', async () => {
    const [to, elsewhere] = [await receiver(), await receiver()];
    to.behave((response) => response.writeHead(302, { location: elsewhere.url }).end());
    expect(await reader().get(get(to.url))).toMatchObject({ status: 302, location: elsewhere.url });
    expect(elsewhere.connections).toBe(0);
  });

  test('ends when the body is too long, whatever its declared length', async () => {
    const to = await receiver();
    let written = 0;
    to.behave((response) => {
      response.on('error', () => undefined);
      const more = () => {
        while (written < 10 * 1024 * 1024 && !response.destroyed) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    expect(await reader().get(get(to.url))).toEqual({ kind: 'failed', reason: 'the response is larger than 256 kB' });
  });

  test('ends when the response takes too long: silent, or one character at a time', async () => {
    const to = await receiver();
    const reason = 'no complete response within 0.3 seconds';
    to.behave('hang');
    expect(await reader().get(get(to.url, 300))).toEqual({ kind: 'failed', reason });
    const drips: { isOpen: boolean }[] = [];
    to.behave((response) => void drips.push(drip(response.writeHead(200), '{}', 20)));
    expect(await reader().get(get(to.url, 300))).toEqual({ kind: 'failed', reason });
    await until(() => drips[0]?.isOpen === false, { what: 'the connection is closed' });
  });

  test.each([
    ['http://10.0.0.1/', '10.0.0.1'], ['http://registry.example/', '127.0.0.1'], ['http://[::1]/', '::1'],
  ])('of %s makes no connection', async (url, address) => {
    const outcome = await reader({ allowPrivate: false }).get(get(url));
    expect(outcome).toEqual({ kind: 'refused', reason: expect.stringContaining(address) });
  });

  test('never reaches cloud metadata', async () => {
    const url = 'http://169.254.169.254/latest/meta-data/';
    expect(await reader().get(get(url))).toMatchObject({ kind: 'refused' });
  });

  test('ends when the reader stops', async () => {
    const to = await receiver();
    to.behave('hang');
    const made = reader();
    const outcome = made.get(get(to.url));
    await until(() => to.requests.length === 1, { what: 'the request' });
    await made.close();
    expect(await outcome).toEqual({ kind: 'failed', reason: 'canceled because Farwatch is stopping' });
    expect(await made.get(get(to.url))).toEqual({ kind: 'failed', reason: 'canceled because Farwatch is stopping' });
  });
});

describe('a query over TCP', () => {
  const query = ({ roots }: Registry, line: string, timeoutMs = 10_000) =>
    ({ host: 'whois.example', port: roots.whoisPort, line, limitBytes: 64 * 1024, timeoutMs });

  test('sends one line and reads until the server closes', async () => {
    const to = await registry();
    to.whois.set('example.net', 'domain: example.net');
    const outcome = await reader().query(query(to, 'example.net'));
    expect(outcome).toEqual({ kind: 'responded', body: Buffer.from('domain: example.net') });
    expect(to.queries).toEqual(['example.net']);
  });

  test('ends when the response is too long, too slow or missing', async () => {
    const to = await registry();
    to.whois.set('long', 'x'.repeat(10 * 1024 * 1024));
    to.whois.set('slow', (socket) => void drip(socket, 'expires', 20));
    to.whois.set('silent', () => undefined);
    to.whois.set('reset', (socket) => void socket.resetAndDestroy());
    const slowReader = reader();
    expect(await slowReader.query(query(to, 'long'))).toMatchObject({ reason: 'the response is larger than 64 kB' });
    for (const name of ['slow', 'silent']) {
      expect(await slowReader.query(query(to, name, 300))).toMatchObject({
        kind: 'failed', reason: 'no complete response within 0.3 seconds',
      });
    }
    expect(await slowReader.query(query(to, 'reset'))).toMatchObject({ kind: 'failed' });
  });

  test('never reaches private addresses, and ends when the reader stops', async () => {
    const to = await registry();
    const guarded = reader({ allowPrivate: false });
    expect(await guarded.query(query(to, 'x'))).toMatchObject({ kind: 'refused' });
    expect(await guarded.query({ ...query(to, 'x'), host: '127.0.0.1' })).toMatchObject({ kind: 'refused' });
    expect(to.queries).toEqual([]);
    to.whois.set('silent', () => undefined);
    const made = reader();
    const outcome = made.query(query(to, 'silent'));
    await until(() => to.queries.length === 1, { what: 'the query' });
    await made.close();
    for (const cutOff of [await outcome, await made.query(query(to, 'silent'))]) {
      expect(cutOff).toEqual({ kind: 'failed', reason: 'canceled because Farwatch is stopping' });
    }
    expect(to.queries).toEqual(['silent']);
  });
});
