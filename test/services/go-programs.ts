import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPrograms } from '../../deploy/quickstart/servers/programs.ts';
import { root } from '../root.mjs';

const CACHE = join(root, 'node_modules/.cache/farwatch-test/go-programs');
/** Name of the executable → package. */
const PROGRAMS = {
  helm: 'helm.sh/helm/v4/cmd/helm@v4.3.1',
  'kubectl-validate': 'sigs.k8s.io/kubectl-validate@v0.0.4',
  /** The parser of `docker compose`: prints the file that it was given with everything filled in. */
  cmd: 'github.com/compose-spec/compose-go/v2/cmd@v2.16.2',
};
/** Contains the definitions of the operator's resources. */
const PROMETHEUS_OPERATOR = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';

/** Null if this machine has no Go. */
export const go = findPrograms('go', process.env, ['/usr/local/go/bin'])[0] ?? null;
if (go === null) process.stdout.write('The Helm chart and compose.yaml are not tested: this machine has no Go\n');

/** Runs a program of PROGRAMS; rejects with its output. The first use takes minutes: Go builds it. */
export async function goProgram(name: keyof typeof PROGRAMS, ...args: string[]): Promise<string> {
  const dir = join(CACHE, name);
  const run = promisify(execFile);
  if (!existsSync(join(dir, name))) {
    const env = { ...process.env, GOBIN: dir, CGO_ENABLED: '0' };
    await run('nice', ['-n', '19', String(go), 'install', '-ldflags=-s -w', PROGRAMS[name]], { env });
  }
  // Away from the plugins and settings of whoever runs this.
  const options = { env: { PATH: process.env['PATH'], HOME: CACHE }, maxBuffer: 16_777_216 };
  const { stdout } = await run(join(dir, name), args, options)
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
