import { CauseDecider } from '../causes/decider.ts';
import { causeRoutes } from '../causes/routes.ts';
import type { IncidentDoc } from '../incidents/incident.ts';
import type { CausesPort } from '../incidents/ports.ts';
import { isDatabaseUnavailable } from '../platform/mongo/mongo-errors.ts';
import type { Notifications } from './notifications.ts';
import type { ControllerPorts } from './ports.ts';

interface CauseSources {
  notifications: Pick<Notifications, 'onCauseEnded' | 'onIncidentStatus'>;
}

/** What incidents have in common: decisions, and how they are read. */
export function openCauses({ stores, log }: ControllerPorts, { notifications }: CauseSources) {
  const { causes, causeDecisions: decisions, incidents, features: monitors } = stores;
  const decider = new CauseDecider({
    causes, decisions, incidents, monitors, onEnded: notifications.onCauseEnded,
  });
  /** Any other error is ours, and must not hold back the alert. */
  const contain = <T>(fallback: T, organization_id: string | null) => (error: unknown): T => {
    if (isDatabaseUnavailable(error)) throw error;
    log.error({ err: error, organization_id }, 'could not decide what incidents have in common');
    return fallback;
  };
  return {
    /** For opening and ending incidents, which are repeated while the database is unavailable. */
    port: {
      decide: (organizationId, startedAt) => (
        decider.decide(organizationId, startedAt).catch(contain<string[]>([], organizationId))
      ),
      endIfOver: (causeId) => decider.endIfOver(causeId).catch(contain(undefined, null)),
    } satisfies CausesPort,
    routes: causeRoutes({ causes, incidents }),
    /**
     * Called after a person acknowledged or ended an incident. A failure is logged: the change succeeded, and
     * the end of its cause is repeated once the journal has it.
     */
    onStatusChanged: async (incident: IncidentDoc) => {
      await notifications.onIncidentStatus(incident);
      if (incident.cause_id === undefined || incident.status === 'acknowledged') return;
      await decider.endIfOver(incident.cause_id).catch((error: unknown) => {
        log.warn({ err: error, incident_id: incident._id }, 'could not end the cause of an incident');
      });
    },
  };
}
