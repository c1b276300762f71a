import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { until } from '../helpers/until.ts';
import { ensureDebianPackages } from '../services/packages.ts';
import { cpuMs, pinned } from './cpu.ts';
import { runWorker } from './run-worker.ts';

export interface Exporter {
  /** CPU of the exporter's process per probe, µs, over `count` successful probes. */
  cpuPerProbeUs(outdir: string, probe: ExporterProbe): Promise<number>;
  stop(): void;
}

export interface ExporterProbe {
  module: string;
  target: string;
  count: number;
  inFlight: number;
}

/**
 * The machine's blackbox_exporter under either of its names, installed if possible; otherwise null. `modules` is its
 * configuration.
 */
export async function startExporter(modules: Record<string, unknown>): Promise<Exporter | null> {
  await ensureDebianPackages('prometheus-blackbox-exporter').catch(() => undefined);
  const port = await freePort();
  for (const name of ['blackbox_exporter', 'prometheus-blackbox-exporter']) {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
    } catch {
      continue;
    }
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
    // JSON is valid YAML.
    writeFileSync(join(dir, 'blackbox.yml'), JSON.stringify({ modules }));
    const [command, args] = pinned(0, name, [
      `--config.file=${join(dir, 'blackbox.yml')}`, `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ]);
    const child = spawn(command, args, { stdio: 'ignore' });
    await until(async () => (await fetch(`http://127.0.0.1:${port}/`)).ok, { what: name });
    return {
      cpuPerProbeUs: async (outdir, probe) => {
        const pids = [child.pid as number];
        const before = cpuMs(pids);
        const { figures: { done, failed } } = await runWorker<{ done: number; failed: number }>(
          outdir, 'blackboxDriver', { exporterPort: port, ...probe }, 1,
        );
        if (failed > done / 100) throw new Error(`${failed} probes of ${name} failed: ${probe.module}`);
        return ((cpuMs(pids) - before) * 1000) / done;
      },
      stop: () => {
        child.kill('SIGKILL');
        rmSync(dir, { recursive: true, force: true });
      },
    };
  }
  return null;
}
