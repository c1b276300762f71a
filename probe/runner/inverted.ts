import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { failure, success, type Finding } from '../checks/check.ts';

/**
 * The finding by what the monitor expects: for an inverted one, the target must not respond as its settings
 * demand. Apply it to findings without the probe's own faults, which would otherwise be successes.
 */
export function judged(spec: CheckSpec, found: Finding): Finding {
  if (spec.is_inverted !== true || found.outcome === 'missed') return found;
  const { response_time_ms, status_code, timings, remote_address, tls, facts, detail, observed } = found;
  const known = {
    status_code, remote_address, tls, ...(facts && { facts }), detail,
    observed: observed && partsOf(observed),
  };
  if (found.outcome === 'success' || found.error?.type === 'slow_response') {
    const message = 'Expected the target to be down, but it responded';
    return failure('connection_error', 'response', message, { ...known, response_time_ms, timings });
  }
  // Without a response, the time of a failure measures nothing.
  return success(status_code === null ? known : { ...known, response_time_ms, timings });
}

/** A copy, because the evidence of a failure may be queued. */
function partsOf({ addresses, head, body }: NonNullable<Finding['observed']>) {
  return { addresses, head, body };
}
