import { isSpecOf, type CheckSpec } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext, type Finding } from './check.ts';
import { runIcmpCheck } from './icmp/run.ts';

/** The ICMP check: echo requests. Unsupported if this machine doesn't let the probe send any. */
export function createIcmpCheck(context: CheckContext): Check {
  const { pinger } = context;
  return {
    type: 'ICMP',
    capabilities: pinger ? ['ICMP', `ICMP/${pinger.method}`] : [],
    run: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding> => {
      if (!pinger || !isSpecOf(spec, 'ICMP')) return Promise.resolve(missed('unsupported'));
      return runIcmpCheck(context, pinger, spec, timeoutMs, allowPrivate);
    },
  };
}
