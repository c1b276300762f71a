import { EnvelopeOpener } from '../assignments/envelope.ts';
import { KeyRing } from '../identity/key-ring.ts';
import { Link } from '../link.ts';
import type { openIdentity } from './identity.ts';
import type { ProbePorts } from './ports.ts';

export type ProbeLink = ReturnType<typeof openLink>;

/** The connection to NATS and the keys with which this probe uses it. */
export function openLink(
  { settings, clock, log, random }: ProbePorts, { identity, save }: Awaited<ReturnType<typeof openIdentity>>,
) {
  const { enrolment } = identity;
  const { region_id: region, probe_id: probeId } = enrolment;
  const url = settings.natsUrl ?? enrolment.nats_url;
  const link = new Link({ url, seed: identity.user.getSeed(), probeId, clock, log, random });
  const keyRing = new KeyRing({ identity, log, save, reconnect: (seed) => link.reconnect(seed) });
  const opener = new EnvelopeOpener({
    probeId, box: keyRing, controllerKey: enrolment.controller_key,
    controllerBoxKey: enrolment.controller_box_key,
  });
  return {
    link, keyRing, opener, region, probeId,
    /** URLs of the installation. */
    urls: [url, settings.enrolment.controllerUrl ?? identity.controllerUrl],
  };
}
