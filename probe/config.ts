import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ConfigError, readEnvironment, type Environment } from '../shared/environment.ts';
import { proxyVariables } from '../shared/http-proxy.ts';
import { setting } from '../shared/setting.ts';

const TOKEN = /^\S{16,256}$/;
const TOKEN_RULE = 'must be 16 to 256 characters without spaces';

const variables = z.object({
  DATA_DIR: setting.text().default('./data'),
  PROBE_ALLOW_PRIVATE: setting.boolean().optional(),
  PROBE_ALLOW_CIDRS: setting.ranges(32).default([]),
  PROBE_DENY_CIDRS: setting.ranges(32).default([]),
  PROBE_ANCHORS: setting.endpoints(8).default([]),
  PROBE_EXAMINATIONS: setting.boolean().default(true),
  PROBE_MESH: setting.choice(['public', 'private', 'off']).default('public'),
  PROBE_DNS_SERVERS: setting.nameServers(8).default([]),
  NATS_URL: setting.url('nats', 'tls', 'ws', 'wss').optional(),
  FARWATCH_TOKEN: setting.text().regex(TOKEN, TOKEN_RULE).optional(),
  LOG_LEVEL: setting.choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

/** Variables that also accept `<NAME>_FILE` and are never printed. */
const SECRETS = ['NATS_URL', 'FARWATCH_TOKEN'];

type Values = z.infer<typeof variables>;
interface Flags {
  controller?: string | undefined;
  token?: string | undefined;
}
export type ProbeConfig = ReturnType<typeof arrange>;

/**
 * The probe's settings from environment and command line. @throws ConfigError listing every invalid value.
 */
export function loadProbeConfig(env: Environment, argv: readonly string[]): ProbeConfig {
  const { config, problems } = checkProbeConfig(env, argv);
  if (!config) throw new ConfigError(problems);
  return config;
}

/** Like `loadProbeConfig`, but returns the problems. */
export function checkProbeConfig(
  env: Environment,
  argv: readonly string[],
): { config: ProbeConfig | null; problems: string[] } {
  const { values, problems } = readEnvironment(variables, env, SECRETS);
  const flags = readFlags(argv, problems);
  return { config: values && problems.length === 0 ? arrange(values, flags, env) : null, problems };
}

const TEXT = { type: 'string' } as const;

function readFlags(argv: readonly string[], problems: string[]): Flags {
  try {
    const { values: flags } = parseArgs({
      args: [...argv],
      options: { controller: TEXT, token: TEXT, 'token-file': TEXT },
    });
    const token = flags.token ?? readToken(flags['token-file'], problems);
    if (flags.token !== undefined && flags['token-file'] !== undefined) {
      problems.push('--token and --token-file are both set; keep one of them');
    }
    const isAddress = setting.url('http', 'https').safeParse(flags.controller ?? 'http://unset').success;
    if (!isAddress) {
      problems.push(
        `--controller must be an address that starts with http:// or https://, not ${JSON.stringify(flags.controller)}`,
      );
    }
    const source = flags.token === undefined ? '--token-file' : '--token';
    if (token !== undefined && !TOKEN.test(token)) problems.push(`${source} ${TOKEN_RULE}`);
    if (token !== undefined && flags.controller === undefined) {
      problems.push(`--controller must be given with ${source}`);
    }
    return { controller: flags.controller, token };
  } catch (error) {
    problems.push((error as Error).message.split('. ')[0] as string);
    return {};
  }
}

function readToken(path: string | undefined, problems: string[]): string | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path, 'utf8').trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    problems.push(`--token-file must name a readable file, not ${JSON.stringify(path)} (${code})`);
    return undefined;
  }
}

function arrange(values: Values, flags: Flags, env: Environment) {
  return Object.freeze({
    dataDir: resolve(values.DATA_DIR),
    logLevel: values.LOG_LEVEL,
    /** Both are needed for the first start only; after that, the identity is in `dataDir`. */
    enrolment: Object.freeze({
      controllerUrl: flags.controller?.replace(/\/+$/, '') ?? null,
      token: flags.token ?? values.FARWATCH_TOKEN ?? null,
    }),
    /** Overrides the NATS URL received at enrolment; null if unset. */
    natsUrl: values.NATS_URL ?? null,
    /** At which addresses other probes may ping this one; `off` if it takes no part in the mesh. */
    mesh: values.PROBE_MESH,
    /** Not checked here: `npm start` doesn't use them. */
    proxies: Object.freeze(proxyVariables(env)),
    checks: Object.freeze({
      /** Whether it examines targets whose checks fail. */
      examines: values.PROBE_EXAMINATIONS,
      /** Contacted when checks fail, to tell a lost uplink from a failed target. */
      anchors: values.PROBE_ANCHORS,
      /** Resolve target names instead of the system's name servers; empty for those. */
      nameServers: values.PROBE_DNS_SERVERS,
      /** Whether checks may reach private and loopback addresses; null to let each assignment decide. */
      allowPrivate: values.PROBE_ALLOW_PRIVATE ?? null,
      /** Private ranges that checks may always reach. */
      allowedRanges: values.PROBE_ALLOW_CIDRS,
      /** Ranges of any addresses that checks must not reach. */
      deniedRanges: values.PROBE_DENY_CIDRS,
    }),
  });
}
