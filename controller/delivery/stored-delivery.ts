import { each, restoring } from '../platform/mongo/null-fields.ts';
import type { AlertDetails, DeliveryDoc, RegionName } from './delivery.ts';

const restoreNames = each(restoring<RegionName>({ city: null }));

/** Restores null fields that the database omits. */
export const restoreDelivery = restoring<DeliveryDoc>({
  monitor_id: null, incident_id: null, next_attempt_at: null, claim: null, delivered_at: null,
  last_retry_at: null, error_message: null,
}, {
  alert: restoring<AlertDetails>({ monitor: null, incident: null, error: null, last_success: null }, {
    probe: restoring<NonNullable<AlertDetails['probe']>>({ reason: null }),
    incident: restoring<NonNullable<AlertDetails['incident']>>({ resolved_at: null }),
    last_success: restoring<NonNullable<AlertDetails['last_success']>>({ response_time_ms: null }),
    regions: restoreNames,
    votes: restoring<NonNullable<AlertDetails['votes']>>(
      {}, { down: restoreNames, up: restoreNames, rechecking: restoreNames, silent: restoreNames },
    ),
  }),
});
