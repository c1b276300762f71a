import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '../../../shared/contracts/assignment.ts';
import { newId } from '../../../shared/ids.ts';
import type { NatsVersion } from '../../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../../helpers/nats-server.ts';
import { startTarget, type Target } from '../../helpers/target.ts';
import { ControllerPeer, TOKEN } from './controller-peer.ts';
import { ProbeProcess } from './probe-process.ts';

const HOUR_MS = 3_600_000;

/** Checked once at the start; no slot is due while a test runs. */
export function hourlySchedule(): Pick<Assignment, 'interval_ms' | 'timeout_ms' | 'phase_ms'> {
  return { interval_ms: HOUR_MS, timeout_ms: 60_000, phase_ms: (Date.now() + HOUR_MS / 2) % HOUR_MS };
}

/** A NATS server, a small controller, a target and a directory for one probe. */
export class Fixture {
  readonly nats: TestNats;
  readonly peer: ControllerPeer;
  readonly target: Target;
  readonly dataDir = mkdtempSync(join(tmpdir(), 'farwatch-probe-'));
  readonly url: string;
  readonly #bundle: string;
  readonly #running: ProbeProcess[] = [];

  private constructor(bundle: string, nats: TestNats, peer: ControllerPeer, target: Target, url: string) {
    this.#bundle = bundle;
    this.nats = nats;
    this.peer = peer;
    this.target = target;
    this.url = url;
  }

  static async open(bundle: string, version: NatsVersion): Promise<Fixture> {
    const nats = await startNats({ version });
    const peer = new ControllerPeer(nats);
    await peer.start();
    return new Fixture(bundle, nats, peer, await startTarget(), await peer.listen());
  }

  start(options: { args?: string[]; env?: Record<string, string>; hasChannel?: boolean } = {}): ProbeProcess {
    const probe = new ProbeProcess(
      this.#bundle, this.dataDir, options.args ?? [], options.env ?? {}, options.hasChannel ?? false,
    );
    this.#running.push(probe);
    return probe;
  }

  /** The first start of a probe, up to its first sync. */
  async enrol(options: { env?: Record<string, string>; hasChannel?: boolean } = {}): Promise<ProbeProcess> {
    const probe = this.start({ args: ['--controller', this.url, '--token', TOKEN], ...options });
    await probe.connected();
    return probe;
  }

  monitor(overrides: Partial<Assignment> = {}): Assignment {
    const id = newId(Date.now());
    return {
      monitor_id: id, organization_id: newId(1), project_id: newId(2), assignment_rev: 1, interval_ms: 500,
      timeout_ms: 60_000, phase_ms: 120, retries: 1, allow_private: true,
      spec: {
        type: 'HTTP', url: `${this.target.url}/${id}`, method: 'GET', headers: {}, body: null,
        follow_redirects: true, max_redirects: 5,
        verify_ssl: true, expected_status: [], slow_response_threshold_ms: null,
      },
      ...overrides,
    };
  }

  /** Monitors assigned before the probe connects. */
  add(count: number, overrides: (at: number) => Partial<Assignment> = () => ({})): Assignment[] {
    const monitors = Array.from({ length: count }, (_, at) => this.monitor(overrides(at)));
    for (const set of monitors) this.peer.change({ set }, { announce: false });
    return monitors;
  }

  async close(): Promise<void> {
    for (const probe of this.#running) await probe.end('SIGKILL');
    await this.target.close();
    await this.peer.stop();
    await this.nats.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
