import { subjects } from '../../shared/contracts/subjects.ts';
import type { BusUser } from '../platform/bus/identities-port.ts';
import type { EnrolledProbe } from './probe.ts';

/** A probe's response to `run` is dropped after this. */
const RESPONSE_EXPIRY = '60s';

/** The probe as a NATS user: it publishes under its own region and id and receives only its own orders. */
export function probeUser(probe: Pick<EnrolledProbe, '_id' | 'region_id' | 'public_key'>): BusUser {
  const { _id: id, region_id: region, public_key } = probe;
  const own = [subjects.sync(region, id), subjects.beat(region, id), subjects.evidence(region, id)];
  return {
    account: 'PROBES', public_key,
    permissions: {
      publish: { allow: [`results.*.${region}.${id}`, ...own] },
      subscribe: { allow: [subjects.assign(region, id), subjects.run(region, id), `_INBOX_${id}.>`] },
      allow_responses: { max: 1, expires: RESPONSE_EXPIRY },
    },
  };
}
