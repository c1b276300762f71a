import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadControllerConfig } from '../../../controller/config.ts';
import { loadPlans } from '../../../controller/plans/plans.ts';
import { ConfigError } from '../../../shared/environment.ts';

const REQUIRED = { MONGODB_URL: 'mongodb://127.0.0.1:27017', NATS_URL: 'nats://127.0.0.1:4222' };

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadControllerConfig({ ...REQUIRED, ...env });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

describe('an invalid value is reported with the expected format', () => {
  test.each([
    ['PORT', 'http', 'PORT must be a whole number from 0 to 65535, not "http"'],
    ['PORT', '65536', 'PORT must be a whole number from 0 to 65535, not "65536"'],
    ['PORT', '3000.5', 'PORT must be a whole number from 0 to 65535, not "3000.5"'],
    ['HOST', '127.0.0.1:80', 'HOST must be a host name or an IP address without a port, not "127.0.0.1:80"'],
    [
      'BASE_URL', 'status.example',
      'BASE_URL must be an address that starts with http:// or https://, not "status.example"',
    ],
    [
      'BASE_URL', 'https://a b',
      'BASE_URL must be an address that starts with http:// or https://, not "https://a b"',
    ],
    [
      'BASE_URL', 'https://example.org/a?b',
      'BASE_URL must have no query, and a path of letters, digits and -._~ only, not "https://example.org/a?b"',
    ],
    ['NATS_LISTEN', '4222', 'NATS_LISTEN must be host:port, for example 0.0.0.0:4222, not "4222"'],
    ['METRICS_LISTEN', '9090', 'METRICS_LISTEN must be host:port, for example 127.0.0.1:9090, not "9090"'],
    ['METRICS_LISTEN', '127.0.0.1:3000', 'METRICS_LISTEN must use a different port than PORT'],
    ['METRICS_TOKEN', 'short', 'METRICS_TOKEN must be 16 to 512 characters without spaces'],
    ['METRICS_TOKEN', 'with a space in it', 'METRICS_TOKEN must be 16 to 512 characters without spaces'],
    ['NATS_LISTEN', '0.0.0.0:0', 'NATS_LISTEN must be host:port, for example 0.0.0.0:4222, not "0.0.0.0:0"'],
    [
      'NATS_PUBLIC_URL', 'http://n',
      'NATS_PUBLIC_URL must be an address that starts with nats:// or tls:// or ws:// or wss://, not "http://n"',
    ],
    ['REGISTRATION', 'yes', 'REGISTRATION must be one of first-user, open, closed, not "yes"'],
    ['DEFAULT_PLAN', 'gold', 'DEFAULT_PLAN must be one of free, pro, scale, not "gold"'],
    ['PLAN_CHANGES', 'admin', 'PLAN_CHANGES must be one of owner, operator, not "admin"'],
    [
      'PLANS_FILE', '/nowhere.json',
      'PLANS_FILE must name a JSON file with limits of plans (ENOENT), not "/nowhere.json"',
    ],
    ['MIN_INTERVAL_SECONDS', '0', 'MIN_INTERVAL_SECONDS must be a whole number from 1 to 86400, not "0"'],
    ['ALLOW_PRIVATE_DESTINATIONS', 'maybe', 'ALLOW_PRIVATE_DESTINATIONS must be true or false, not "maybe"'],
    ['DOMAIN_LOOKUPS', 'yes', 'DOMAIN_LOOKUPS must be true or false, not "yes"'],
    [
      'TRUST_PROXY', 'true',
      'TRUST_PROXY must be false or the number of proxies in front, from 0 to 99, not "true"',
    ],
    ['RATE_LIMIT', '-1', 'RATE_LIMIT must be a whole number from 1 to 1000000000, not "-1"'],
    ['SHARDS', '0', 'SHARDS must be a whole number from 1 to 256, not "0"'],
    ['SHARDS', '257', 'SHARDS must be a whole number from 1 to 256, not "257"'],
    ['MAIL_FROM', 'nobody', 'MAIL_FROM must be an address: a@b.example or Name <a@b.example>, not "nobody"'],
    [
      'MAILGUN_URL', 'mailgun',
      'MAILGUN_URL must be an address that starts with http:// or https://, not "mailgun"',
    ],
    [
      'WATCHDOG_INTERVAL_SECONDS', '4',
      'WATCHDOG_INTERVAL_SECONDS must be a whole number from 5 to 86400, not "4"',
    ],
    [
      'NO_DATA_AFTER_SECONDS', '0', 'NO_DATA_AFTER_SECONDS must be a whole number from 5 to 86400, not "0"',
    ],
    [
      'LOG_LEVEL', 'loud',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"',
    ],
  ])('%s=%s', (name, value, message) => {
    expect(problemsOf({ [name]: value })).toEqual([message]);
  });

  test.each([
    [
      'MONGODB_URL', 'postgres://user:hunter2@db',
      'MONGODB_URL must be an address that starts with mongodb:// or mongodb+srv://',
    ],
    ['NATS_URL', 'http://user:hunter2@n', 'NATS_URL must be an address that starts with nats:// or tls://'],
    [
      'WATCHDOG_URL', 'ping.example/hunter2',
      'WATCHDOG_URL must be an address that starts with http:// or https://',
    ],
    ['JWT_KEYS', '{"keys":[]}', 'JWT_KEYS must be a JSON key ring: {"keys":[…]}'],
    ['JWT_KEYS', 'hunter2', 'JWT_KEYS must be a JSON key ring: {"keys":[…]}'],
  ])('%s, without printing the value', (name, value, message) => {
    expect(problemsOf({ [name]: value })).toEqual([message]);
  });
});

test('variables that require each other are reported when one is missing', () => {
  expect(problemsOf({ NATS_TLS_CERT: 'c.pem' })).toEqual([
    'NATS_TLS_KEY must be set when NATS_TLS_CERT is',
    'NATS_LISTEN must be set when NATS_TLS_CERT is',
  ]);
  expect(problemsOf({ MAILGUN_DOMAIN: 'mg.example', MAIL_FROM: 'a@b.example' })).toEqual([
    'MAILGUN_API_KEY must be set when MAILGUN_DOMAIN is',
  ]);
});

test('all problems are reported together, and an empty value counts as unset', () => {
  const start = () => loadControllerConfig({ PORT: 'x', RATE_LIMIT: '', NATS_URL: ' ', REGISTRATION: 'no' });
  expect(start).toThrow(
    [
      'Farwatch cannot start: 4 settings are invalid',
      '  PORT must be a whole number from 0 to 65535, not "x"',
      '  MONGODB_URL must be set: a standalone controller needs MongoDB (`npm start` includes a database)',
      '  NATS_URL must be set: a standalone controller needs a NATS server (`npm start` includes one)',
      '  REGISTRATION must be one of first-user, open, closed, not "no"',
    ].join('\n'),
  );
});

test('the defaults are those of the process contract, and the configuration is deeply frozen', () => {
  const config = loadControllerConfig(REQUIRED);
  expect(config).toEqual({
    dataDir: resolve('data'),
    logLevel: 'info',
    http: {
      host: '127.0.0.1', port: 3000, baseUrl: null, basePath: '', trustProxy: 0, rateLimit: 1000,
      metrics: { token: null, listen: null },
    },
    statusPages: { domain: null, nameServers: [] },
    mongo: { url: REQUIRED.MONGODB_URL },
    nats: {
      url: REQUIRED.NATS_URL, credsFile: null, publicUrl: null, listen: null, tls: null,
      users: null,
    },
    accounts: {
      registration: 'first-user', defaultPlan: 'scale', planChanges: 'owner', plans: loadPlans(null), jwtKeys: null,
    },
    secretsKeys: [],
    monitors: { minIntervalSeconds: 30 },
    checks: { allowPrivate: true },
    destinations: { allowPrivate: true },
    outsiders: { allowPrivate: false },
    domains: { isLookupEnabled: true },
    mail: { from: 'Farwatch <farwatch@localhost>', isFromConfigured: false, mailgun: null, smtpUrl: null },
    noDataAfterMs: 300_000,
    shards: null,
    watchdog: null,
    embeddedProbeToken: null,
  });
  expect(Object.isFrozen(config) && Object.isFrozen(config.http) && Object.isFrozen(config.nats)).toBe(true);
});

test.each([
  [{}, true],
  [{ REGISTRATION: 'open' }, false],
  [{ REGISTRATION: 'open', PROBE_ALLOW_PRIVATE: 'true' }, true],
  [{ PROBE_ALLOW_PRIVATE: 'false' }, false],
])('checks of private addresses are allowed by default unless registration is open: %o', (env, expected) => {
  expect(loadControllerConfig({ ...REQUIRED, ...env }).checks.allowPrivate).toBe(expected);
});

test.each([
  [{}, true, false],
  [{ REGISTRATION: 'closed' }, true, false],
  [{ REGISTRATION: 'open' }, false, false],
  [{ REGISTRATION: 'open', ALLOW_PRIVATE_DESTINATIONS: 'true' }, true, true],
  [{ ALLOW_PRIVATE_DESTINATIONS: 'false' }, false, false],
])('alerts may go to private addresses unless registration is open, and outsiders reach none: %o', (env, alerts, outsiders) => {
  const config = loadControllerConfig({ ...REQUIRED, ...env });
  expect([config.destinations.allowPrivate, config.outsiders.allowPrivate]).toEqual([alerts, outsiders]);
});

test('mail is sent from MAIL_FROM, or else from the known domain', () => {
  const from = (env: Record<string, string>) => loadControllerConfig({ ...REQUIRED, ...env }).mail.from;
  const mailgun = { MAILGUN_API_KEY: 'k', MAILGUN_DOMAIN: 'mg.example' };
  expect(from({ ...mailgun, MAIL_FROM: 'Ops <ops@x.example>' })).toBe('Ops <ops@x.example>');
  expect(from({ ...mailgun, BASE_URL: 'https://watch.example' })).toBe('Farwatch <farwatch@mg.example>');
  expect(from({ SMTP_URL: 'smtp://mail', BASE_URL: 'https://watch.example:8443/x' })).toBe(
    'Farwatch <farwatch@watch.example>',
  );
  expect(from({ SMTP_URL: 'smtp://mail', BASE_URL: 'http://192.0.2.1' })).toBe(
    'Farwatch <farwatch@localhost>',
  );
});

describe('the NATS address for probes', () => {
  const publicUrl = (env: Record<string, string>) =>
    loadControllerConfig({ ...REQUIRED, ...env }).nats.publicUrl;

  test.each([
    [{ NATS_LISTEN: '10.0.0.5:4222' }, 'nats://10.0.0.5:4222'],
    [{ NATS_LISTEN: '[fd00::1]:4222' }, 'nats://[fd00::1]:4222'],
    [{ NATS_LISTEN: '0.0.0.0:4222', BASE_URL: 'https://watch.example/' }, 'nats://watch.example:4222'],
    [{ NATS_LISTEN: '0.0.0.0:4222' }, REQUIRED.NATS_URL],
    [{
      NATS_LISTEN: '0.0.0.0:4222', BASE_URL: 'https://watch.example', NATS_TLS_CERT: 'c', NATS_TLS_KEY: 'k',
    }, 'tls://watch.example:4222'],
    [{ NATS_LISTEN: '0.0.0.0:4222', NATS_PUBLIC_URL: 'tls://n.example:443' }, 'tls://n.example:443'],
    [{ NATS_PUBLIC_URL: 'wss://n.example/api/bus' }, 'wss://n.example/api/bus'],
    [{ NATS_URL: 'nats://10.0.0.5:4222,nats://127.0.0.1:4222' }, 'nats://10.0.0.5:4222,nats://127.0.0.1:4222'],
    [{ NATS_URL: 'nats://[::1]:4222,nats://localhost' }, null],
    [{ NATS_LISTEN: '127.0.0.1:4222', BASE_URL: 'https://watch.example' }, null],
  ])('with %o', (env, expected) => {
    expect(publicUrl(env)).toBe(expected);
  });
});

describe('secrets from files', () => {
  let dir = '';
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'farwatch-config-'));
    writeFileSync(join(dir, 'mongo'), 'mongodb://user:pw@db/farwatch\n');
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  test('the content of X_FILE is the value, without the line break', () => {
    const config =
      loadControllerConfig({ NATS_URL: REQUIRED.NATS_URL, MONGODB_URL_FILE: join(dir, 'mongo') });
    expect(config.mongo.url).toBe('mongodb://user:pw@db/farwatch');
  });

  test('an invalid table of plans is reported, and a valid one shows the effective minimum interval', () => {
    writeFileSync(join(dir, 'plans'), '{"free":{"monitors":-1}}');
    expect(problemsOf({ PLANS_FILE: join(dir, 'plans'), PORT: 'x' })).toEqual([
      expect.stringContaining('PORT'), expect.stringContaining('(free.monitors: '),
    ]);
    writeFileSync(join(dir, 'plans'), '{"free":{"monitors":7}}');
    const { plans } = loadControllerConfig({
      ...REQUIRED, PLANS_FILE: join(dir, 'plans'), MIN_INTERVAL_SECONDS: '5',
    }).accounts;
    expect([plans.free.monitors, plans.free.min_interval_seconds]).toEqual([7, 5]);
  });

  test('an unreadable file and a variable given twice are reported', () => {
    expect(problemsOf({
      SMTP_URL_FILE: '/no/such', MONGODB_URL_FILE: join(dir, 'mongo'), MAIL_FROM: 'a@b.example',
    }))
      .toEqual([
      'MONGODB_URL and MONGODB_URL_FILE are both set; keep one of them',
      'SMTP_URL_FILE must name a readable file, not "/no/such" (ENOENT)',
      'MONGODB_URL must be set: a standalone controller needs MongoDB (`npm start` includes a database)',
    ]);
  });
});
