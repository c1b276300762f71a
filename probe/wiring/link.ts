import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvelopeOpener } from '../assignments/envelope.ts';
import { enrol } from '../identity/enrolment.ts';
import { enrolmentKeys, loadIdentity, saveIdentity, type Identity } from '../identity/identity.ts';
import { KeyRing } from '../identity/key-ring.ts';
import { Link } from '../link.ts';
import type { ProbePorts } from './ports.ts';

/** This probe has no identity and no enrolment settings. */
export class NotEnrolled extends Error {
  constructor() {
    super('this probe is not enrolled yet: start it once with --controller URL and --token-file FILE');
    this.name = 'NotEnrolled';
  }
}

export type ProbeLink = Awaited<ReturnType<typeof openLink>>;

/**
 * The connection to NATS and the keys with which this probe uses it. Enrols a probe without an identity.
 * Throws NotEnrolled or EnrolmentRefused.
 */
export async function openLink(ports: ProbePorts, capabilities: string[]) {
  const { settings, clock, log, random } = ports;
  const { identity, save } = await openIdentity(ports, capabilities);
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

/** This probe's saved identity; without one, it is enrolled. */
async function openIdentity(ports: ProbePorts, capabilities: string[]) {
  const { settings: { dataDir, enrolment }, log, clock, random, version } = ports;
  const path = join(dataDir, 'identity.json');
  const save = (identity: Identity) => saveIdentity(path, identity);
  const existing = await loadIdentity(path);
  const { controllerUrl, token } = enrolment;
  if (existing) {
    const facts = { probe: existing.enrolment.probe_id, data_dir: dataDir };
    if (token) log.info(facts, 'already enrolled; ignoring the token. To enrol again, empty the data directory');
    return { identity: existing, save };
  }
  if (!controllerUrl || !token) throw new NotEnrolled();
  const keysPath = join(dataDir, 'enrolment.json');
  const keys = await enrolmentKeys(keysPath);
  const identity = await enrol({ controllerUrl, token, keys, version, capabilities, clock, log, random });
  await save(identity);
  await unlink(keysPath);
  log.info({ probe: identity.enrolment.probe_id, region: identity.enrolment.region_id }, 'enrolled');
  return { identity, save };
}
