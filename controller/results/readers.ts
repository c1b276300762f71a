import type { Clock } from '../../shared/time.ts';
import { Agreements } from './reading/agreements.ts';
import { CertificateReader, certificateQuery, type CertificateReaderDeps } from './reading/certificates.ts';
import { DailyUptimes } from './reading/daily-uptimes.ts';
import { MonitorHistory, type HistoryDeps } from './reading/history/monitor-history.ts';
import { StoredHours, type StoredHoursDeps } from './reading/history/stored-hours.ts';
import { MetricsReader } from './reading/metrics/metrics-reader.ts';
import { HealthReader, healthQuery } from './reading/project-health.ts';
import { LatestChecks } from './reading/recent/latest-checks.ts';
import { RecentHours } from './reading/recent/recent-hours.ts';
import { UnwrittenReader, type UnwrittenReaderDeps } from './reading/recent/unwritten-reader.ts';
import { unwrittenRows, unwrittenRowsQuery } from './reading/recent/unwritten-rows.ts';
import { Statistics, type RollupReader } from './reading/statistics.ts';
import type { ShardQueries, ShardQuery } from './shards/shard-queries.ts';

export interface ReaderStores {
  states: { find: UnwrittenReaderDeps['stored'] };
  rollups: RollupReader & StoredHoursDeps['rollups'];
  certificates: CertificateReaderDeps['certificates'];
  changes: HistoryDeps['changes'];
}

interface ReadersDeps {
  clock: Clock;
  stores: ReaderStores;
  queries: ShardQueries;
}

/** Everything that reads results: from documents, and from the memory of the shards' owners. */
export class ResultReaders {
  readonly latest = new LatestChecks();
  readonly unwritten: UnwrittenReader;
  readonly statistics: Statistics;
  readonly dailyUptimes: DailyUptimes;
  /** Data for overviews of many monitors. */
  readonly overview: { days: DailyUptimes; hours: RecentHours };
  readonly history: MonitorHistory;
  readonly storedHours: StoredHours;
  readonly certificates: CertificateReader;
  readonly health: HealthReader;
  readonly agreements: Agreements;
  readonly metrics: MetricsReader;
  /** The queries to which this controller responds. */
  readonly served: readonly ShardQuery<unknown, unknown>[];

  constructor({ clock, stores, queries }: ReadersDeps) {
    this.unwritten = new UnwrittenReader({
      clock, owners: queries, stored: (ids) => stores.states.find(ids),
    });
    const readerDeps = {
      clock, rollups: stores.rollups, unwritten: this.unwritten,
      readUnwrittenRows: (monitorId: string, hour: number, after: number) =>
        unwrittenRows(queries, monitorId, hour, after),
    };
    this.statistics = new Statistics({
      latest: async (projectId) => {
        const params = { project_id: projectId };
        const responses = await Promise.all(queries.shardMap.all.map((shard) =>
          queries.request(shard, this.latest.query, params)));
        return responses.flat();
      },
      ...readerDeps,
    });
    this.dailyUptimes = new DailyUptimes(readerDeps, 'evict the oldest');
    this.overview = {
      days: new DailyUptimes(readerDeps, 'keep valid entries'), hours: new RecentHours(readerDeps),
    };
    this.health = new HealthReader(queries, clock);
    this.agreements = new Agreements(queries);
    this.metrics = new MetricsReader({ clock, rollups: stores.rollups, owners: queries });
    this.history = new MonitorHistory({
      clock, owners: queries, rollups: stores.rollups, changes: stores.changes,
    });
    this.storedHours = new StoredHours({ owners: queries, rollups: stores.rollups });
    this.certificates = new CertificateReader({
      owners: queries, stored: (ids) => stores.states.find(ids), certificates: stores.certificates,
    });
    this.served = [
      this.unwritten.query, this.unwritten.liveQuery, this.latest.query, unwrittenRowsQuery, healthQuery,
      certificateQuery, this.agreements.query, this.metrics.query,
    ];
  }
}
