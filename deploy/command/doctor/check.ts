import type { DoctorContext } from './context.ts';

/** In the order of the report. */
export const CHECK_NAMES = [
  'node', 'settings', 'data_dir', 'disk', 'dns', 'ports', 'database', 'database_operations', 'nats', 'nats_permissions',
  'clock', 'certificates', 'mail',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface Finding {
  /** `warning`: Farwatch works, but not as well or not for long. `failed`: it doesn't, or may lose data. */
  status: 'ok' | 'warning' | 'failed';
  message: string;
  /** What to do about it; null if there is nothing to do. */
  hint: string | null;
}

export type CheckResult = { name: CheckName } & Finding;

/** Changes nothing in the installation. A rejection is a bug. */
export type Check = (context: DoctorContext) => Promise<Finding>;

export const ok = (message: string): Finding => ({ status: 'ok', message, hint: null });
export const warning = (message: string, hint: string): Finding => ({ status: 'warning', message, hint });
export const failed = (message: string, hint: string): Finding => ({ status: 'failed', message, hint });

export const NOT_CHECKED = warning('Not checked, because the settings are invalid', 'Correct the settings first.');

/** Of a server that `farwatch start` runs and that does not run now. */
export const notRunning = (what: string): Finding => warning(
  `Not checked: ${what} runs only while Farwatch does`,
  'Start Farwatch, and run farwatch doctor again while it runs.',
);

/** One finding of everything that is wrong, the failures first; `okMessage` if nothing is. */
export function combine(findings: readonly Finding[], okMessage: string): Finding {
  const failures = findings.filter(({ status }) => status === 'failed');
  const problems = [...failures, ...findings.filter(({ status }) => status === 'warning')];
  if (problems.length === 0) return ok(okMessage);
  const hints = [...new Set(problems.flatMap(({ hint }) => hint ?? []))];
  return {
    status: failures.length > 0 ? 'failed' : 'warning',
    message: problems.map(({ message }) => message).join('; '), hint: hints.join(' '),
  };
}
