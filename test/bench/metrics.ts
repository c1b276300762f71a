import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alertLatency, queuedBehindHanging } from './alert-metrics.ts';
import { chainCpu, chainMemory, chainRates, littleMemory } from './chain-metrics.ts';
import { consoleInBrowser } from './console-metric.ts';
import { dnsCheck, httpCheck, httpsCheck } from './check-metrics.ts';
import { startDatabase } from './database.ts';
import { detectionLatency } from './detection/metric.ts';
import { fleetGrowth } from './fleet/metric.ts';
import { pings } from './icmp-metric.ts';
import { lateness } from './lateness-metric.ts';
import { memoryPerMonitor } from './memory-metric.ts';
import { falseAlerts } from './noise/metric.ts';
import { readScaling } from './read-scaling.ts';
import { readWhileAlerting } from './read-while-alerting.ts';
import { coldStart } from './recovery-metric.ts';
import { scrapes } from './scrape-metric.ts';
import { overload } from './overload-metric.ts';
import { takeover } from './takeover-metric.ts';
import { pageServing } from './page-metric.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';
import { busOverWebSocket, transport } from './transport-metric.ts';

export interface BenchOptions {
  /** Directory of the bench's own bundles; the product's are in `bundles`. */
  outdir: string;
  bundles: string;
  /** The checkout. */
  root: string;
  rounds: number;
  /** Share of the full workload, from 0 to 1. */
  scale: number;
  /** Whether an hour's events take an hour. */
  isLong: boolean;
  /** The number given as `--name=`. */
  size(name: string, otherwise: number): number;
}

export type Metric = (options: BenchOptions) => Promise<(boolean | null)[]>;

/** Results stored per CPU second of controller and database, against one document per result. */
const ingest: Metric = async ({ outdir, bundles, rounds, scale }) => {
  const rate: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [mine, load] of [['ours', 'ingestResults'], ['bare', 'bareIngest']] as const) {
      const database = await startDatabase(bundles);
      try {
        const monitors = Math.round((mine === 'ours' ? 3300 : 1000) * scale);
        const options = {
          url: database.url, databasePid: database.pid, monitors, hours: mine === 'ours' ? 2 : 1, regions: 3,
        };
        const { cpuMs: used, figures } = await runWorker<{ results: number }>(outdir, load, options);
        rate[mine].push(figures.results / (used / 1000));
      } finally {
        await database.stop();
      }
    }
  }
  return [print({
    metric: '8', what: 'results stored per CPU second, against insertMany', ours: rate.ours,
    theirs: rate.bare, unit: '/s', floor: { min: 3 },
  })];
};

/** Bytes on disk per result, including indexes and rollups. */
const bytes: Metric = async ({ outdir, bundles, scale }) => {
  const perResult = async (load: string, monitors: number, hours: number): Promise<number> => {
    const database = await startDatabase(bundles);
    try {
      const { figures } =
        await runWorker<{ results: number }>(outdir, load, { url: database.url, monitors, hours });
      return (await database.bytes()) / figures.results;
    } finally {
      await database.stop();
    }
  };
  const hours = Math.max(2, Math.round(17 * scale));
  const ours = await perResult('storeBlocks', 1000, hours);
  const bare = await perResult('bareBlocks', 500, Math.max(1, Math.round(7 * scale)));
  const kuma = sqliteBytes(Math.round(1_000_000 * scale));
  return [
    print({
      metric: '9', what: 'bytes on disk per result, against a heartbeat table in SQLite', ours: [ours],
      theirs: kuma === null ? null : [kuma], unit: 'B', floor: { max: 0.1 },
      ...(kuma === null ? { note: 'no sqlite3 on the PATH' } : {}),
    }),
    print({
      metric: '9', what: 'bytes on disk per result, against one document per result', ours: [ours],
      theirs: [bare], unit: 'B',
    }),
  ];
};

function inTurn(...metrics: Metric[]): Metric {
  return async (options) => {
    const outcomes: (boolean | null)[] = [];
    for (const metric of metrics) outcomes.push(...(await metric(options)));
    return outcomes;
  };
}

/** By number, in the order they run. */
export const METRICS: Record<string, Metric> = {
  '1': httpCheck, '2': httpsCheck, '3': pings, '4': dnsCheck, '5': lateness, '6': memoryPerMonitor, '7': transport, '8': ingest,
  '9': bytes, '10': inTurn(detectionLatency, alertLatency), '11': falseAlerts,
  '12': inTurn(pageServing, readWhileAlerting, readScaling), '14': inTurn(coldStart, takeover), '15': chainCpu,
  '16': queuedBehindHanging, '17': inTurn(chainMemory, littleMemory), '18': overload, takeover,
  rate: chainRates, bus: busOverWebSocket, fleet: fleetGrowth, scrape: scrapes,
  console: consoleInBrowser,
};

/** Bytes per row of an SQLite table with the columns and indexes of Uptime Kuma's heartbeats; null without sqlite3. */
function sqliteBytes(rows: number): number | null {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
  const file = join(dir, 'beats.db');
  const sql = `
    create table beat (id integer primary key autoincrement, important boolean, monitor_id integer, status smallint, msg text, time datetime, ping integer, duration integer, down_count integer, end_time datetime, retries integer);
    create index beat_monitor on beat (monitor_id);
    create index beat_important on beat (important);
    create index beat_monitor_time on beat (monitor_id, time);
    create index beat_monitor_important_time on beat (monitor_id, important, time);
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${rows - 1})
    insert into beat (important, monitor_id, status, msg, time, ping, duration, down_count, end_time, retries)
    select 0, i % 1000, 1, '200 - OK', strftime('%Y-%m-%d %H:%M:%f', 1790000000 + i / 16, 'unixepoch'), 80 + i % 17, 60, 0, strftime('%Y-%m-%d %H:%M:%f', 1790000000 + i / 16, 'unixepoch'), 0 from n;
    vacuum;`;
  try {
    execFileSync('sqlite3', [file], { input: sql });
    return statSync(file).size / rows;
  } catch {
    return null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
