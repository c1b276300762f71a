import type { Registry } from 'prom-client';
import { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time.ts';
import { defineRoute, type Route } from './route.ts';

/** One thing without which this controller cannot serve. */
export interface ReadinessCheck {
  name: string;
  /** False or a rejection: not ready. */
  isReady(): Promise<boolean>;
}

export interface SystemDeps {
  checks: ReadinessCheck[];
  registry: Registry;
  clock: Clock;
}

/** A check that has not answered by then counts as not ready, ms. */
const READINESS_TIMEOUT_MS = 3000;

const verdict = z.enum(['ok', 'failed']);

/** Liveness, readiness and metrics: outside the rate limit, so that no caller can use up what an operator needs. */
export function systemRoutes(deps: SystemDeps): Route[] {
  const common = { tag: 'System', auth: { access: 'public' }, isUnlimited: true } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/healthz',
      summary: 'Whether the process is alive',
      answers: { 200: z.strictObject({ status: z.literal('ok') }) },
      handle: async () => ({ status: 200, data: { status: 'ok' as const } }),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/readyz',
      summary: 'Whether this controller can serve requests',
      errors: ['SERVICE_UNAVAILABLE'],
      answers: { 200: z.strictObject({ status: z.literal('ready'), checks: z.record(z.string(), verdict) }) },
      handle: async () => {
        const checks = Object.fromEntries(await Promise.all(deps.checks.map(async (check) => [check.name, await verdictOf(check, deps.clock)] as const)));
        const failed = Object.keys(checks).filter((name) => checks[name] === 'failed');
        if (failed.length > 0) throw new AppError('SERVICE_UNAVAILABLE', `Not ready: ${failed.join(', ')}`, { details: { checks } });
        return { status: 200, data: { status: 'ready' as const, checks } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/metrics',
      summary: 'Metrics in Prometheus text format',
      answers: { 200: { contentType: deps.registry.contentType } },
      handle: async () => ({ status: 200, raw: await deps.registry.metrics() }),
    }),
  ];
}

function verdictOf(check: ReadinessCheck, clock: Clock): Promise<'ok' | 'failed'> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(READINESS_TIMEOUT_MS, () => resolve('failed'));
    check
      .isReady()
      .catch(() => false)
      .then((isReady) => {
        timer.cancel();
        resolve(isReady ? 'ok' : 'failed');
      }, () => resolve('failed'));
  });
}
