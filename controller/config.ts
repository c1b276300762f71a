import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError, readEnvironment, type Environment } from '../shared/environment.ts';
import { isLoopback } from '../shared/net-guard.ts';
import { setting } from '../shared/setting.ts';
import { MAX_SHARDS } from '../shared/ids.ts';
import { loadPlans, withMinIntervals, type Plans } from './plans/plans.ts';
import { LOST } from './secrets/data-key.ts';

const DEFAULT_PORT = 3000;
const MAX_INTERVAL_SECONDS = 86_400;
const MIN_SECRETS_KEY_LENGTH = 32;

const variables = z.object({
  PORT: setting.integer(0, 65_535).default(DEFAULT_PORT),
  HOST: setting.host().default('127.0.0.1'),
  BASE_URL: setting.url('http', 'https')
    .pipe(z.string().refine(hasPlainPath, { message: 'must have no query, and a path of letters, digits and -._~ only' }))
    .optional(),
  DATA_DIR: setting.text().default('./data'),
  MONGODB_URL: z
    .string({ error: 'must be set: a standalone controller needs MongoDB (`npm start` includes a database)' })
    .pipe(setting.url('mongodb', 'mongodb+srv')),
  SHARDS: setting.integer(1, MAX_SHARDS).optional(),
  NATS_URL: z
    .string({ error: 'must be set: a standalone controller needs a NATS server (`npm start` includes one)' })
    .pipe(setting.url('nats', 'tls')),
  NATS_CREDS: setting.text().optional(),
  NATS_LISTEN: setting.hostAndPort('0.0.0.0:4222').optional(),
  NATS_TLS_CERT: setting.text().optional(),
  NATS_TLS_KEY: setting.text().optional(),
  NATS_PUBLIC_URL: setting.url('nats', 'tls', 'ws', 'wss').optional(),
  REGISTRATION: setting.choice(['first-user', 'open', 'closed']).default('first-user'),
  DEFAULT_PLAN: setting.choice(['free', 'pro', 'scale']).default('scale'),
  PLAN_CHANGES: setting.choice(['owner', 'operator']).default('owner'),
  PLANS_FILE: setting.text().transform(readPlans).optional(),
  MIN_INTERVAL_SECONDS: setting.integer(1, MAX_INTERVAL_SECONDS).default(30),
  PROBE_ALLOW_PRIVATE: setting.boolean().optional(),
  ALLOW_PRIVATE_DESTINATIONS: setting.boolean().optional(),
  DOMAIN_LOOKUPS: setting.boolean().default(true),
  TRUST_PROXY: z
    .string()
    .refine((text) => text === 'false' || /^\d{1,2}$/.test(text), {
      message: 'must be false or the number of proxies in front, from 0 to 99',
    })
    .transform((text) => (text === 'false' ? 0 : Number(text)))
    .default(0),
  NO_DATA_AFTER_SECONDS: setting.integer(5, MAX_INTERVAL_SECONDS).default(300),
  RATE_LIMIT: setting.integer(1, 1_000_000_000).default(1000),
  METRICS_TOKEN: setting.text().refine(
    (text) => /^[!-~]{16,512}$/.test(text), { message: 'must be 16 to 512 characters without spaces' },
  ).optional(),
  METRICS_LISTEN: setting.hostAndPort('127.0.0.1:9090').optional(),
  MAIL_FROM: setting.text()
    .refine(isMailFrom, { message: 'must be an address: a@b.example or Name <a@b.example>' }).optional(),
  MAILGUN_API_KEY: setting.text().optional(),
  MAILGUN_DOMAIN: setting.host().optional(),
  MAILGUN_URL: setting.url('http', 'https').default('https://api.mailgun.net'),
  SMTP_URL: setting.url('smtp', 'smtps').optional(),
  JWT_KEYS: setting.text().refine(isKeyRing, { message: 'must be a JSON key ring: {"keys":[…]}' }).optional(),
  SECRETS_KEY: setting.text().refine(areSecretsKeys, {
    message: 'must be a key of at least 32 characters; after a comma, it may have the former key',
  }).optional(),
  WATCHDOG_URL: setting.url('http', 'https').optional(),
  WATCHDOG_INTERVAL_SECONDS: setting.integer(5, MAX_INTERVAL_SECONDS).default(60),
  STATUS_PAGE_DOMAIN: setting.host().optional(),
  STATUS_PAGE_DNS_SERVERS: setting.nameServers(8).default([]),
  LOG_LEVEL: setting.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  // Between the quickstart and its own controller; no operator sets these.
  NATS_USERS_FILE: setting.text().optional(),
  NATS_PID_FILE: setting.text().optional(),
  EMBEDDED_PROBE_TOKEN: setting.text().optional(),
});

/** Variables that may be given as `<NAME>_FILE` and whose values are never printed. */
export const CONTROLLER_SECRETS: readonly string[] = [
  'MONGODB_URL', 'NATS_URL', 'MAILGUN_API_KEY', 'SMTP_URL', 'JWT_KEYS', 'SECRETS_KEY', 'WATCHDOG_URL',
  'METRICS_TOKEN', 'EMBEDDED_PROBE_TOKEN',
];

type Values = z.infer<typeof variables>;
export type ControllerConfig = ReturnType<typeof arrange>;

/** Everything that an environment says about a controller. Throws ConfigError naming every bad value. */
export function loadControllerConfig(env: Environment): ControllerConfig {
  const { config, problems } = checkControllerConfig(env);
  if (!config) throw new ConfigError(problems);
  return config;
}

/** As `loadControllerConfig`, but hands the problems back: the quickstart puts them beside its own. */
export function checkControllerConfig(env: Environment) {
  const { values, problems } = readEnvironment(variables, env, CONTROLLER_SECRETS);
  problems.push(...conflicts(env));
  return { config: values && problems.length === 0 ? arrange(values) : null, problems };
}

/** What is wrong between variables that are each well formed. */
function conflicts(env: Environment): string[] {
  const isSet = (name: string) => Boolean(env[name]?.trim() || env[`${name}_FILE`]?.trim());
  const found: string[] = [];
  const requireBoth = (one: string, other: string) => {
    if (isSet(one) && !isSet(other)) found.push(`${other} must be set when ${one} is`);
  };
  requireBoth('NATS_TLS_CERT', 'NATS_TLS_KEY');
  requireBoth('NATS_TLS_KEY', 'NATS_TLS_CERT');
  requireBoth('NATS_TLS_CERT', 'NATS_LISTEN');
  requireBoth('MAILGUN_API_KEY', 'MAILGUN_DOMAIN');
  requireBoth('MAILGUN_DOMAIN', 'MAILGUN_API_KEY');
  const metricsPort = /:(\d+)$/.exec(env['METRICS_LISTEN']?.trim() ?? '')?.[1];
  if (metricsPort !== undefined && Number(metricsPort) === Number(env['PORT']?.trim() || DEFAULT_PORT)) {
    found.push('METRICS_LISTEN must use a different port than PORT');
  }
  return found;
}

function arrange(values: Values) {
  const { NATS_USERS_FILE: usersFile, NATS_PID_FILE: pidFile } = values;
  const { NATS_TLS_CERT: certFile, NATS_TLS_KEY: keyFile } = values;
  return freeze({
    dataDir: resolve(values.DATA_DIR),
    logLevel: values.LOG_LEVEL,
    http: {
      host: values.HOST,
      port: values.PORT,
      /** Address in links, without a slash at its end; null: derived from where the server listens. */
      baseUrl: values.BASE_URL?.replace(/\/+$/, '') ?? null,
      /** Path of `baseUrl`, below which everything is served; empty: the root. */
      basePath: values.BASE_URL === undefined ? '' : new URL(values.BASE_URL).pathname.replace(/\/+$/, ''),
      /** Number of proxies in front whose forwarding headers are believed. */
      trustProxy: values.TRUST_PROXY,
      /** Requests per 15 minutes. */
      rateLimit: values.RATE_LIMIT,
      metrics: {
        /** Bearer token that reading the metrics requires; null: none. */
        token: values.METRICS_TOKEN ?? null,
        /** Where the metrics are served, and nowhere else; null: with the API. */
        listen: values.METRICS_LISTEN ?? null,
      },
    },
    statusPages: {
      /** Pages are at their subdomains of it, in lower case; null: only below `/status`. */
      domain: values.STATUS_PAGE_DOMAIN?.toLowerCase() ?? null,
      /** Asked about custom domains; none: those of the system. */
      nameServers: values.STATUS_PAGE_DNS_SERVERS,
    },
    mongo: { url: values.MONGODB_URL },
    /** Chosen at the first start of the installation; null: that, or the default. */
    shards: values.SHARDS ?? null,
    nats: {
      url: values.NATS_URL,
      /** Path of a .creds file or of a file with an nkey seed; null: none. */
      credsFile: values.NATS_CREDS ?? null,
      /** What probes and subscriptions get; null: the bus over HTTPS. */
      publicUrl: values.NATS_PUBLIC_URL ?? derivedNatsUrl(values),
      listen: values.NATS_LISTEN ?? null,
      tls: certFile && keyFile ? { certFile: resolve(certFile), keyFile: resolve(keyFile) } : null,
      /** The quickstart's own server learns of users by a file and a signal; null: any other server. */
      users: usersFile && pidFile ? { file: usersFile, pidFile } : null,
    },
    accounts: {
      registration: values.REGISTRATION,
      defaultPlan: values.DEFAULT_PLAN,
      /** Who may change the plan of an organization. */
      planChanges: values.PLAN_CHANGES,
      /** What is allowed in each plan. */
      plans: withMinIntervals(values.PLANS_FILE ?? loadPlans(null), values.MIN_INTERVAL_SECONDS),
      /** JSON of a key ring (JWKS with private keys); null: generated into the database. */
      jwtKeys: values.JWT_KEYS ?? null,
    },
    /** The key for secrets in the database, then former ones; empty: the key ring in the database. */
    secretsKeys: keysIn(values.SECRETS_KEY ?? ''),
    monitors: { minIntervalSeconds: values.MIN_INTERVAL_SECONDS },
    /** How long a monitor is unknown, at least, before people are told, ms. */
    noDataAfterMs: values.NO_DATA_AFTER_SECONDS * 1000,
    /** Whether checks may reach private and loopback addresses; strangers may not point probes there. */
    checks: { allowPrivate: values.PROBE_ALLOW_PRIVATE ?? values.REGISTRATION !== 'open' },
    /** Whether alerts may go to private and loopback addresses. */
    destinations: { allowPrivate: values.ALLOW_PRIVATE_DESTINATIONS ?? values.REGISTRATION !== 'open' },
    /** The same for addresses from outside: of subscribers' webhooks, and in the responses of registries. */
    outsiders: { allowPrivate: values.ALLOW_PRIVATE_DESTINATIONS ?? false },
    /** Whether registries are asked when the domains of monitors expire. */
    domains: { isLookupEnabled: values.DOMAIN_LOOKUPS },
    mail: {
      /** Sender of every mail. */
      from: values.MAIL_FROM ?? defaultSender(values),
      isFromConfigured: values.MAIL_FROM !== undefined,
      mailgun:
        values.MAILGUN_API_KEY && values.MAILGUN_DOMAIN
          ? {
            apiKey: values.MAILGUN_API_KEY, domain: values.MAILGUN_DOMAIN,
            url: values.MAILGUN_URL.replace(/\/+$/, ''),
          }
          : null,
      smtpUrl: values.SMTP_URL ?? null,
    },
    /** The outside address that is called while alerts can go out; null: none is. */
    watchdog: values.WATCHDOG_URL === undefined
      ? null
      : { url: values.WATCHDOG_URL, intervalMs: values.WATCHDOG_INTERVAL_SECONDS * 1000 },
    /** Enrols the probe that the quickstart starts beside the controller; null: there is none to enrol. */
    embeddedProbeToken: values.EMBEDDED_PROBE_TOKEN ?? null,
  });
}

/**
 * The NATS address for probes elsewhere: the port of NATS_LISTEN at its host or, when it listens on every
 * address, at the host of BASE_URL; else NATS_URL. Null when NATS listens on loopback only.
 */
function derivedNatsUrl({
  NATS_LISTEN: listen, NATS_URL: url, BASE_URL: baseUrl, NATS_TLS_CERT: certFile,
}: Values): string | null {
  if (!listen) return url.split(',').every((one) => isLoopback(new URL(one.trim()).hostname)) ? null : url;
  const { host, port } = listen;
  if (isLoopback(host)) return null;
  const scheme = certFile ? 'tls' : 'nats';
  const isEverywhere = host === '0.0.0.0' || host === '::';
  if (!isEverywhere) return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return baseUrl ? `${scheme}://${new URL(baseUrl).hostname}:${port}` : url;
}

/** An address of the domain that mail is sent for, where one is known. */
function defaultSender(values: Values): string {
  const ofUrl = values.BASE_URL === undefined ? null : new URL(values.BASE_URL).hostname;
  const domain = values.MAILGUN_DOMAIN ?? (ofUrl !== null && /[a-z]$/i.test(ofUrl) ? ofUrl : 'localhost');
  return `Farwatch <farwatch@${domain}>`;
}

/** Its path is also a cookie's, and part of every page. */
function hasPlainPath(url: string): boolean {
  return /^[a-z]+:\/\/[^/?#]+(?:\/[\w.~-]+)*\/*$/i.test(url);
}

function isMailFrom(text: string): boolean {
  return /^(?:[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text);
}

function readPlans(path: string, ctx: z.RefinementCtx): Plans {
  try {
    return loadPlans(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const fault = `must name a JSON file with limits of plans (${code ?? message})`;
    ctx.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  }
}

function areSecretsKeys(text: string): boolean {
  const [first = '', ...former] = keysIn(text);
  const isKey = (key: string) => key.length >= MIN_SECRETS_KEY_LENGTH;
  return isKey(first) && former.every((key) => key === LOST || isKey(key));
}

function keysIn(text: string): string[] {
  return text.split(',').map((key) => key.trim()).filter((key) => key !== '');
}

function isKeyRing(text: string): boolean {
  try {
    const ring: unknown = JSON.parse(text);
    const keys = (ring as { keys?: unknown } | null)?.keys;
    return Array.isArray(keys) && keys.length > 0 &&
      keys.every((key) => typeof key === 'object' && key !== null);
  } catch {
    return false;
  }
}

function freeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) freeze(part);
  return Object.freeze(value);
}
