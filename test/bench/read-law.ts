import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMongo } from '../../controller/platform/mongo/mongo.ts';
import { freePort } from '../../deploy/quickstart/ports.ts';
import { NODE_FLAGS } from '../../deploy/quickstart/process-spec.ts';
import { ControllerProcess } from '../helpers/controller-process.ts';
import { startNats } from '../helpers/nats-server.ts';
import { percentile } from './cpu.ts';
import { startDatabase } from './database.ts';
import { giveHistory, populate, type Owner } from './population.ts';
import { print } from './report.ts';

const PAGE = 50;
/** Requests of one kind to one installation. */
const READS_A_ROUND = 400;

interface Read {
  what: string;
  path: (of: { group: string; last: number }) => string;
  /** Has no floor. */
  mayGrow?: true;
}

/**
 * Reads whose cost must not depend on the number of monitors, and one whose cost may; `last` is the offset of
 * the last page.
 */
const READS: Read[] = [
  { what: 'the first page of monitors', path: () => '/api/monitors' },
  { what: 'active monitors', path: () => '/api/monitors?status=active' },
  { what: 'monitors of a type', path: () => '/api/monitors?type=TCP' },
  {
    what: 'monitors of two types that are not active',
    path: () => '/api/monitors?types=TCP,HTTP&status=paused',
  },
  { what: 'monitors of a group', path: ({ group }) => `/api/monitors?group_id=${group}` },
  {
    what: 'monitors of a group by name',
    path: ({ group }) => `/api/monitors?group_id=${group}&sort_by=name&sort_order=asc`,
  },
  { what: 'monitors by name', path: () => '/api/monitors?sort_by=name&sort_order=asc' },
  { what: 'the last page of monitors', path: ({ last }) => `/api/monitors?offset=${last}` },
  {
    what: 'a page in the middle', path: ({ last }) => `/api/monitors?offset=${Math.round(last / 2)}`,
    mayGrow: true,
  },
  { what: 'statistics of the project', path: () => '/api/monitors/stats' },
];

/**
 * Compares lists and statistics over HTTP between installations with few and a hundred times as many
 * monitors.
 */
export async function readLaw(
  { bundles, rounds, scale }: { bundles: string; rounds: number; scale: number },
): Promise<(boolean | null)[]> {
  const few = await Installation.start(bundles, 1000);
  const many = await Installation.start(bundles, Math.round(100_000 * scale));
  const count = Math.max(50, Math.round(READS_A_ROUND * scale));
  try {
    const verdicts: (boolean | null)[] = [];
    for (const { what, path, mayGrow } of READS) {
      const p99: Record<'few' | 'many', number[]> = { few: [], many: [] };
      await timesOf([few, many], path, Math.round(count / 4));
      for (let round = 0; round < rounds; round += 1) {
        const [ofFew, ofMany] = await timesOf([few, many], path, count);
        p99.few.push(percentile(ofFew as number[], 0.99));
        p99.many.push(percentile(ofMany as number[], 0.99));
      }
      const floor = mayGrow ? {} : { floor: { max: 1.2 } };
      verdicts.push(print({
        metric: '12', what: `p99 of ${what}, ${many.count} against ${few.count}`, ours: p99.many,
        theirs: p99.few, unit: 'ms', ...floor,
      }));
    }
    return verdicts;
  } finally {
    await Promise.all([few.stop(), many.stop()]);
  }
}

/** Alternates between the installations, so that other work on the machine affects both alike. */
async function timesOf(
  installations: Installation[], path: Read['path'], count: number,
): Promise<number[][]> {
  const times: number[][] = installations.map(() => []);
  for (let at = 0; at < count * installations.length; at += 1) {
    const which = at % installations.length;
    const one = installations[which] as Installation;
    const before = performance.now();
    await one.read(path(one));
    times[which]?.push(performance.now() - before);
  }
  return times;
}

/** A controller with its own database and bus, and `count` monitors in one project. Nothing is checked. */
class Installation {
  readonly group = '00000000-0000-4000-8000-00000000000a';
  readonly count: number;
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #end: () => Promise<void>;
  #token = '';

  private constructor(count: number, url: string, end: () => Promise<void>) {
    this.count = count;
    this.#url = url;
    this.#end = end;
  }

  get last(): number {
    return this.count - PAGE;
  }

  static async start(bundles: string, count: number): Promise<Installation> {
    const [nats, database, port] = [await startNats(), await startDatabase(bundles), await freePort()];
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
    const mongo = openMongo(database.url);
    const env = {
      PORT: String(port), DATA_DIR: dir, MONGODB_URL: database.url, NATS_URL: nats.url,
      NATS_CREDS: nats.controllerCreds, NATS_USERS_FILE: nats.usersFile,
      NATS_PID_FILE: nats.pidFile, NATS_PUBLIC_URL: nats.url, RATE_LIMIT: '100000000', LOG_LEVEL: 'info',
    };
    let controller = await ControllerProcess.start(join(bundles, 'controller.mjs'), env, NODE_FLAGS);
    const one = new Installation(count, `http://127.0.0.1:${port}`, async () => {
      await controller.kill9();
      await mongo.close();
      await Promise.all([database.stop(), nats.stop()]);
      rmSync(dir, { recursive: true, force: true });
    });
    await populate(mongo.db, await one.#register(), one.group, count);
    // The controller loads monitors when it starts.
    await controller.kill9();
    controller = await ControllerProcess.start(join(bundles, 'controller.mjs'), env, NODE_FLAGS);
    await one.#giveHistory(mongo.db);
    return one;
  }

  async read(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = get(this.#url + path, {
        agent: this.#agent, headers: { authorization: `Bearer ${this.#token}` },
      }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${path}: ${response.statusCode} ${text}`));
        });
      });
      request.on('error', reject);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#end();
  }

  async #register(): Promise<Owner> {
    const body =
      JSON.stringify({ email: 'operator@example.com', password: 'correct horse battery', name: 'Operator' });
    const response = await fetch(
      `${this.#url}/api/auth/register`,
      { method: 'POST', headers: { 'content-type': 'application/json' }, body },
    );
    const { data } = (await response.json()) as { data: {
      user: { id: string };
      organization: { id: string };
      project: { id: string };
      token: string;
    } };
    this.#token = data.token;
    return { organizationId: data.organization.id, projectId: data.project.id, userId: data.user.id };
  }

  async #giveHistory(db: Parameters<typeof giveHistory>[0]): Promise<void> {
    const ids = new Set<string>();
    for (const { path } of READS) {
      const answer = JSON.parse(await this.read(path(this))) as { data: { monitors?: { id: string }[] } };
      for (const { id } of answer.data.monitors ?? []) ids.add(id);
    }
    await giveHistory(db, [...ids]);
  }
}
