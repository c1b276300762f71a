import type { Clock } from '../../../shared/time.ts';
import { CHECK_NAMES, failed, type CheckName, type CheckResult, type Finding } from './check.ts';

/** Leaves a few of the 30 s to close connections and to end. */
const CHECK_TIMEOUT_MS = 20_000;

/** All results, in the order of CHECK_NAMES. A check that hangs or crashes has failed. */
export function runChecks<Context extends { clock: Clock }>(
  checks: Readonly<Record<CheckName, (context: Context) => Promise<Finding>>>, context: Context,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<CheckResult[]> {
  return Promise.all(CHECK_NAMES.map(async (name) => {
    const finding = await bounded(context.clock, timeoutMs, checks[name](context));
    return { name, ...finding };
  }));
}

function bounded(clock: Clock, timeoutMs: number, work: Promise<Finding>): Promise<Finding> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(timeoutMs, () => resolve(failed(
      `Not done after ${timeoutMs / 1000} s`,
      'Something that this check needs does not respond: see the other checks.',
    )));
    const crashed = (error: Error) => resolve(failed(
      `The check itself failed: ${error.message}`,
      'This is a bug of Farwatch: please report it with this message.',
    ));
    work.then(resolve, crashed).finally(() => timer.cancel());
  });
}
