import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadControllerConfig } from '../../controller/config.ts';
import { startController, type RunningController } from '../../controller/controller.ts';
import { loadProbeConfig } from '../../probe/config.ts';
import { startProbe, type RunningProbe } from '../../probe/probe.ts';
import { createLog } from '../../shared/log.ts';
import { ApiSession } from './api-session.ts';
import { CommandRecord } from './checked-mongo.ts';
import { readLedger } from './ledger.ts';
import { testMongo, type TestMongo } from './mongo.ts';
import type { NatsSites } from './nats-sites.ts';
import { NO_EXAMINATIONS, startTarget, type Target } from './target.ts';
import { until } from './until.ts';
import { WarpClock } from './warp-clock.ts';

/** The region of the probes; the operators' example names it, too. */
export const REGION = 'edge';

/** Of the event loop, until a check that became due is connected. */
const TURNS_TO_CONNECT = 20;

/** A line of a probe's log. */
interface Line {
  msg: string;
  [field: string]: unknown;
}

export interface SiteProbe {
  id: string;
  dataDir: string;
  lines: Line[];
  running: RunningProbe;
}

interface ShownProbe {
  id: string;
  status: string;
  spool_depth: number;
  monitors: number;
  last_beat_at: string;
}

/** A controller at one NATS server and two probes at another, in this process, on a clock that can jump. */
export class SitesRig {
  readonly sites: NatsSites;
  readonly clock: WarpClock;
  readonly probes: SiteProbe[] = [];
  readonly target: Target;
  readonly store: TestMongo;
  readonly session: ApiSession;
  readonly #controller: RunningController;
  readonly #commands: CommandRecord;
  readonly #dir: string;

  private constructor(
    { sites, target, store, session, clock }: Pick<SitesRig, 'sites' | 'target' | 'store' | 'session' | 'clock'>,
    controller: RunningController, commands: CommandRecord, dir: string,
  ) {
    this.sites = sites;
    this.target = target;
    this.store = store;
    this.session = session;
    this.clock = clock;
    this.#controller = controller;
    this.#commands = commands;
    this.#dir = dir;
  }

  static async start(starting: Promise<NatsSites>): Promise<SitesRig> {
    const [sites, target, store] = await Promise.all([starting, startTarget(), testMongo()]);
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-sites-rig-'));
    const clock = new WarpClock();
    const commands = new CommandRecord();
    const controller = await startController({
      onCommand: commands.take,
      config: loadControllerConfig({
        PORT: '0', DATA_DIR: join(dir, 'controller'), MONGODB_URL: store.url, RATE_LIMIT: '1000000', MIN_INTERVAL_SECONDS: '1',
        NATS_URL: sites.url, NATS_PUBLIC_URL: sites.far.url, NATS_CREDS: sites.controllerCreds, DOMAIN_LOOKUPS: 'false',
      }),
      clock, log: createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent'), timeZone: 'Europe/Berlin', random: Math.random,
    });
    const session = await new ApiSession(controller.url).begin();
    const rig = new SitesRig({ sites, target, store, session, clock }, controller, commands, dir);
    await session.ok('POST', '/api/regions', { id: REGION, name: 'Edge', city: 'Edge', country: 'NO', visibility: 'shared' });
    for (const name of ['one', 'two']) await rig.#startProbe(name);
    await until(async () => (await rig.#shown()).filter(({ status }) => status === 'online').length === 2, { what: 'both probes are online' });
    return rig;
  }

  /** Creates a monitor of the probes' region, checked at its own path. */
  async createMonitor(path: string, intervalSeconds: number): Promise<string> {
    const { monitor } = await this.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: path, type: 'HTTP', target: `${this.target.url}${path}`, interval_seconds: intervalSeconds,
      monitoring_regions: [REGION], confirmation_policy: { retries: 1 },
    });
    return monitor.id;
  }

  async statusOf(id: string): Promise<string> {
    const { monitor } = await this.session.ok<{ monitor: { runtimeStatus: string } }>('GET', `/api/monitors/${id}`);
    return monitor.runtimeStatus;
  }

  async incidents(): Promise<{ check_id: string; status: string }[]> {
    return (await this.session.ok<{ incidents: { check_id: string; status: string }[] }>('GET', '/api/incidents?limit=100')).incidents;
  }

  /**
   * Lets time pass, in steps too short for a check to be late, until `isMet`. While a check is under way, time does not
   * jump, so that none reaches its timeout.
   */
  pass(isMet: () => Promise<boolean> | boolean, what: string, stepMs = 1000, everyMs = 20): Promise<boolean> {
    return until(async () => {
      if (await isMet()) return true;
      this.clock.warp(stepMs);
      for (let turn = 0; turn < TURNS_TO_CONNECT; turn += 1) await new Promise((resolve) => { setImmediate(resolve); });
      await until(() => this.target.connections === 0, { what: 'checks end' });
      return false;
    }, { what, everyMs });
  }

  /** Waits until the probes report that together they check this many monitors, and that everything is stored. */
  async settled(monitors: number): Promise<void> {
    const since = this.clock.now();
    const ours = this.probes.map(({ id }) => id);
    await this.pass(async () => {
      const shown = (await this.#shown()).filter(({ id }) => ours.includes(id));
      const held = shown.reduce((sum, probe) => sum + probe.monitors, 0);
      return held === monitors &&
        shown.every(({ spool_depth: depth, last_beat_at: at }) => depth === 0 && Date.parse(at) > since);
    }, `${monitors} monitors are checked`, 250, 100);
  }

  /** The journal, the results of these monitors in it, and how many of those are checks. */
  async stored(ids: readonly string[]) {
    const ledger = await readLedger(this.store.url, this.store.database);
    const results = ids.map((id) => ledger.byMonitor.get(id) ?? []);
    return { ledger, results, checked: results.map((of) => of.filter(({ missed }) => missed === null).length) };
  }

  async stop(): Promise<void> {
    await Promise.all(this.probes.map(({ running }) => running.stop()));
    await this.#controller.stop();
    await Promise.all([this.target.close(), this.store.stop(), this.sites.stop()]);
    rmSync(this.#dir, { recursive: true, force: true });
    this.#commands.verify();
  }

  async #shown(): Promise<ShownProbe[]> {
    const { probes } = await this.session.ok<{ probes: (ShownProbe & { region_id: string })[] }>('GET', '/api/probes');
    return probes.filter(({ region_id: region }) => region === REGION);
  }

  async #startProbe(name: string): Promise<void> {
    const { probe: { id }, enrolment_token: token } =
      await this.session.ok<{ probe: { id: string }; enrolment_token: string }>(
        'POST', '/api/probes', { region_id: REGION, name },
      );
    const dataDir = join(this.#dir, name);
    const lines: Line[] = [];
    const settings = loadProbeConfig({ DATA_DIR: dataDir, ...NO_EXAMINATIONS }, ['--controller', this.#controller.url, '--token', token]);
    const running = await startProbe({
      settings, clock: this.clock, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
      version: 'test', random: Math.random, maxFiles: 1024,
    });
    this.probes.push({ id, dataDir, lines, running });
  }
}
