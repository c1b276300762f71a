import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { startFaultProxy, type FaultProxy } from '../helpers/fault-proxy.ts';
import { NO_EXAMINATIONS } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import type { Installation, Load } from './load.ts';

interface FleetProbe {
  id: string;
  region_id: string;
  status: string;
  spool_depth: number;
}

/** A probe process in a separate region, whose connection to NATS can be cut while it reaches its targets. */
export class FarProbe {
  readonly region: string;
  readonly dataDir: string;
  readonly nats: FaultProxy;
  readonly #load: Load<Installation>;
  readonly #bundle: string;
  process: ProbeProcess;

  private constructor(load: Load<Installation>, bundle: string, region: string, nats: FaultProxy, token: string) {
    this.#load = load;
    this.#bundle = bundle;
    this.region = region;
    this.nats = nats;
    this.dataDir = mkdtempSync(join(tmpdir(), 'farwatch-far-'));
    mkdirSync(this.spoolDir);
    this.process = this.#start(['--controller', load.farwatch.url, '--token', token]);
  }

  /** Creates the region and enrols its probe; resolves when it is connected. `bundle` is the probe's. */
  static async start(load: Load<Installation>, bundle: string, region: string, natsPort: number): Promise<FarProbe> {
    const { session } = load;
    const place = { name: region, city: region, country: region, visibility: 'shared' };
    await session.ok('POST', '/api/regions', { id: region, ...place });
    const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
      'POST', '/api/probes', { region_id: region, name: region },
    );
    const probe = new FarProbe(load, bundle, region, await startFaultProxy({ port: natsPort }), token);
    await probe.process.connected();
    return probe;
  }

  get spoolDir(): string {
    return join(this.dataDir, 'spool');
  }

  /** Restarts it after `process` has ended. */
  restart(): void {
    this.process = this.#start([]);
  }

  /** The probe as the API shows it. */
  async shown(): Promise<FleetProbe> {
    const { probes } = await this.#load.session.ok<{ probes: FleetProbe[] }>('GET', '/api/probes');
    return probes.find(({ region_id: region }) => region === this.region) as FleetProbe;
  }

  /** Waits until controllers report this status. */
  is(status: 'online' | 'offline'): Promise<boolean> {
    return until(
      async () => (await this.shown()).status === status, { what: `${this.region} is ${status}`, everyMs: 250 },
    );
  }

  async close(): Promise<void> {
    await this.process.end('SIGKILL');
    await this.nats.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  #start(args: readonly string[]): ProbeProcess {
    const address = `nats://127.0.0.1:${this.nats.port}`;
    const env = { NATS_URL: address, PROBE_ALLOW_PRIVATE: 'true', ...NO_EXAMINATIONS };
    return new ProbeProcess(this.#bundle, this.dataDir, args, env);
  }
}
