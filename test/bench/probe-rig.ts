import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { derivedId } from '../../shared/ids.ts';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import { ControllerPeer, TOKEN } from '../bus/probe/controller-peer.ts';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { passTime } from '../helpers/pass-time.ts';
import { cpuMs } from './cpu.ts';

const SILENCE_MS = 30_000;

/**
 * A real probe on a real NATS server, with a minimal controller, at a thousand checks per second and more.
 */
export class ProbeRig {
  readonly #nats: TestNats;
  readonly #peer: ControllerPeer;
  readonly #probe: ProbeProcess;
  readonly #dataDir: string;

  private constructor(parts: { nats: TestNats; peer: ControllerPeer; probe: ProbeProcess; dataDir: string }) {
    this.#nats = parts.nats;
    this.#peer = parts.peer;
    this.#probe = parts.probe;
    this.#dataDir = parts.dataDir;
  }

  static async start(bundle: string, targetUrl: string, monitors: number): Promise<ProbeRig> {
    const nats = await startNats({});
    const peer = new ControllerPeer(nats);
    await peer.start();
    const url = await peer.listen();
    for (let index = 0; index < monitors; index += 1) {
      peer.assignments.set(derivedId('rig', index), assignmentOf(index, monitors, targetUrl));
    }
    const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
    const probe =
      new ProbeProcess(bundle, dataDir, ['--controller', url, '--token', TOKEN], { LOG_LEVEL: 'info' });
    await probe.connected();
    return new ProbeRig({ nats, peer, probe, dataDir });
  }

  /** Suspends the probe's process, with its checks in flight. */
  pause(): void {
    process.kill(this.#probe.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.#probe.pid, 'SIGCONT');
  }

  /** CPU of the probe's process per check that the target saw, µs, over at least `count` checks. */
  async cpuPerCheckUs(count: number, seen: () => Promise<number>): Promise<number> {
    // The backlog from the suspension is not measured.
    await passTime(1500);
    const before = { cpu: cpuMs([this.#probe.pid]), seen: await seen() };
    let checks = 0;
    for (let waitedMs = 0; checks < count; waitedMs += 200) {
      if (checks === 0 && waitedMs >= SILENCE_MS) throw new Error('the probe checks nothing');
      await passTime(200);
      checks = (await seen()) - before.seen;
    }
    return ((cpuMs([this.#probe.pid]) - before.cpu) * 1000) / checks;
  }

  async stop(): Promise<void> {
    this.resume();
    await this.#probe.end('SIGKILL');
    await this.#peer.stop();
    await this.#nats.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

function assignmentOf(index: number, monitors: number, targetUrl: string): Assignment {
  return {
    monitor_id: derivedId('rig', index), organization_id: derivedId('org'), project_id: derivedId('project'),
    assignment_rev: 1,
    interval_ms: 1000, timeout_ms: 1000, phase_ms: Math.floor((index / monitors) * 1000), retries: 0,
    allow_private: true,
    spec: {
      type: 'HTTP', url: `${targetUrl}/${index}`, method: 'GET', headers: {}, body: null,
      follow_redirects: true, max_redirects: 5,
      verify_ssl: true, expected_status: [], slow_response_threshold_ms: null,
    },
  };
}
