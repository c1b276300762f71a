import { describe, expect, test } from 'vitest';
import { loadControllerConfig } from '../../../controller/config.ts';
import { exposureWarnings } from '../../../controller/exposure.ts';
import { isLoopback } from '../../../shared/net-guard.ts';

const warningsFor = (env: Record<string, string>) =>
  exposureWarnings(loadControllerConfig({ MONGODB_URL: 'mongodb://db', NATS_URL: 'nats://bus', ...env }));

describe('plain HTTP that exposes traffic to eavesdropping is named', () => {
  test.each<[Record<string, string>, string]>([
    [{ HOST: '0.0.0.0' }, 'HOST=0.0.0.0'],
    [{ HOST: '::' }, 'HOST=::'],
    [{ HOST: '192.0.2.7', BASE_URL: 'http://localhost:3000' }, 'HOST=192.0.2.7'],
    [{ BASE_URL: 'http://watch.example' }, 'BASE_URL=http://watch.example'],
    [{ HOST: '0.0.0.0', TRUST_PROXY: '1', BASE_URL: 'http://watch.example:8080/x' }, 'BASE_URL=http://watch.example:8080'],
  ])('%o', (env, setting) => {
    expect(warningsFor(env)).toEqual([expect.stringMatching(/over plain HTTP.*BASE_URL.*TRUST_PROXY/s)]);
    expect(warningsFor(env)[0]?.split(' ')[0]).toBe(setting);
  });
  test.each<Record<string, string>>([
    {}, { HOST: 'localhost' }, { HOST: '::1' }, { BASE_URL: 'http://127.0.0.1:3000' }, { BASE_URL: 'http://[::1]:3000' },
    { HOST: '0.0.0.0', BASE_URL: 'https://watch.example' }, { HOST: '0.0.0.0', TRUST_PROXY: '1' },
  ])('but not with %o', (env) => expect(warningsFor(env)).toEqual([]));
});

describe('a NATS server reachable by others without TLS is named', () => {
  const tls = { NATS_TLS_CERT: 'cert.pem', NATS_TLS_KEY: 'key.pem' };
  test.each(['0.0.0.0:4222', '[::]:4222', 'nats.example:4222'])('%s', (NATS_LISTEN) => {
    expect(warningsFor({ NATS_LISTEN })).toEqual([expect.stringMatching(/without TLS.*NATS_TLS_CERT/)]);
    expect(warningsFor({ NATS_LISTEN })[0]?.split(' ')[0]).toBe(`NATS_LISTEN=${NATS_LISTEN}`);
    expect(warningsFor({ NATS_LISTEN, ...tls })).toEqual([]);
  });
  test.each(['127.0.0.1:4222', 'localhost:4222', '[::1]:4222'])('but not %s', (NATS_LISTEN) => {
    expect(warningsFor({ NATS_LISTEN })).toEqual([]);
  });
  test('together with plain HTTP: one warning each', () => {
    expect(warningsFor({ HOST: '0.0.0.0', NATS_LISTEN: '0.0.0.0:4222' })).toHaveLength(2);
  });
});

test.each([['LocalHost', true], ['127.9.9.9', true], ['[::1]', true], ['::ffff:127.0.0.1', false], ['0.0.0.0', false],
  ['localhost.example', false]])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
