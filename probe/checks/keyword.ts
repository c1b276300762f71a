import { isSpecOf, type CheckSpec } from '../../shared/contracts/check-spec.ts';
import { missed, type Check, type CheckContext, type Finding } from './check.ts';
import { HttpResources } from './http/resources.ts';
import { HttpRun } from './http/run.ts';

/** The KEYWORD check: an HTTP check that also looks for texts in the body (see `KeywordRule`). */
export function createKeywordCheck(context: CheckContext): Check {
  const resources = new HttpResources(context);
  return {
    type: 'KEYWORD',
    run: (spec: CheckSpec, timeoutMs: number, allowPrivate?: boolean): Promise<Finding> => {
      if (!isSpecOf(spec, 'KEYWORD')) return Promise.resolve(missed('unsupported'));
      return new HttpRun(resources, spec, timeoutMs, allowPrivate).run();
    },
  };
}
