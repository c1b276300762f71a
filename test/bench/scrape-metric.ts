import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { systemClock } from '../../shared/time.ts';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { ensureDebianPackages } from '../services/packages.ts';
import { serviceFolder, startService } from '../services/service.ts';
import { cpuMs, median, memoryOf } from './cpu.ts';
import { Installation } from './installation.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';

const MONITORS = 100_000;
const SCRAPE_INTERVAL_S = 20;
/** By Prometheus, after a first scrape in which it creates all series. */
const SCRAPES = 4;
const SAMPLE_INTERVAL_MS = 20;
const SETTLE_MS = 20_000;
const MAX_SCRAPE_MS = 2000;
const MAX_GROWTH_MB = 50;
const FIRST_SCRAPES = { timeoutMs: 3_600_000, everyMs: 2000 };

interface Read {
  ms: number;
  cpuMs: number;
  body: Buffer;
}

interface PrometheusFigures {
  /** Of each scrape, with parsing and appending. */
  ms: number[];
  samples: number;
}

/**
 * How long a scrape of all monitors takes, and by how much the controller grows. Prometheus also scrapes the same bytes
 * from a server that only sends them: the rest of its time is its own.
 */
export const scrapes: Metric = async ({ bundles, rounds, scale, size }) => {
  await ensureDebianPackages('prometheus');
  const monitors = size('monitors', Math.round(MONITORS * scale));
  const one = await Installation.start(bundles, monitors);
  const memory = watchMemory(one.pid);
  try {
    await passTime(SETTLE_MS);
    const before = memory.current();
    const startedAt = performance.now();
    const isComplete = async () => gunzipSync((await read(one, 'gzip')).body).includes('\nfarwatch_scrape_complete 1\n');
    await until(isComplete, { ...FIRST_SCRAPES, what: 'all uptimes are read' });
    const loadedMs = performance.now() - startedAt;
    await passTime(SETTLE_MS);
    const held = memory.current();
    const peakWhileLoading = memory.reset();
    const ours = await scrapeByPrometheus(one.url, one.token);
    const peak = memory.stop();
    const reads = { identity: [] as Read[], gzip: [] as Read[] };
    for (let round = 0; round < Math.max(rounds, 2); round += 1) {
      for (const encoding of ['identity', 'gzip'] as const) reads[encoding].push(await read(one, encoding));
    }
    const server = await serve(reads.gzip[0]?.body ?? Buffer.alloc(0));
    const bare = await scrapeByPrometheus(server.url, one.token).finally(server.stop);
    const lines = (encoding: keyof typeof reads) => print({
      metric: 'scrape ', what: `${monitors} monitors, ${encoding}`, ours: reads[encoding].map(({ ms }) => ms), theirs: null,
      unit: 'ms', limit: { max: MAX_SCRAPE_MS },
      note: `${megabytes(reads[encoding][0])} MB; ${Math.round(median(reads[encoding].map((each) => each.cpuMs)))} ms of CPU`,
    });
    return [
      lines('identity'), lines('gzip'),
      print({
        metric: 'scrape ', what: `${ours.samples} samples appended by Prometheus, against a bare server`, ours: ours.ms,
        theirs: bare.ms, unit: 'ms',
      }),
      print({
        metric: 'scrape ', what: 'growth of the controller, at its peak', ours: [peak - before], theirs: null, unit: 'MB',
        limit: { max: MAX_GROWTH_MB },
        note: `from ${Math.round(before)} MB; between scrapes ${Math.round(held - before)} MB; ${Math.round(peakWhileLoading - before)} MB`
          + ` while uptimes are read, in ${Math.round(loadedMs)} ms`,
      }),
    ];
  } finally {
    memory.stop();
    await one.stop();
  }
};

function read(one: Installation, encoding: 'identity' | 'gzip'): Promise<Read> {
  const [startedAt, cpuBefore] = [performance.now(), cpuMs([one.pid])];
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${one.token}`, 'accept-encoding': encoding };
    const request = get(`${one.url}/api/metrics`, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const figures = { ms: performance.now() - startedAt, cpuMs: cpuMs([one.pid]) - cpuBefore };
        resolve({ body: Buffer.concat(parts), ...figures });
      });
    });
    request.on('error', reject);
  });
}

/** MB of the process that no file holds; `reset` and `stop` return the most since the last reset. */
function watchMemory(pid: number) {
  const current = () => memoryOf(pid).anonymousMb;
  let peak = 0;
  const timer = systemClock.setRepeating(SAMPLE_INTERVAL_MS, () => (peak = Math.max(peak, current())));
  return {
    current,
    reset: () => {
      const most = peak;
      peak = 0;
      return most;
    },
    stop: () => {
      timer.cancel();
      return peak;
    },
  };
}

/** Sends a compressed scrape to everyone. */
async function serve(body: Buffer): Promise<{ url: string; stop(): void }> {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'content-encoding': 'gzip' };
  const server = createServer((_request, response) => void response.writeHead(200, headers).end(body));
  const port = await freePort();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Throws if a scrape fails. */
async function scrapeByPrometheus(target: string, token: string): Promise<PrometheusFigures> {
  const port = await freePort();
  const job = {
    job_name: 'farwatch', metrics_path: '/api/metrics', static_configs: [{ targets: [new URL(target).host] }],
    authorization: { credentials: token },
  };
  const interval = `${SCRAPE_INTERVAL_S}s`;
  const prometheus = await startService({
    program: '/usr/bin/prometheus', dir: serviceFolder('prometheus'), ports: [port],
    args: ['--config.file=prometheus.yaml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
    files: {
      // JSON is valid YAML.
      'prometheus.yaml': JSON.stringify({ global: { scrape_interval: interval, scrape_timeout: interval }, scrape_configs: [job] }),
      'data/': '',
    },
  });
  const valuesOf = async (query: string): Promise<number[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?${new URLSearchParams({ query })}`);
    const { data } = (await response.json()) as { data: { result: { values: [number, string][] }[] } };
    return (data.result[0]?.values ?? []).map(([, value]) => Number(value));
  };
  try {
    const seconds = await until(async () => {
      const found = await valuesOf('scrape_duration_seconds[1h]');
      return found.length > SCRAPES && found;
    }, { timeoutMs: 600_000, everyMs: 1000, what: 'Prometheus has scraped' });
    const [healthy, samples] = [await valuesOf('up[1h]'), await valuesOf('scrape_samples_scraped[1h]')];
    if (healthy.includes(0)) throw new Error(`a scrape failed: ${healthy.join()}`);
    return { ms: seconds.slice(1).map((each) => each * 1000), samples: samples.at(-1) ?? 0 };
  } finally {
    await prometheus.stop();
  }
}

function megabytes(of: Read | undefined): number {
  return Math.round((of?.body.length ?? 0) / 100_000) / 10;
}
