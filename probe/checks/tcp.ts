import { isSpecOf, type CheckSpec } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext, type Finding } from './check.ts';
import { TcpRun } from './tcp/run.ts';

/**
 * The TCP check: a connection, TLS where the monitor has it, and the first words of its protocol. Whether the
 * certificate is trusted is reported and decides nothing: mail servers often have one that they signed.
 */
export function createTcpCheck(context: CheckContext): Check {
  return {
    type: 'TCP',
    run: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding> => {
      if (!isSpecOf(spec, 'TCP')) return Promise.resolve(missed('unsupported'));
      return new TcpRun(context, spec, timeoutMs, allowPrivate).run();
    },
  };
}
