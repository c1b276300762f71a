import { z } from 'zod';
import { within, type Clock } from '../../../shared/time.ts';
import { AppError } from '../../errors/app-error.ts';
import { fieldError } from '../input/validation.ts';
import type { WebSocketHandler } from '../responses/web-sockets.ts';
import { defineRoute, ok, type Route } from '../routing/route.ts';

/** A dependency that this controller needs to serve requests. */
export interface ReadinessCheck {
  name: string;
  /** False or a rejection means not ready. */
  isReady(): Promise<boolean>;
}

interface SystemDeps {
  checks: ReadinessCheck[];
  clock: Clock;
}

/** A check that takes longer counts as failed. */
const READINESS_TIMEOUT_MS = 3000;

const readiness = z.enum(['ok', 'failed']);

/** Exempt from the rate limit, so that an operator can always reach it, and probes after a long outage. */
const common = { method: 'GET', tag: 'System', auth: { access: 'public' }, isUnlimited: true } as const;

/** Liveness and readiness. */
export function systemRoutes({ checks, clock }: SystemDeps): Route[] {
  return [
    defineRoute({
      ...common, path: '/healthz', summary: 'Whether the process is alive',
      responses: { 200: z.strictObject({ status: z.literal('ok') }) },
      handle: async () => ok({ status: 'ok' as const }),
    }),
    defineRoute({
      ...common, path: '/readyz', summary: 'Whether this controller can serve requests',
      errors: ['SERVICE_UNAVAILABLE'],
      responses: { 200: z.strictObject({ status: z.literal('ready'), checks: z.record(z.string(), readiness) }) },
      handle: async () => {
        const outcomes = await Promise.all(checks.map((check) => run(check, clock)));
        const failed = outcomes.filter(([, outcome]) => outcome === 'failed').map(([name]) => name);
        const details = { checks: Object.fromEntries(outcomes) };
        if (failed.length > 0) {
          throw new AppError('SERVICE_UNAVAILABLE', `Not ready: ${failed.join(', ')}`, { details });
        }
        return ok({ status: 'ready' as const, ...details });
      },
    }),
  ];
}

/** The path to the bus, below the address of the API. */
export const BUS_PATH = '/api/bus';

/** NATS over a WebSocket. NATS authenticates the client. `open` is null while NATS is away. */
export function busRoute(open: () => WebSocketHandler | null): Route {
  return defineRoute({
    ...common, tag: 'Probes', path: BUS_PATH, summary: 'Connect to the bus, for probes and subscriptions',
    description: 'Upgrades to a WebSocket that carries the NATS protocol in binary frames. NATS checks the key of the probe '
      + 'or subscription. Text frames close the connection with 1003, frames above the `max_payload` of NATS with 1009.',
    responses: { 101: { contentType: 'application/octet-stream', isUpgrade: true } },
    handle: async ({ isUpgrade }) => {
      if (isUpgrade !== true) throw fieldError('upgrade', 'Connect with a WebSocket');
      const webSocket = open();
      if (webSocket === null) throw new AppError('SERVICE_UNAVAILABLE', 'NATS is unavailable; try again');
      return { status: 101 as const, webSocket };
    },
  });
}

interface MetricsSource {
  contentType: string;
  scrape(): Promise<string>;
}

/** Public unless `token` is set. */
export function metricsRoute({ contentType, scrape }: MetricsSource, token: string | null): Route {
  return defineRoute({
    ...common, path: '/metrics', summary: 'Metrics in Prometheus text format',
    ...(token === null ? {} : { bearer: token }),
    responses: { 200: { contentType } },
    handle: async () => ({ status: 200, raw: await scrape() }),
  });
}

async function run(check: ReadinessCheck, clock: Clock): Promise<[string, z.infer<typeof readiness>]> {
  const isReady = await within(clock, READINESS_TIMEOUT_MS, check.isReady()).catch(() => false);
  return [check.name, isReady === true ? 'ok' : 'failed'];
}
