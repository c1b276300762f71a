import type { Output } from '../output.ts';
import type { CheckResult } from './check.ts';

const SIGNS = { ok: '✓', warning: '!', failed: '✗' } as const;

/** One line for each check, with the hint below it, and a summary. */
export function printReport(output: Output, checks: readonly CheckResult[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, status, message, hint } of checks) {
    output.line(`${SIGNS[status]} ${name.padEnd(width)}  ${printable(message)}`);
    if (hint !== null) output.line(`${' '.repeat(width + 4)}→ ${printable(hint)}`);
  }
  const count = (wanted: CheckResult['status']) => checks.filter(({ status }) => status === wanted).length;
  output.line(`\n${count('ok')} ok, ${count('warning')} ${count('warning') === 1 ? 'warning' : 'warnings'}, ${count('failed')} failed`);
}

/** Servers' own words are in the messages. */
function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}
