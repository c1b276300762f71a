import { isSpecOf } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext } from './check.ts';
import { HttpResources } from './http/resources.ts';
import { HttpRun } from './http/run.ts';

/**
 * The HTTP check, and the KEYWORD check, which also looks for texts in the body (see `KeywordRule`): a fresh
 * connection on bare sockets, the answer read in place. Node's own HTTP client costs twice as much CPU and
 * undici three times. All checks share one read buffer, one TLS context and the limits of what they keep.
 */
export function createHttpChecks(context: CheckContext): Check[] {
  const resources = new HttpResources(context);
  return (['HTTP', 'KEYWORD'] as const).map((type) => ({
    type,
    run: (spec, timeoutMs, allowPrivate) => {
      if (!isSpecOf(spec, type)) return Promise.resolve(missed('unsupported'));
      return new HttpRun(resources, spec, timeoutMs, allowPrivate).run();
    },
  }));
}
