import { Examiner } from '../examining/examiner.ts';
import { openChecks, type Checks } from './checks.ts';
import type { ProbePorts, ProbeSettings } from './ports.ts';

interface ExaminerOptions extends Pick<ProbePorts, 'clock' | 'version'> {
  settings: Pick<ProbeSettings, 'checks'>;
  /** Those of the probe; without them, the examiner opens its own. */
  checks?: Checks;
  /** Whether this probe has lost the network since then (monotonic). Defaults to no. */
  isCutOff?: (sinceMs: number) => Promise<boolean>;
}

/** What examines targets; needs no connection to a controller. */
export async function openExaminer(options: ExaminerOptions): Promise<Examiner> {
  const { registry, context, trace } = options.checks ?? await openChecks(options);
  return new Examiner({
    context, trace, isCutOff: options.isCutOff ?? (() => Promise.resolve(false)),
    check: (spec, timeoutMs, allowPrivate) => registry.run(spec, timeoutMs, allowPrivate),
  });
}
