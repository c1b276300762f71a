import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { MonitorDoc } from '../../controller/monitors/monitor.ts';
import { DEFAULT_SETTINGS, type PageDoc } from '../../controller/status-pages/page.ts';
import { newId } from '../../shared/ids.ts';
import { cpuMs } from './cpu.ts';
import { Installation } from './installation.ts';
import type { Metric } from './metrics.ts';
import { giveHistory } from './population.ts';
import { print } from './report.ts';

const MONITORS = 200;
const READERS = 50;
const READS = 20_000;

type Monitor = Pick<MonitorDoc, '_id' | 'organization_id' | 'project_id'>;

interface Answer {
  headers: string[];
  body: Buffer;
}

/** Requests per CPU second for a status page of 200 monitors, against `node:http` sending the same bytes. */
export const pageServing: Metric = async ({ outdir, bundles, rounds, scale }) => {
  const one = await Installation.start(bundles, MONITORS);
  const path = await publish(one);
  const answer = await read(one.url + path);
  const bare = await startBare(join(outdir, 'bare-page.mjs'), answer);
  const rate: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  try {
    const count = Math.round(READS * scale);
    for (let round = 0; round <= rounds; round += 1) {
      const ours = await perCpuSecond(one.url + path, one.pid, count);
      const theirs = await perCpuSecond(bare.url, bare.pid, count);
      // The first round is to warm up.
      if (round === 0) continue;
      rate.ours.push(ours);
      rate.bare.push(theirs);
    }
  } finally {
    bare.stop();
    await one.stop();
  }
  return [
    print({
      metric: '12', what: 'a status page of 200 monitors, against the same bytes', ours: rate.ours,
      theirs: rate.bare, unit: '/s of CPU', floor: { min: 0.95 },
    }),
    print({
      metric: '12', what: 'the page as it is sent, compressed', ours: [answer.body.length / 1000], theirs: null,
      unit: 'kB', limit: { max: 100 },
    }),
  ];
};

async function publish(one: Installation): Promise<string> {
  const monitors = await one.db.collection<Monitor>('monitors').find().toArray();
  await giveHistory(one.db, monitors.map(({ _id }) => _id));
  const { organization_id, project_id } = monitors[0] as Monitor;
  const at = Date.now();
  await one.db.collection<PageDoc>('status_pages').insertOne({
    ...DEFAULT_SETTINGS, _id: newId(at), organization_id, project_id, subdomain: 'bench', name: 'Bench',
    status: 'published', branding: null, verified_domain: null, last_published_at: at, created_at: at, updated_at: at,
    components: monitors.map(({ _id }, order) => ({
      monitor_id: _id, display_name: null, group_name: `Group ${order % 10}`, display_order: order,
      is_visible: true, created_at: at,
    })),
  });
  return '/status/bench';
}

/** As a browser asks. */
async function read(url: string, agent = new Agent()): Promise<Answer> {
  const headers = { 'accept-encoding': 'gzip, deflate, br', 'accept-language': 'en' };
  const request = get(url, { agent, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${body.toString()}`);
  return { headers: response.rawHeaders, body };
}

async function perCpuSecond(url: string, pid: number, count: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: READERS });
  const before = cpuMs([pid]);
  let left = count;
  await Promise.all(Array.from({ length: READERS }, async () => {
    while (left-- > 0) await read(url, agent);
  }));
  agent.destroy();
  return count / ((cpuMs([pid]) - before) / 1000);
}

/** A process that answers everything with the same bytes. */
async function startBare(bundle: string, { headers, body }: Answer) {
  const child = spawn(process.execPath, [bundle], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send({ headers, body: body.toString('base64') });
  const [port] = (await once(child, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}
