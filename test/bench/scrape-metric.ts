import { get } from 'node:http';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { systemClock } from '../../shared/time.ts';
import { until } from '../helpers/until.ts';
import { ensureDebianPackages } from '../services/packages.ts';
import { serviceFolder, startService, type Service } from '../services/service.ts';
import { cpuMs, memoryOf } from './cpu.ts';
import { Installation } from './installation.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';

const MONITORS = 100_000;
const SCRAPE_INTERVAL_S = 10;
/** Scrapes by Prometheus, after a first one in which it creates all series. */
const MIN_SCRAPES = 5;
const SAMPLE_INTERVAL_MS = 20;
const MAX_SCRAPE_MS = 2000;
const MAX_GROWTH_MB = 50;
const FIRST_SCRAPES = { timeoutMs: 3_600_000, everyMs: 2000 };

interface Read {
  ms: number;
  cpuMs: number;
  bytes: number;
  isComplete: boolean;
}

/** How long a scrape of all monitors takes, by itself and by Prometheus, and what it costs the controller. */
export const scrapes: Metric = async ({ bundles, rounds, scale, size }) => {
  await ensureDebianPackages('prometheus');
  const monitors = size('monitors', Math.round(MONITORS * scale));
  const one = await Installation.start(bundles, monitors);
  let prometheus: Service | null = null;
  try {
    const memory = watchMemory(one.pid);
    const before = memory.current();
    const startedAt = performance.now();
    await until(async () => (await read(one, 'identity')).isComplete, { ...FIRST_SCRAPES, what: 'all uptimes are read' });
    const loadedMs = performance.now() - startedAt;
    const held = memory.current();
    memory.reset();
    const reads = { identity: [] as Read[], gzip: [] as Read[] };
    for (let round = 0; round < Math.max(rounds, 2); round += 1) {
      for (const encoding of ['identity', 'gzip'] as const) reads[encoding].push(await read(one, encoding));
    }
    const port = await freePort();
    prometheus = await startPrometheus(one, port);
    const ask = async (query: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`);
      const { data } = (await response.json()) as { data: { result: { values: [number, string][] }[] } };
      return (data.result[0]?.values ?? []).map(([, value]) => Number(value));
    };
    const durations = await until(async () => {
      const found = await ask('scrape_duration_seconds[1h]');
      return found.length > MIN_SCRAPES && found;
    }, { timeoutMs: 600_000, everyMs: 1000, what: 'Prometheus has scraped' });
    const [healthy, samples] = [await ask('up[1h]'), await ask('scrape_samples_scraped[1h]')];
    if (healthy.includes(0)) throw new Error(`a scrape failed: ${healthy.join()}`);
    const peak = memory.stop();
    const lines = (encoding: keyof typeof reads) => print({
      metric: 'scrape', what: `${monitors} monitors, ${encoding}`, ours: reads[encoding].map(({ ms }) => ms), theirs: null,
      unit: 'ms', limit: { max: MAX_SCRAPE_MS },
      note: `${megabytes(reads[encoding][0]?.bytes)} MB; ${Math.round(reads[encoding].at(-1)?.cpuMs ?? 0)} ms of CPU`,
    });
    return [
      lines('identity'), lines('gzip'),
      print({
        metric: 'scrape', what: `${samples.at(-1)} samples in Prometheus, with parsing and appending`,
        ours: durations.slice(1).map((seconds) => seconds * 1000), theirs: null, unit: 'ms', limit: { max: MAX_SCRAPE_MS },
        note: `the first one: ${Math.round((durations[0] ?? 0) * 1000)} ms`,
      }),
      print({
        metric: 'scrape', what: 'growth of the controller, at its peak', ours: [peak - before], theirs: null, unit: 'MB',
        limit: { max: MAX_GROWTH_MB },
        note: `from ${Math.round(before)} MB; held: ${Math.round(held - before)} MB; uptimes read in ${Math.round(loadedMs)} ms`,
      }),
    ];
  } finally {
    await prometheus?.stop();
    await one.stop();
  }
};

function read(one: Installation, encoding: 'identity' | 'gzip'): Promise<Read> {
  const [startedAt, cpuBefore] = [performance.now(), cpuMs([one.pid])];
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${one.token}`, 'accept-encoding': encoding };
    const request = get(`${one.url}/api/metrics`, { headers }, (response) => {
      let [bytes, end] = [0, ''];
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        end = part.toString('latin1').slice(-100);
      });
      response.on('error', reject);
      response.on('end', () => resolve({
        bytes, ms: performance.now() - startedAt, cpuMs: cpuMs([one.pid]) - cpuBefore,
        isComplete: end.includes('farwatch_scrape_complete 1'),
      }));
    });
    request.on('error', reject);
  });
}

/** MB of the process that no file holds; `stop` returns the most since `reset`. */
function watchMemory(pid: number) {
  const current = () => memoryOf(pid).anonymousMb;
  let peak = 0;
  const timer = systemClock.setRepeating(SAMPLE_INTERVAL_MS, () => (peak = Math.max(peak, current())));
  return {
    current,
    reset: () => (peak = 0),
    stop: () => {
      timer.cancel();
      return peak;
    },
  };
}

async function startPrometheus(one: Installation, port: number): Promise<Service> {
  const { host } = new URL(one.url);
  const job = {
    job_name: 'farwatch', metrics_path: '/api/metrics', static_configs: [{ targets: [host] }],
    authorization: { credentials: one.token },
  };
  const interval = `${SCRAPE_INTERVAL_S}s`;
  return startService({
    program: '/usr/bin/prometheus', dir: serviceFolder('prometheus'), ports: [port],
    args: ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
    files: {
      // JSON is valid YAML.
      'prometheus.yaml': JSON.stringify({ global: { scrape_interval: interval, scrape_timeout: interval }, scrape_configs: [job] }),
      'data/': '',
    },
  });
}

function megabytes(bytes = 0): number {
  return Math.round(bytes / 100_000) / 10;
}
