import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkProbeConfig, loadProbeConfig } from '../../../probe/config.ts';

describe('an invalid setting or flag is reported', () => {
  test.each([
    [{ PROBE_MESH: 'on' }, [], ['PROBE_MESH must be one of public, private, off, not "on"']],
    [{ PROBE_ALLOW_PRIVATE: 'x' }, [], ['PROBE_ALLOW_PRIVATE must be true or false, not "x"']],
    [
      { PROBE_ANCHORS: '1.1.1.1:53,nowhere' }, [],
      [
        'PROBE_ANCHORS must be up to 8 of host:port or addresses that start with http:// or https://, separated by commas, not "1.1.1.1:53,nowhere"',
      ],
    ],
    [
      { PROBE_DNS_SERVERS: '9.9.9.9,dns.example:53' }, [],
      [
        'PROBE_DNS_SERVERS must be up to 8 IP addresses with or without a port, such as 192.0.2.1 or [2001:db8::1]:5353, separated by commas, not "9.9.9.9,dns.example:53"',
      ],
    ],
    [
      { NATS_URL: 'http://user:pw@h' }, [],
      ['NATS_URL must be an address that starts with nats:// or tls:// or ws:// or wss://'],
    ],
    [
      {}, ['--controller', 'watch.example'],
      ['--controller must be an address that starts with http:// or https://, not "watch.example"'],
    ],
    [
      {}, ['--controller', 'https://c', '--token', 'short'],
      ['--token must be 16 to 256 characters without spaces'],
    ],
    [{}, ['--token', 'a'.repeat(64)], ['--controller must be given with --token']],
    [{ FARWATCH_TOKEN: 'short' }, [], ['FARWATCH_TOKEN must be 16 to 256 characters without spaces']],
    [
      {}, ['--controller', 'https://c', '--token-file', '/nowhere/token'],
      ['--token-file must name a readable file, not "/nowhere/token" (ENOENT)'],
    ],
    [
      {}, ['--controller', 'https://c', '--token', 'a'.repeat(64), '--token-file', import.meta.filename],
      ['--token and --token-file are both set; keep one of them'],
    ],
    [
      {}, ['--controller', 'https://c', '--token-file', import.meta.filename],
      ['--token-file must be 16 to 256 characters without spaces'],
    ],
    [{}, ['--tokn', 'a'], ["Unknown option '--tokn'"]],
    [{}, ['start'], ["Unexpected argument 'start'"]],
    [
      { PROBE_ALLOW_CIDRS: '10.0.0.0/33' }, [],
      ['PROBE_ALLOW_CIDRS must be up to 32 ranges such as 10.0.0.0/8 or fd00::/8, separated by commas, not "10.0.0.0/33"'],
    ],
    [
      { PROBE_DENY_CIDRS: '10.0.0.1' }, [],
      ['PROBE_DENY_CIDRS must be up to 32 ranges such as 10.0.0.0/8 or fd00::/8, separated by commas, not "10.0.0.1"'],
    ],
    [{ LOG_LEVEL: 'x' }, ['--controller', 'c'], [
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "x"',
      '--controller must be an address that starts with http:// or https://, not "c"',
    ]],
  ])('%o %j', (env, argv, problems) => {
    expect(checkProbeConfig(env as Record<string, string>, argv)).toEqual({ config: null, problems });
  });
});

test('without settings, the identity in ./data is used', () => {
  expect(loadProbeConfig({}, [])).toEqual({
    dataDir: resolve('data'),
    logLevel: 'info',
    enrolment: { controllerUrl: null, token: null },
    natsUrl: null,
    mesh: 'public',
    proxies: {},
    checks: { allowPrivate: null, allowedRanges: [], deniedRanges: [], anchors: [], nameServers: [], examines: true },
  });
});

test('the enrolment token comes from a flag, a file or the environment, in this order', () => {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-token-'));
  const file = join(dir, 'token');
  writeFileSync(file, `${'f'.repeat(64)}\n`);
  const tokenOf = (env: Record<string, string>, ...flags: string[]) =>
    loadProbeConfig(env, ['--controller', 'https://c', ...flags]).enrolment.token;
  const env = { FARWATCH_TOKEN: 'e'.repeat(64) };
  expect(tokenOf(env, '--token', 'a'.repeat(64))).toBe('a'.repeat(64));
  expect(tokenOf(env, '--token-file', file)).toBe('f'.repeat(64));
  expect(tokenOf(env)).toBe('e'.repeat(64));
  expect(tokenOf({ FARWATCH_TOKEN_FILE: file })).toBe('f'.repeat(64));
  expect(loadProbeConfig(env, []).enrolment).toEqual({ controllerUrl: null, token: 'e'.repeat(64) });
  rmSync(dir, { recursive: true });
});

test('anchors are endpoints to connect to', () => {
  expect(loadProbeConfig(
    { PROBE_ANCHORS: '1.1.1.1:53, https://example.com/x,http://[::1]:8080,[2606:4700::1]:443' }, [],
  ).checks.anchors)
    .toEqual([
    { host: '1.1.1.1', port: 53 }, { host: 'example.com', port: 443 }, { host: '::1', port: 8080 },
    { host: '2606:4700::1', port: 443 },
  ]);
});

test('name servers are addresses, on port 53 by default', () => {
  const { checks } =
    loadProbeConfig({ PROBE_DNS_SERVERS: '9.9.9.9, 192.0.2.53:5353,2001:db8::1,[2001:db8::2]:54' }, []);
  expect(checks.nameServers).toEqual([
    { host: '9.9.9.9', port: 53 }, { host: '192.0.2.53', port: 5353 }, { host: '2001:db8::1', port: 53 },
    { host: '2001:db8::2', port: 54 },
  ]);
});

test("the probe's setting for private addresses is independent of the controllers'", () => {
  const checksOf = (env: Record<string, string>) => loadProbeConfig(env, []).checks;
  expect(checksOf({ REGISTRATION: 'open' }).allowPrivate).toBeNull();
  expect(checksOf({ PROBE_ALLOW_PRIVATE: 'true' }).allowPrivate).toBe(true);
  expect(checksOf({ PROBE_ALLOW_PRIVATE: 'false' }).allowPrivate).toBe(false);
  expect(checksOf({ PROBE_ALLOW_CIDRS: '10.0.0.0/8, fd00::/8' }).allowedRanges).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(checksOf({ PROBE_DENY_CIDRS: '10.1.0.0/16, 2600::/12' }).deniedRanges).toEqual(['10.1.0.0/16', '2600::/12']);
});
