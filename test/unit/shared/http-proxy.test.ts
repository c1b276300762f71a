import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTunnel, proxyFor } from '../../../shared/http-proxy.ts';

describe('the proxy for a URL', () => {
  const env = { HTTPS_PROXY: 'http://secure:3128', HTTP_PROXY: 'http://plain:3128' };
  const of = (url: string, more: Record<string, string> = {}) => proxyFor(new URL(url), { ...env, ...more })?.host ?? null;

  test.each([
    ['https://farwatch.example', 'secure:3128'],
    ['wss://farwatch.example/api/bus', 'secure:3128'],
    ['http://farwatch.example', 'plain:3128'],
    ['ws://farwatch.example/api/bus', 'plain:3128'],
    ['nats://farwatch.example', null],
    ['tls://farwatch.example', null],
  ])('%s is %s', (url, expected) => {
    expect(of(url)).toBe(expected);
  });

  test.each([
    ['*', true],
    ['other.example, farwatch.example', true],
    ['example', true],
    ['.Example', true],
    ['*.example', true],
    ['watch.example', false],
    ['farwatch.example:443', true],
    ['farwatch.example:8443', false],
    ['', false],
  ])('with NO_PROXY=%s: none is %s', (list, isNone) => {
    expect(of('https://farwatch.example', { NO_PROXY: list }) === null).toBe(isNone);
  });

  test.each([
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[::1]', '::1', true],
    ['https://[::1]:8443', '[::1]:8443', true],
    ['https://farwatch.example', '10.0.0.0/8', false],
    ['https://10.1.2.3', 'nonsense/8', false],
  ])('%s with NO_PROXY=%s: none is %s', (url, list, isNone) => {
    expect(of(url, { NO_PROXY: list }) === null).toBe(isNone);
  });

  test('lower case comes first, and an address without a scheme is an HTTP proxy', () => {
    expect(proxyFor(new URL('https://a.example'), { ...env, https_proxy: 'other:8080' })?.href).toBe('http://other:8080/');
    expect(of('https://a.example', { https_proxy: '' })).toBe(null);
    expect(proxyFor(new URL('https://a.example'), {})).toBe(null);
  });

  test.each(['socks5://proxy:1080', 'http://'])('%s is refused', (proxy) => {
    expect(() => of('https://a.example', { HTTPS_PROXY: proxy })).toThrow('HTTPS_PROXY must be an address that starts with http:// or https://');
  });
});

describe('a tunnel', () => {
  const asked: (string | undefined)[] = [];
  let proxy: Server;
  let address: URL;
  beforeAll(async () => {
    proxy = createServer();
    proxy.on('connect', ({ url, headers }, socket) => {
      asked.push(url, headers['proxy-authorization']);
      socket.on('error', () => undefined);
      socket.end(headers['proxy-authorization'] ? 'HTTP/1.1 200 OK\r\n\r\nhello' : 'HTTP/1.1 407 No\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    address = new URL(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  });
  afterAll(() => proxy.close());

  test('asks the proxy for the endpoint, with its credentials', async () => {
    const socket = await openTunnel(new URL(`http://me:p%40ss@${address.host}`), { host: '::1', port: 443 });
    const [data] = await new Promise<Buffer[]>((resolve) => socket.once('data', (chunk: Buffer) => resolve([chunk])));
    expect(String(data)).toBe('hello');
    expect(asked.splice(0)).toEqual(['[::1]:443', `Basic ${Buffer.from('me:p@ss').toString('base64')}`]);
    socket.destroy();
  });

  test('that the proxy refuses is an error with its status', async () => {
    await expect(openTunnel(address, { host: 'a.example', port: 443 })).rejects.toThrow(/refused a connection to a\.example:443 \(status 407\)/);
  });
});
