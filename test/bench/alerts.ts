import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiSession } from '../helpers/api-session.ts';
import { startFarwatch } from '../helpers/farwatch.ts';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { counterOf, RESULTS } from './chain.ts';
import { startBenchReceiver, type BenchReceiver } from './receiver.ts';
import { startBenchTarget } from './target.ts';

export interface AlertFigures {
  /** Per outage: from the start of its first failing check until the webhook arrives. */
  confirmedMs: number[];
  /** Per outage: from that check at the target until a direct, unconfirmed post arrives. */
  directMs: number[];
  checksPerS: number;
  /** Outages whose webhook never arrived. */
  missing: number;
  /** The values of `confirmedMs` by outage number. */
  byOutage: Map<number, number>;
}

interface AlertOptions {
  steady: number;
  outages: number;
  intervalS: number;
  settleS: number;
  bundles: { target: string; receiver: string };
  /** Called before each outage; what it starts runs alongside the alerts. */
  beforeOutage?: (outage: number, of: { url: string; session: ApiSession }) => Promise<void>;
}

/** Ms between two outages, chosen to hit all phases of the interval. */
const OUTAGE_GAP_MS = 150;
const ALERT_TIMEOUT_MS = 30_000;

/** Runs the whole product under load; monitors go down one after another and stay down. */
export async function measureAlerts(options: AlertOptions): Promise<AlertFigures> {
  const { steady, outages, intervalS, bundles } = options;
  const [target, receiver] =
    [await startBenchTarget(bundles.target), await startBenchReceiver(bundles.receiver)];
  const failing = await FailingTarget.start((path) => postUnconfirmed(receiver, path));
  const farwatch = await startFarwatch({ env: {
    MIN_INTERVAL_SECONDS: '1', RATE_LIMIT: '100000000', LOG_LEVEL: 'warn', ALLOW_PRIVATE_DESTINATIONS: 'true',
  } });
  try {
    const session = await new ApiSession(farwatch.url).begin();
    await session.ok('POST', '/api/integrations', {
      name: 'On call', type: 'webhook', is_default: true,
      config: { url: `http://127.0.0.1:${receiver.port}/alert` },
    });
    await createMonitors(session, [
      ...Array.from(
        { length: steady }, (_, index) => ({ name: `steady ${index}`, target: `${target.url}/${index}` }),
      ),
      ...Array.from(
        { length: outages }, (_, index) => ({ name: `/${index}`, target: `${failing.url}/${index}` }),
      ),
    ], intervalS);
    await passTime(options.settleS * 1000);
    const before = { results: await counterOf(farwatch, RESULTS), at: Date.now() };
    for (let index = 0; index < outages; index += 1) {
      await options.beforeOutage?.(index, { url: farwatch.url, session });
      failing.break(`/${index}`);
      await passTime(OUTAGE_GAP_MS);
    }
    const after = { results: await counterOf(farwatch, RESULTS), at: Date.now() };
    const received = async () => (await receiver.received()).filter(({ path }) => path === '/alert');
    await until(
      async () => (await received()).length >= outages, { timeoutMs: ALERT_TIMEOUT_MS, everyMs: 500 },
    ).catch(() => undefined);
    const [confirmed, all] = [await received(), await receiver.received()];
    return {
      confirmedMs: confirmed.map(({ at, startedAt }) => at - startedAt),
      directMs: all.filter(({ path }) => path === '/direct').map(({ at, startedAt }) => at - startedAt),
      checksPerS: (after.results - before.results) / ((after.at - before.at) / 1000),
      byOutage: new Map(confirmed.map(({ name, at, startedAt }) => [Number(name.slice(1)), at - startedAt])),
      missing: outages - new Set(confirmed.map(({ name }) => name)).size,
    };
  } finally {
    await farwatch.stop();
    target.stop();
    receiver.stop();
    failing.stop();
  }
}

/**
 * A target whose paths respond with 200 until they are broken, then with 503. Reports each path's first failing check.
 */
class FailingTarget {
  readonly #server: Server;
  readonly #broken = new Map<string, 'new' | 'seen'>();

  private constructor(onFirst: (path: string) => void) {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      const state = this.#broken.get(path);
      response.writeHead(state ? 503 : 200).end();
      if (state === 'new') onFirst(path);
      if (state) this.#broken.set(path, 'seen');
    });
  }

  static async start(onFirst: (path: string) => void): Promise<FailingTarget> {
    const target = new FailingTarget(onFirst);
    await new Promise<void>((resolve) => target.#server.listen(0, '127.0.0.1', resolve));
    return target;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  break(path: string): void {
    this.#broken.set(path, 'new');
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** What a poller without confirmation, storage or retries does. */
function postUnconfirmed(receiver: BenchReceiver, name: string): void {
  const body = JSON.stringify({
    monitor: { name }, incident: { started_at: performance.timeOrigin + performance.now() },
  });
  fetch(`http://127.0.0.1:${receiver.port}/direct`, { method: 'POST', body }).catch(() => undefined);
}

async function createMonitors(
  session: ApiSession, monitors: { name: string; target: string }[], intervalS: number,
): Promise<void> {
  const queue = monitors.values();
  const worker = async (): Promise<void> => {
    for (const monitor of queue) {
      await session.ok('POST', '/api/monitors', { ...monitor, type: 'HTTP', interval_seconds: intervalS });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
