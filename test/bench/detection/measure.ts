import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiSession } from '../../helpers/api-session.ts';
import { startFarwatch, type Farwatch } from '../../helpers/farwatch.ts';
import { passTime } from '../../helpers/pass-time.ts';
import { randomOf } from '../../helpers/random-of.ts';
import { until } from '../../helpers/until.ts';
import { startExtraProbe, type ExtraProbe } from '../extra-probe.ts';
import { startBenchReceiver, type BenchReceiver } from '../receiver.ts';
import { startWorker } from '../run-worker.ts';
import { FaultTargets, type FaultKind, type FaultTarget } from './fault-targets.ts';

export interface Detection {
  kind: FaultKind;
  /** From the fault to the product's webhook, and from its first failing check to the webhook. Ms. */
  alertMs: number;
  confirmMs: number;
  /** From the fault to the poller's post, ms. */
  pollerMs: number;
}

export interface Detections {
  found: Detection[];
  /** Faults that one of the two did not report. */
  missing: number;
  /** Faults that one of the two reported before they started: the machine was too busy for its checks. */
  premature: number;
}

export interface DetectionOptions {
  outdir: string;
  /** farwatch.mjs of the checkout. */
  start: string;
  faults: number;
  intervalMs: number;
  timeoutMs: number;
  /** The faults are spread at random over this time. */
  spreadMs: number;
}

const ALERT_TIMEOUT_MS = 60_000;

/**
 * Breaks targets one by one at random times, monitored by a whole installation with three regions and by a poller that
 * checks as often as all three together.
 */
export async function measureDetection(options: DetectionOptions): Promise<Detections> {
  const { outdir, faults, intervalMs, timeoutMs, spreadMs } = options;
  const directory = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
  const faultTargets = new FaultTargets();
  const receiver = await startBenchReceiver(join(outdir, 'receiver.mjs'));
  const running: { stop(): unknown }[] = [
    receiver, { stop: () => faultTargets.close() },
    { stop: () => rmSync(directory, { recursive: true, force: true }) },
  ];
  try {
    const targets = await faultTargets.listen(faults);
    const roots = join(directory, 'roots.pem');
    writeFileSync(roots, faultTargets.roots);
    const { session, stop } =
      await startRegions({ directory, start: options.start, roots, nameServer: faultTargets.nameServer });
    running.unshift({ stop });
    await createMonitors(session, targets, { receiver, intervalMs, timeoutMs });
    const poller = startWorker(outdir, 'firstFailurePoller', {
      targets: targets.map(({ name, url }) => ({ name, url })), intervalMs: intervalMs / 3, timeoutMs,
      nameServer: faultTargets.nameServer, roots: faultTargets.roots, receiver: `http://127.0.0.1:${receiver.port}/direct`,
      forMs: 3_600_000,
    }, 1);
    running.unshift({ stop: () => poller.child.kill('SIGKILL') });
    poller.outcome.catch(() => undefined);
    await poller.ready;
    // By then, every region has checked every target.
    await passTime(intervalMs * 1.5);
    const brokenAt = await breakAll(targets, spreadMs);
    await until(async () => (await receiver.received()).length >= 2 * faults, {
      timeoutMs: ALERT_TIMEOUT_MS, everyMs: 500,
    }).catch(() => undefined);
    return paired(targets, brokenAt, await receiver.received());
  } finally {
    for (const one of running) await one.stop();
  }
}

async function startRegions(
  { directory, start, roots, nameServer }: { directory: string; start: string; roots: string; nameServer: string },
): Promise<{ session: ApiSession; stop: () => Promise<void> }> {
  const env = { NODE_EXTRA_CA_CERTS: roots, PROBE_DNS_SERVERS: nameServer };
  const farwatch: Farwatch = await startFarwatch({
    env: { MIN_INTERVAL_SECONDS: '1', ALLOW_PRIVATE_DESTINATIONS: 'true', RATE_LIMIT: '1000000', LOG_LEVEL: 'info', ...env },
  });
  const probes: ExtraProbe[] = [];
  const stop = async (): Promise<void> => {
    for (const probe of probes) await probe.stop();
    await farwatch.stop();
  };
  try {
    const session = await new ApiSession(farwatch.url).begin();
    for (const region of ['second', 'third']) {
      probes.push(await startExtraProbe({
        url: farwatch.url, session, region, name: `${region}-1`, dataDir: join(directory, region), start, env,
      }));
    }
    return { session, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resolves when all monitors are up. */
async function createMonitors(
  session: ApiSession, targets: readonly FaultTarget[],
  { receiver, intervalMs, timeoutMs }: { receiver: BenchReceiver; intervalMs: number; timeoutMs: number },
): Promise<void> {
  await session.ok('POST', '/api/integrations', {
    name: 'On call', type: 'webhook', is_default: true, config: { url: `http://127.0.0.1:${receiver.port}/alert` },
  });
  const { regions } = await session.ok<{ regions: { id: string }[] }>('GET', '/api/regions');
  const monitors = await Promise.all(targets.map(({ name, url }) => session.ok<{ monitor: { id: string } }>(
    'POST', '/api/monitors', {
      name, type: 'HTTP', target: url, interval_seconds: intervalMs / 1000, timeout_ms: timeoutMs,
      monitoring_regions: regions.map(({ id }) => id), confirmation_policy: { regions: 'majority', retries: 1 },
    },
  )));
  for (const { monitor: { id } } of monitors) {
    await until(async () => {
      const { monitor } = await session.ok<{ monitor: { runtimeStatus: string } }>('GET', `/api/monitors/${id}`);
      return monitor.runtimeStatus === 'up';
    }, { everyMs: 200, what: 'all monitors are up' });
  }
}

/** Resolves to the time when each target broke, Unix ms with fraction, by name. */
async function breakAll(targets: readonly FaultTarget[], spreadMs: number): Promise<Map<string, number>> {
  const random = randomOf(10);
  const order = targets.map((target) => ({ target, afterMs: random() * spreadMs }))
    .sort((a, b) => a.afterMs - b.afterMs);
  const brokenAt = new Map<string, number>();
  const startedAt = performance.now();
  for (const { target, afterMs } of order) {
    await passTime(Math.max(0, startedAt + afterMs - performance.now()));
    target.break();
    brokenAt.set(target.name, performance.timeOrigin + performance.now());
  }
  return brokenAt;
}

function paired(
  targets: readonly FaultTarget[], brokenAt: ReadonlyMap<string, number>,
  received: Awaited<ReturnType<BenchReceiver['received']>>,
): Detections {
  const found: Detection[] = [];
  let [missing, premature] = [0, 0];
  for (const { name, kind } of targets) {
    const at = brokenAt.get(name) as number;
    const of = (wanted: string) => received.find(({ path, name: who }) => path === wanted && who === name);
    const [alert, direct] = [of('/alert'), of('/direct')];
    if (!alert || !direct) missing += 1;
    else if (alert.at < at || direct.at < at) premature += 1;
    else found.push({ kind, alertMs: alert.at - at, confirmMs: alert.at - alert.startedAt, pollerMs: direct.at - at });
  }
  return { found, missing, premature };
}
