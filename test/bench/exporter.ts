import { execFileSync, spawn } from 'node:child_process';
import { freePort } from '../../deploy/quickstart/ports.ts';
import { until } from '../helpers/until.ts';
import { pinned } from './cpu.ts';

/** The blackbox_exporter of this machine, under either of its names; null if there is none. */
export async function startExporter(): Promise<{ pid: number; port: number; stop(): void } | null> {
  const port = await freePort();
  for (const name of ['blackbox_exporter', 'prometheus-blackbox-exporter']) {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
    } catch {
      continue;
    }
    const config = ['--config.file=/etc/prometheus/blackbox.yml'];
    const [command, args] = pinned(0, name, [
      ...(name.startsWith('prometheus') ? config : []), `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ]);
    const child = spawn(command, args, { stdio: 'ignore' });
    await until(async () => (await fetch(`http://127.0.0.1:${port}/`)).ok, { what: name });
    return { pid: child.pid as number, port, stop: () => void child.kill('SIGKILL') };
  }
  return null;
}
