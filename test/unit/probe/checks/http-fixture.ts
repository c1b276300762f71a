import type { Socket } from 'node:net';
import { expect } from 'vitest';
import { CheckRegistry } from '../../../../probe/checks/registry.ts';
import type { CheckContext, Finding } from '../../../../probe/checks/check.ts';
import type { Resolution, Resolver } from '../../../../probe/checks/network/resolver.ts';
import { Trust } from '../../../../probe/checks/tls/trust.ts';
import { resultOf } from '../../../../probe/runner/result.ts';
import type { HttpSpec, KeywordSpec } from '../../../../shared/contracts/check-spec.ts';
import { checkResult } from '../../../../shared/contracts/result.ts';
import { systemClock } from '../../../../shared/time.ts';
import { buildAssignment, buildHttpSpec } from '../build.ts';
import { startRawServer, type RawServer } from './raw-server.ts';

const servers: RawServer[] = [];

/** Call after each test. */
export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}

export async function serve(
  onRequest: (socket: Socket, head: string) => void, options: Parameters<typeof startRawServer>[1] = {},
): Promise<RawServer> {
  const server = await startRawServer(onRequest, options);
  servers.push(server);
  return server;
}

/** Names that exist only for this test. */
export function resolverOf(names: Record<string, { 4?: string[]; 6?: string[] } | string>): Resolver {
  return {
    resolve: (host, family): Promise<Resolution> => {
      const entry = names[host];
      if (entry === 'HANG') return new Promise(() => undefined);
      if (typeof entry === 'string') return Promise.resolve({ ok: false, code: entry });
      const addresses = entry?.[family];
      if (addresses) return Promise.resolve({ ok: true, addresses });
      return Promise.resolve({ ok: false, code: entry ? 'ENODATA' : 'ENOTFOUND' });
    },
  };
}

interface Options {
  timeoutMs?: number;
  context?: Partial<CheckContext>;
}

/** Runs one HTTP check and asserts that its result is valid. */
export function check(spec: Partial<HttpSpec>, options: Options = {}): Promise<Finding> {
  return run(buildHttpSpec(spec), options);
}

/** Runs one KEYWORD check for these texts, and asserts that its result is valid. */
export function checkKeywords(
  keywords: Wanted, spec: Partial<KeywordSpec>, options: Options = {},
): Promise<Finding> {
  return run(keywordSpec(keywords, spec), options);
}

type Wanted = (string | { not: string })[];

export function keywordSpec(keywords: Wanted, spec: Partial<KeywordSpec>): KeywordSpec {
  return {
    ...buildHttpSpec(), match_mode: 'all', case_sensitive: false,
    keywords: keywords.map((one) => (typeof one === 'string'
      ? { text: one, should_contain: true }
      : { text: one.not, should_contain: false })),
    ...spec, type: 'KEYWORD',
  };
}

export function registryWith(context: Partial<CheckContext> = {}): CheckRegistry {
  return new CheckRegistry({
    clock: systemClock, resolver: resolverOf({}), allowAddress: () => true, version: '9.9.9',
    trust: new Trust(), ...context,
  });
}

async function run(spec: HttpSpec | KeywordSpec, { timeoutMs = 60_000, context }: Options): Promise<Finding> {
  const finding = await registryWith(context).run(spec, timeoutMs);
  const result = resultOf(
    buildAssignment(), { scheduledAtMs: 1, startedAtMs: 1, attempt: 1, reason: 'schedule' }, finding,
  );
  expect(result).not.toHaveProperty('observed');
  checkResult.parse({ ...result, seq: 1 });
  return finding;
}
