import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_FLAGS } from '../../deploy/quickstart/processes/process-spec.ts';
import { derivedId } from '../../shared/ids.ts';
import type { Assignment } from '../../shared/contracts/assignment.ts';
import type { KnownSpec } from '../../shared/contracts/check-spec.ts';
import { ControllerPeer, TOKEN } from '../bus/probe/controller-peer.ts';
import { ProbeProcess } from '../bus/probe/probe-process.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { passTime } from '../helpers/pass-time.ts';
import { cpuMs, pinned } from './cpu.ts';

const MAX_SILENCE_MS = 30_000;

interface RigOptions {
  /** The probe's bundle. */
  bundle: string;
  /** Each is checked once a second. */
  monitors: number;
  /** Checks due together. */
  together: number;
  specOf: (index: number) => KnownSpec;
  /** Environment of the probe's process. */
  env?: Record<string, string>;
}

/** A real probe on a real NATS server, with a minimal controller. */
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

  static async start({ bundle, monitors, together, specOf, env }: RigOptions): Promise<ProbeRig> {
    const nats = await startNats({});
    const peer = new ControllerPeer(nats);
    await peer.start();
    const url = await peer.listen();
    const phaseOf = (index: number): number => Math.floor(((index - (index % together)) / monitors) * 1000);
    for (let index = 0; index < monitors; index += 1) {
      peer.assignments.set(derivedId('rig', index), assignmentOf(index, phaseOf(index), specOf(index)));
    }
    const dataDir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
    const [command, flags] = pinned(0, process.execPath, [...NODE_FLAGS]);
    const probe = new ProbeProcess(
      bundle, dataDir, ['--controller', url, '--token', TOKEN], { LOG_LEVEL: 'info', ...env }, false,
      [command, ...flags],
    );
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

  /** Distinct error messages of checks. */
  get failures(): string[] {
    return [...new Set(this.#peer.results.flatMap(({ error }) => (error ? [error.message] : [])))];
  }

  /**
   * CPU of the probe's process per check seen by the target, µs, over at least `count` checks, and the checks per
   * second.
   */
  async cost(count: number, seen: () => Promise<number>): Promise<{ cpuUs: number; perS: number }> {
    // Excludes the backlog from the suspension.
    await passTime(1500);
    const before = { cpu: cpuMs([this.#probe.pid]), seen: await seen(), at: performance.now() };
    let checks = 0;
    for (let waitedMs = 0; checks < count; waitedMs += 200) {
      if (checks === 0 && waitedMs >= MAX_SILENCE_MS) throw new Error('the probe checks nothing');
      await passTime(200);
      checks = (await seen()) - before.seen;
    }
    return {
      cpuUs: ((cpuMs([this.#probe.pid]) - before.cpu) * 1000) / checks,
      perS: (checks * 1000) / (performance.now() - before.at),
    };
  }

  async stop(): Promise<void> {
    this.resume();
    await this.#probe.end('SIGKILL');
    await this.#peer.stop();
    await this.#nats.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

function assignmentOf(index: number, phaseMs: number, spec: KnownSpec): Assignment {
  return {
    monitor_id: derivedId('rig', index), organization_id: derivedId('org'), project_id: derivedId('project'),
    assignment_rev: 1,
    interval_ms: 1000, timeout_ms: 10_000, phase_ms: phaseMs, retries: 0,
    allow_private: true, spec,
  };
}
