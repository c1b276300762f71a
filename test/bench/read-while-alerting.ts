import { join } from 'node:path';
import type { ApiSession } from '../helpers/api-session.ts';
import { passTime } from '../helpers/pass-time.ts';
import { measureAlerts } from './alerts.ts';
import { percentile } from './cpu.ts';
import type { Metric } from './metrics.ts';
import type { ReadFigures } from './reader-process.ts';
import { startPageReaders } from './readers.ts';
import { print } from './report.ts';

const READERS = 2000;
/** Interval at which each reader loads the page: 1,000 pages a second in total. */
const READ_INTERVAL_MS = 2000;
const SHOWN_MONITORS = 200;
const LIST_PAGE_SIZE = 100;
/** Time until all readers have connected or left. */
const SETTLE_MS = 2 * READ_INTERVAL_MS;
/** Whether there are readers in each quarter of the outages, so that warm-up and growth favour neither case. */
const QUARTERS = [false, true, true, false];

/** Time to an alert with 2,000 readers of a status page at one controller, and without them. */
export const readWhileAlerting: Metric = async ({ outdir, scale }) => {
  const bundles = { target: join(outdir, 'target.mjs'), receiver: join(outdir, 'receiver.mjs') };
  const readers = startPageReaders(join(outdir, 'page-readers.mjs'));
  const outages = QUARTERS.length * Math.round(100 * scale);
  const hasReaders = (outage: number) => QUARTERS[Math.floor((outage / outages) * QUARTERS.length)] === true;
  const read: ReadFigures[] = [];
  let page = '';
  let areReading = false;
  let startedAt = 0;
  let readMs = 0;
  const leave = async () => {
    readMs += performance.now() - startedAt;
    read.push(await readers.end());
  };
  try {
    const figures = await measureAlerts({
      steady: Math.round(4800 * scale), outages, intervalS: 5, settleS: 15, bundles,
      beforeOutage: async (outage, { url, session }) => {
        if (page === '') page = url + (await publishPage(session));
        if (hasReaders(outage) === areReading) return;
        areReading = !areReading;
        if (areReading) {
          startedAt = performance.now();
          readers.start(page, READERS, READ_INTERVAL_MS);
        } else await leave();
        await passTime(SETTLE_MS);
      },
    });
    const times = (isRead: boolean) =>
      [...figures.byOutage].filter(([outage]) => hasReaders(outage) === isRead).map(([, ms]) => ms);
    const reads = read.reduce((sum, each) => sum + each.reads, 0);
    const line = (what: string, share: number) => print({
      metric: '12', what: `first failing result to webhook, ${what}, ${READERS} readers`, unit: 'ms',
      ours: [percentile(times(true), share)], theirs: [percentile(times(false), share)], floor: { max: 1.2 },
    });
    return [
      line('p50', 0.5), line('p99', 0.99),
      print({
        metric: '12', what: 'failed page loads, and outages without an alert', unit: '', theirs: null,
        ours: [read.reduce((sum, each) => sum + each.failed, figures.missing)], limit: { max: 0 },
        note: `${Math.round(reads / (readMs / 1000))} pages/s beside ${Math.round(figures.checksPerS)} results/s`,
      }),
      print({
        metric: '12', what: `a status page meanwhile, p99`, ours: read.map(({ p99Ms }) => p99Ms), theirs: null,
        unit: 'ms',
      }),
    ];
  } finally {
    readers.stop();
  }
};

/** Publishes a page with the newest monitors. Returns its path. */
async function publishPage(session: ApiSession): Promise<string> {
  const ids: string[] = [];
  while (ids.length < SHOWN_MONITORS) {
    const { monitors } = await session.ok<{ monitors: { id: string }[] }>(
      'GET', `/api/monitors?limit=${LIST_PAGE_SIZE}&offset=${ids.length}`,
    );
    ids.push(...monitors.map(({ id }) => id));
  }
  const { projects } = await session.ok<{ projects: { id: string }[] }>('GET', '/api/projects');
  const pages = `/api/projects/${projects[0]?.id}/status-pages`;
  const { status_page: { id } } = await session.ok<{ status_page: { id: string } }>(
    'POST', pages, { name: 'Bench', subdomain: 'bench' },
  );
  const monitors = ids.map((monitor_id) => ({ monitor_id }));
  await session.ok('PUT', `${pages}/${id}/monitors`, { monitors });
  await session.ok('POST', `${pages}/${id}/publish`);
  return '/status/bench';
}
