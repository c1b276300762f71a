import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { DEFAULT_SETTINGS, type PageDoc } from '../../controller/status-pages/page.ts';
import { newId } from '../../shared/ids.ts';
import { cpuMs, pin, pinned } from './cpu.ts';
import { Installation } from './installation.ts';
import type { Metric } from './metrics.ts';
import { giveHistory } from './population.ts';
import { startPageReaders, type PageReaders } from './readers.ts';
import { print } from './report.ts';

const MONITORS = 200;
const READERS = 50;
const READS = 40_000;
/** Rounds that don't count: code that runs once a second is compiled within a minute. */
const WARM_UP = 4;

type Monitor = Pick<MonitorDoc, '_id' | 'organization_id' | 'project_id'>;

interface PageResponse {
  headers: string[];
  body: Buffer;
}

/** Requests per CPU second for a status page with 200 monitors, against `node:http` sending the same bytes. */
export const pageServing: Metric = async ({ outdir, bundles, rounds, scale }) => {
  const one = await Installation.start(bundles, MONITORS);
  await giveHistory(one.db, await monitorIds(one, MONITORS));
  const path = await publishPage(one, MONITORS);
  const page = await read(one.url + path);
  const bare = await startBare(join(outdir, 'bare-page.mjs'), page);
  // Readers use the other core.
  pin(0, one.pid);
  const readers = startPageReaders(join(outdir, 'page-readers.mjs'));
  const rate: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  try {
    const count = Math.round(READS * scale);
    for (let round = -WARM_UP; round < rounds; round += 1) {
      const ours = await perCpuSecond(readers, one.url + path, one.pid, count);
      const theirs = await perCpuSecond(readers, bare.url, bare.pid, count);
      if (round < 0) continue;
      rate.ours.push(ours);
      rate.bare.push(theirs);
    }
  } finally {
    bare.stop();
    readers.stop();
    await one.stop();
  }
  return [
    print({
      metric: '12', what: 'a status page of 200 monitors, against the same bytes', ours: rate.ours,
      theirs: rate.bare, unit: '/s of CPU', floor: { min: 0.8 },
    }),
    print({
      metric: '12', what: 'the page as it is sent, compressed', ours: [page.body.length / 1000], theirs: null,
      unit: 'kB', limit: { max: 100 },
    }),
  ];
};

/** The first monitor ids in order. */
async function monitorIds({ db }: Installation, count: number): Promise<string[]> {
  return (await monitorsOf(db, count)).map(({ _id }) => _id);
}

function monitorsOf(db: Installation['db'], count: number): Promise<Monitor[]> {
  return db.collection<Monitor>('monitors').find().sort({ _id: 1 }).limit(count).toArray();
}

/** Publishes a page with the first `count` monitors. Returns its path. */
export async function publishPage({ db }: Installation, count: number): Promise<string> {
  const monitors = await monitorsOf(db, count);
  const { organization_id, project_id } = monitors[0] as Monitor;
  const at = Date.now();
  await db.collection<PageDoc>('status_pages').insertOne({
    ...DEFAULT_SETTINGS, _id: newId(at), organization_id, project_id, subdomain: 'bench', name: 'Bench',
    status: 'published', branding: null, verified_domain: null, last_published_at: at, created_at: at, updated_at: at,
    components: monitors.map(({ _id }, order) => ({
      monitor_id: _id, display_name: null, group_name: `Group ${order % 10}`, display_order: order,
      is_visible: true, created_at: at,
    })),
  });
  return '/status/bench';
}

/** Requests like a browser. */
async function read(url: string): Promise<PageResponse> {
  const headers = { 'accept-encoding': 'gzip, deflate, br', 'accept-language': 'en' };
  const [response] = (await once(get(url, { agent: false, headers }), 'response')) as [IncomingMessage];
  const body = await buffer(response);
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${body.toString()}`);
  return { headers: response.rawHeaders, body };
}

async function perCpuSecond(readers: PageReaders, url: string, pid: number, count: number): Promise<number> {
  const before = cpuMs([pid]);
  await readers.readAll(url, READERS, count);
  return count / ((cpuMs([pid]) - before) / 1000);
}

/** A process that responds to everything with the same bytes. */
async function startBare(bundle: string, { headers, body }: PageResponse) {
  const [command, args] = pinned(0, process.execPath, [bundle]);
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send({ headers, body: body.toString('base64') });
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}
