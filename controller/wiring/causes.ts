import { CauseDecider } from '../causes/decider.ts';
import { causeRoutes } from '../causes/routes.ts';
import type { IncidentDoc } from '../incidents/incident.ts';
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
    onError: (error, organization_id) => {
      log.error({ err: error, organization_id }, 'could not decide what incidents have in common');
    },
  });
  return {
    decider,
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
