import { isSpecOf, type CheckSpec } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext, type Finding } from './check.ts';
import { TcpRun } from './tcp/run.ts';

/**
 * The TCP check: a connection, TLS if configured, and the start of its protocol. An untrusted certificate is
 * reported without failing the check: many mail servers have a self-signed one.
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
