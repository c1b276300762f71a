import { afterEach, describe, expect, test } from 'vitest';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import type { PostRequest } from '../../controller/platform/outbound/poster-port.ts';
import { HttpPoster } from '../../controller/platform/outbound/poster.ts';
import { createResolver, type Resolve } from '../../controller/platform/outbound/resolver.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { drip, type Drip } from '../helpers/drip.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function receiver(host?: string): Promise<Receiver> {
  const started = await startReceiver(host === undefined ? {} : { host });
  closing.push(() => started.close());
  return started;
}

function poster(
  options: { allowPrivate?: boolean; names?: Record<string, string[][]>; clock?: Clock } = {},
): HttpPoster {
  const { allowPrivate = true, names = {}, clock = systemClock } = options;
  const made = new HttpPoster({
    clock, vetting: createAddressVetting({ resolve: scripted(names), allowPrivate, clock }),
  });
  closing.push(() => made.close());
  return made;
}

/** Resolves each name to its next list of addresses, and repeats the last one. */
function scripted(names: Record<string, string[][]>): Resolve {
  return async (host) => {
    const addressLists = names[host];
    if (!addressLists) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    return (addressLists.length > 1 ? addressLists.shift() : addressLists[0]) as string[];
  };
}

function request(url: string, more: Partial<PostRequest> = {}): PostRequest {
  return {
    caller: 'org-1', url, method: 'POST', headers: { 'content-type': 'application/json' }, body: Buffer.from('{"a":"ü"}'),
    timeoutMs: 10_000, ...more,
  };
}

describe('a post with a response', () => {
  test('carries method, path, headers and the exact bytes', async () => {
    const to = await receiver();
    const outcome =
      await poster().post(request(`${to.url}/a/b?c=d`, { method: 'PUT', headers: { 'X-Thing': '1' } }));
    expect(outcome).toMatchObject({ kind: 'responded', status: 200 });
    expect(to.requests[0]).toMatchObject({ method: 'PUT', path: '/a/b?c=d' });
    expect(to.requests[0]?.headers['x-thing']).toBe('1');
    expect(to.requests[0]?.body.toString()).toBe('{"a":"ü"}');
  });

  test.each([
    204, 301, 302, 303, 307, 308, 400, 410, 500, 503,
  ])('with %i returns that status and follows no redirect', async (status) => {
    const elsewhere = await receiver();
    const to = await receiver();
    to.behave((response) => {
      response.writeHead(status, {
        location: `${elsewhere.url}/x`, 'alt-svc': `http/1.1="127.0.0.1:${elsewhere.port}"`,
        refresh: `0; url=${elsewhere.url}`,
      })
        .end();
    });
    expect(await poster().post(request(to.url))).toMatchObject({ kind: 'responded', status });
    expect(elsewhere.connections).toBe(0);
  });

  test('sends the name in the Host header and connects to the vetted address', async () => {
    const to = await receiver();
    const names = { 'hooks.example': [['127.0.0.1']] };
    expect(await poster({ names }).post(request(`http://hooks.example:${to.port}/`))).toMatchObject({
      kind: 'responded',
    });
    expect(to.requests[0]?.headers.host).toBe(`hooks.example:${to.port}`);
  });

  test('reaches IPv6 literals', async () => {
    const to = await receiver('::1');
    expect(await poster().post(request(to.url))).toMatchObject({ kind: 'responded', status: 200 });
  });

  test('does not read an endless body', async () => {
    const to = await receiver();
    let isOpen = true;
    to.behave((response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const write = () => {
        while (isOpen && response.write(chunk));
      };
      response.on('drain', write).on('close', () => (isOpen = false));
      write();
    });
    expect(await poster().post(request(to.url))).toMatchObject({ kind: 'responded', status: 200 });
    await until(() => !isOpen);
  });

  test('does not wait for a slow body', async () => {
    const to = await receiver();
    let body: Drip | null = null;
    to.behave((response) => void (body = drip(response, '.', 50)));
    expect(await poster().post(request(to.url))).toMatchObject({ kind: 'responded', status: 200 });
    await until(() => body?.isOpen === false);
  });
});

test('a slow body after the status is cut off at the deadline of the whole post', async () => {
  const to = await receiver();
  let startBody: () => Drip = () => expect.unreachable();
  to.behave((response) => void (startBody = () => drip(response, '.', 20)));
  const clock = new SimulatedClock();
  const posting = poster({ clock }).post(request(to.url));
  await until(() => to.requests.length === 1);
  await clock.advance(9900);
  const body = startBody();
  expect(await posting).toMatchObject({ kind: 'responded', status: 200, durationMs: 9900 });
  await clock.advance(99);
  expect(body.isOpen).toBe(true);
  await clock.advance(1);
  await until(() => !body.isOpen, { what: 'the connection is cut off' });
});

describe('a failing post', () => {
  test('ends at its deadline when the receiver hangs', async () => {
    const to = await receiver();
    to.behave('hang');
    expect(await poster().post(request(to.url, { timeoutMs: 300 }))).toMatchObject({
      kind: 'failed', reason: 'no response within 0.3 seconds',
    });
  });

  test('ends at its deadline when the response head is slow', async () => {
    const to = await receiver();
    to.behave((response) => {
      const socket = response.socket as NonNullable<typeof response.socket>;
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'X', 50);
    });
    expect(await poster().post(request(to.url, { timeoutMs: 400 }))).toMatchObject({
      kind: 'failed', reason: 'no response within 0.4 seconds',
    });
  });

  test('reports the cause', async () => {
    const to = await receiver();
    to.behave('close');
    expect(await poster().post(request(to.url))).toMatchObject({
      kind: 'failed', reason: 'connection closed by the receiver',
    });
    await to.close();
    expect(await poster().post(request(to.url))).toMatchObject({
      kind: 'failed', reason: 'connection refused',
    });
    expect(await poster().post(request('http://nowhere.example/'))).toMatchObject({
      kind: 'failed', reason: 'the name nowhere.example does not exist',
    });
    const plain = await receiver();
    expect(await poster().post(request(`https://127.0.0.1:${plain.port}/`))).toMatchObject({
      kind: 'failed', reason: expect.stringMatching(/^TLS: |closed/),
    });
  });

  test('when it is aborted', async () => {
    const to = await receiver();
    to.behave('hang');
    const stop = new AbortController();
    const posting = poster().post(request(to.url, { signal: stop.signal }));
    await until(() => to.requests.length === 1);
    stop.abort();
    expect(await posting).toMatchObject({ kind: 'failed', reason: 'canceled because Farwatch is stopping' });
  });
});

describe('a post to a forbidden address', () => {
  test.each([
    '127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]', '[::7f00:1]', '[64:ff9b::7f00:1]', '0.0.0.0', '[::]', '１２７.０.０.１',
  ])(
    'by the address %s is refused without a connection',
    async (host) => {
      const sink = await receiver();
      expect(
        await poster({ allowPrivate: false }).post(request(`http://${host}:${sink.port}/`)),
      ).toMatchObject({ kind: 'refused' });
      expect(sink.connections).toBe(0);
    },
  );

  test('is refused for a name with one private address', async () => {
    const sink = await receiver();
    const names = { 'two.example': [['93.184.216.34', '127.0.0.1']] };
    const outcome =
      await poster({ allowPrivate: false, names }).post(request(`http://two.example:${sink.port}/`));
    expect(outcome).toEqual({ kind: 'refused', reason: '127.0.0.1 is a loopback address' });
    expect(sink.connections).toBe(0);
  });

  test('is refused for a name that has become private', async () => {
    const sink = await receiver();
    const resolve = scripted({ 'rebind.example': [['93.184.216.34'], ['127.0.0.1']] });
    const vetting = createAddressVetting({ resolve, allowPrivate: false, clock: systemClock });
    const url = `http://rebind.example:${sink.port}/`;
    expect(await vetting.urlRefusal(url, 'org-1')).toBeNull();
    const made = new HttpPoster({ clock: systemClock, vetting });
    closing.push(() => made.close());
    expect(await made.post(request(url))).toEqual({
      kind: 'refused', reason: '127.0.0.1 is a loopback address',
    });
    expect(sink.connections).toBe(0);
  });

  test('connects to the vetted address even if the name changes meanwhile', async () => {
    const to = await receiver();
    const other = await receiver('127.0.0.2');
    const names = { 'moving.example': [['127.0.0.1'], ['127.0.0.2']] };
    expect(await poster({ names }).post(request(`http://moving.example:${to.port}/`))).toMatchObject({
      kind: 'responded',
    });
    expect([to.requests.length, other.connections]).toEqual([1, 0]);
  });

  test.each([
    'http://169.254.169.254/', 'http://[fd00:ec2::254]/', 'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/', 'http://100.100.100.200/', 'http://meta.example/',
  ])(
    '%s is refused even where private addresses are allowed',
    async (url) => {
      expect(
        await poster({ names: { 'meta.example': [['169.254.169.254']] } }).post(request(url)),
      ).toMatchObject({ kind: 'refused' });
    },
  );

  test('is refused when the socket is connected to another address', async () => {
    const sink = await receiver();
    const resolve: Resolve = async () => ['127.0.0.1'];
    const real = createAddressVetting({ resolve, allowPrivate: false, clock: systemClock });
    // Vetting passes every lookup, so only the check of the connected socket remains.
    const vetting = {
      ...real, vetHost: async () => ({ kind: 'allowed' as const, addresses: ['127.0.0.1'] }),
    };
    const made = new HttpPoster({ clock: systemClock, vetting });
    closing.push(() => made.close());
    expect(await made.post(request(`http://public.example:${sink.port}/`))).toMatchObject({
      kind: 'refused',
    });
    expect(sink.requests).toHaveLength(0);
  });

  test.each([
    'http://user:pass@example.com/', 'file:///etc/passwd', 'http://example.com:25/', 'ftp://example.com/',
  ])('%s is refused', async (url) => {
    expect(await poster({ names: { 'example.com': [['93.184.216.34']] } }).post(request(url))).toMatchObject({
      kind: 'refused',
    });
  });
});

describe('a hanging receiver', () => {
  test('uses up only its own connections', async () => {
    const [hanging, healthy] = [await receiver(), await receiver()];
    hanging.behave('hang');
    const clock = new SimulatedClock();
    const out = poster({ clock });
    const stuck = Array.from({ length: 70 }, () => out.post(request(hanging.url)));
    const busy = (await Promise.all(stuck.slice(64))).map((outcome) => outcome.kind);
    expect(busy).toEqual(Array(6).fill('busy'));
    expect(await out.post(request(healthy.url))).toMatchObject({ kind: 'responded' });
    await clock.advance(10_000);
    expect((await Promise.all(stuck.slice(0, 64))).every((outcome) => outcome.kind === 'failed')).toBe(true);
    hanging.behave(200);
    expect(await out.post(request(hanging.url))).toMatchObject({ kind: 'responded' });
  });
});

describe('the resolver of the system', () => {
  test('uses the hosts file', async () => {
    expect(await createResolver(systemClock)('localhost', 'org-1')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(127\.|::1)/)]),
    );
  });

  test('serves other callers while the names of one resolve slowly', async () => {
    const pendingLookups: (() => void)[] = [];
    const bySystem = (host: string) => (host.startsWith('slow')
      ? new Promise<string[]>((resolve) => pendingLookups.push(() => resolve([]))) : Promise.resolve(['192.0.2.1']));
    const resolve = createResolver(systemClock, bySystem);
    const codes: string[] = [];
    const failed = ({ code }: NodeJS.ErrnoException) => void codes.push(String(code));
    const flood = Array.from({ length: 150 }, (_none, at) => resolve(`slow-${at}.invalid`, 'greedy').catch(failed));
    await until(() => codes.length > 0, { what: 'some names are refused' });
    expect(codes[0]).toBe('EAGAIN');
    expect(await resolve('modest.invalid', 'modest')).toEqual(['192.0.2.1']);
    await until(() => codes.length === 129, { what: 'one runs and 20 wait' });
    for (let resolved = 0; resolved < 21; resolved += 1) {
      await until(() => pendingLookups.length > resolved, { what: 'the next one runs' });
      pendingLookups[resolved]?.();
    }
    await Promise.all(flood);
  });

  test('attributes the lookup of a post to its caller', async () => {
    const to = await receiver();
    const lookups: string[][] = [];
    const resolve: Resolve = async (...both) => {
      lookups.push(both);
      return ['127.0.0.1'];
    };
    const vetting = createAddressVetting({ resolve, allowPrivate: true, clock: systemClock });
    const made = new HttpPoster({ clock: systemClock, vetting });
    closing.push(() => made.close());
    const { port } = new URL(to.url);
    for (const caller of ['org-1', 'org-2']) await made.post(request(`http://${caller}.example:${port}/`, { caller }));
    expect(lookups).toEqual([['org-1.example', 'org-1'], ['org-2.example', 'org-2']]);
  });

  test('reports an unknown name with a code', async () => {
    await expect(createResolver(systemClock)('does-not-exist.invalid', 'org-1')).rejects.toHaveProperty('code');
  });
});
