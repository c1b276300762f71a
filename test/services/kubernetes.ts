import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';
import { root } from '../root.mjs';

const CACHE = join(root, 'node_modules/.cache/farwatch-test/kubernetes');
const PROGRAMS = {
  helm: 'helm.sh/helm/v4/cmd/helm@v4.3.1',
  'kubectl-validate': 'sigs.k8s.io/kubectl-validate@v0.0.4',
};
/** Contains the definitions of the operator's resources. */
const PROMETHEUS_OPERATOR = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';

/** Null if this machine has no Go. */
export const go = findPrograms('go', process.env, ['/usr/local/go/bin'])[0] ?? null;

/** Runs a program of PROGRAMS; rejects with its output. The first use takes minutes: Go builds it. */
export async function kubernetesProgram(name: keyof typeof PROGRAMS, ...args: string[]): Promise<string> {
  const path = join(CACHE, 'bin', name);
  if (!existsSync(path)) {
    mkdirSync(join(CACHE, 'bin'), { recursive: true });
    const env = { ...process.env, GOBIN: join(CACHE, 'bin'), CGO_ENABLED: '0' };
    await promisify(execFile)('nice', ['-n', '19', String(go), 'install', '-ldflags=-s -w', PROGRAMS[name]], { env });
  }
  // Away from the plugins and settings of whoever runs this.
  const env = { PATH: process.env['PATH'], HOME: CACHE };
  const { stdout } = await promisify(execFile)(path, args, { env, maxBuffer: 16_777_216 })
    .catch((error: Error & { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`.trim());
    });
  return stdout;
}

/** The folder with the definitions of ServiceMonitor and its like. */
export function prometheusDefinitions(): string {
  const output = execFileSync(String(go), ['mod', 'download', '-json', PROMETHEUS_OPERATOR], { encoding: 'utf8' });
  const { Dir: dir } = JSON.parse(output) as { Dir: string };
  return join(dir, 'example/prometheus-operator-crd');
}
