import { isSpecOf } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext } from './check.ts';
import { HttpResources } from './http/resources.ts';
import { HttpRun } from './http/run.ts';

/**
 * The HTTP and KEYWORD checks (the latter also searches the body, see `KeywordRule`). Each uses a fresh bare
 * socket and parses in place: Node's HTTP client costs twice the CPU, undici three times. All share a read
 * buffer, a TLS context and memory limits.
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
