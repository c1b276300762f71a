import { isSpecOf, type CheckSpec } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext, type Finding } from './check.ts';
import { HttpResources } from './http/resources.ts';
import { HttpRun } from './http/run.ts';

/**
 * The HTTP check: a fresh connection on bare sockets, the answer read in place. Node's own HTTP client
 * costs twice as much CPU and undici three times. All checks share one read buffer and one TLS context.
 */
export function createHttpCheck(context: CheckContext): Check {
  const resources = new HttpResources(context);
  return {
    type: 'HTTP',
    run: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding> => {
      if (!isSpecOf(spec, 'HTTP')) return Promise.resolve(missed('unsupported'));
      return new HttpRun(resources, spec, timeoutMs, allowPrivate).run();
    },
  };
}
