import type { AcknowledgeTokens } from '../../access/link-tokens.ts';
import type { DestinationDoc } from '../../destinations/destination.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { PublicContext } from '../../http/routing/route.ts';
import type { IncidentDeps } from '../deps.ts';
import type { IncidentDoc, UpdateActor } from '../incident.ts';
import { moveStatus } from '../verbs/change-incident.ts';

export interface AcknowledgeDeps extends IncidentDeps {
  tokens: AcknowledgeTokens;
  destinations: {
    /** Null if it was deleted. */
    findById(id: string): Promise<DestinationDoc | null>;
  };
}

/** An incident as the recipient of one of its alerts sees it. */
export interface LinkedIncident {
  incident: IncidentDoc;
  recipient: UpdateActor;
}

/** Throws VALIDATION_ERROR for an invalid token, an ended incident, and a recipient that was removed. */
export async function readLinkedIncident(deps: AcknowledgeDeps, token: string): Promise<LinkedIncident> {
  const read = deps.tokens.read(token);
  if (read === null) throw fieldError('token', 'This link is not valid: it is incomplete');
  const [incident, destination] = await Promise.all([
    deps.incidents.findById(read.incidentId), deps.destinations.findById(read.destinationId),
  ]);
  if (incident === null || isOver(incident)) throw ended();
  const { recipient: address } = read;
  if (destination === null || (destination.type === 'email' && !destination.config.to.includes(address))) {
    throw fieldError('token', 'This link is not valid: you no longer receive these alerts');
  }
  const { _id: id, name } = destination;
  const isNamed = address === '' || address === name;
  return { incident, recipient: { type: 'destination', id, name: isNamed ? name : `${name} (${address})` } };
}

/** Changes nothing if the incident is acknowledged already. Throws the errors of `readLinkedIncident`. */
export async function acknowledgeByLink(deps: AcknowledgeDeps, { now }: PublicContext, token: string) {
  const { incident: { _id, organization_id, project_id }, recipient } = await readLinkedIncident(deps, token);
  const tenant = { organizationId: organization_id, projectId: project_id };
  let isChanged = false;
  const incident = await moveStatus(deps, { tenant, now }, _id, (seen) => {
    if (isOver(seen)) throw ended();
    isChanged = seen.status === 'open';
    const assignee = { id: null, name: recipient.name };
    return isChanged ? { to: 'acknowledged', note: 'Acknowledged in an alert', actor: recipient, assignee } : null;
  });
  return { incident, recipient, isChanged };
}

function isOver({ status }: IncidentDoc): boolean {
  return status === 'resolved' || status === 'closed';
}

function ended() {
  return fieldError('token', 'This incident has ended, so the link is no longer valid');
}
