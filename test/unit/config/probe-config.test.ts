import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkProbeConfig, loadProbeConfig } from '../../../probe/config.ts';

describe('a bad setting or flag is named', () => {
  test.each([
    [{ PROBE_ALLOW_PRIVATE: 'x' }, [], ['PROBE_ALLOW_PRIVATE must be true or false, not "x"']],
    [{ NATS_URL: 'http://user:pw@h' }, [], ['NATS_URL must be an address that starts with nats:// or tls://']],
    [{}, ['--controller', 'watch.example'], ['--controller must be an address that starts with http:// or https://, not "watch.example"']],
    [{}, ['--controller', 'https://c', '--token', 'short'], ['--token must be 16 to 256 characters without spaces']],
    [{}, ['--token', 'a'.repeat(64)], ['--controller must be given with --token']],
    [{}, ['--tokn', 'a'], ["Unknown option '--tokn'"]],
    [{}, ['start'], ["Unexpected argument 'start'"]],
    [{ LOG_LEVEL: 'x', REGISTRATION: 'y' }, ['--controller', 'c'], [
      'REGISTRATION must be one of first-user, open, closed, not "y"',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "x"',
      '--controller must be an address that starts with http:// or https://, not "c"',
    ]],
  ])('%o %j', (env, argv, problems) => {
    expect(checkProbeConfig(env as Record<string, string>, argv)).toEqual({ config: null, problems });
  });
});

test('nothing set: the identity in ./data is used', () => {
  expect(loadProbeConfig({}, [])).toEqual({
    dataDir: resolve('data'),
    logLevel: 'info',
    enrolment: { controllerUrl: null, token: null },
    natsUrl: null,
    checks: { allowPrivate: true },
  });
});

test.each([
  [{}, true],
  [{ REGISTRATION: 'open' }, false],
  [{ REGISTRATION: 'open', PROBE_ALLOW_PRIVATE: 'true' }, true],
  [{ PROBE_ALLOW_PRIVATE: 'false' }, false],
])('strangers may not point checks at private addresses: %o', (env, expected) => {
  expect(loadProbeConfig(env, []).checks.allowPrivate).toBe(expected);
});
