import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { CheckName, CheckResult, Finding } from '../../deploy/command/doctor/check.ts';
import { cleanEnvironment } from './clean-environment.ts';

const ENTRY = join(resolve(import.meta.dirname, '../..'), 'deploy/command/farwatch.mjs');

export interface DoctorRun {
  exitCode: number;
  ok: boolean;
  names: CheckName[];
  checks: Record<CheckName, Finding>;
  /** Names of checks that are not ok. */
  problems: CheckName[];
  tookMs: number;
}

/** Runs `farwatch doctor --json` as a process; `through` is a program with arguments that starts it. */
export async function runDoctor(env: Record<string, string>, through: readonly string[] = []): Promise<DoctorRun> {
  const [program = '', ...args] = [...through, process.execPath, ENTRY, 'doctor', '--json'];
  const startedAt = performance.now();
  const { exitCode, stdout, stderr } = await new Promise<{ exitCode: number; stdout: string; stderr: string }>((done) => {
    const child = execFile(program, args, { env: cleanEnvironment(env) }, (_error, stdout, stderr) => {
      done({ exitCode: child.exitCode ?? -1, stdout, stderr });
    });
  });
  const tookMs = performance.now() - startedAt;
  if (!stdout.startsWith('{')) throw new Error(`farwatch doctor printed no report:\n${stdout}${stderr}`);
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: CheckResult[] };
  return {
    exitCode, ok, tookMs, names: checks.map(({ name }) => name),
    checks: Object.fromEntries(checks.map(({ name, ...finding }) => [name, finding])) as Record<CheckName, Finding>,
    problems: checks.filter(({ status }) => status !== 'ok').map(({ name }) => name),
  };
}
