import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { enrol } from '../identity/enrolment.ts';
import { enrolmentKeys, loadIdentity, saveIdentity, type Identity } from '../identity/identity.ts';
import type { ProbePorts } from './ports.ts';

/** This probe has no identity and no enrolment settings. */
export class NotEnrolled extends Error {
  constructor() {
    super('this probe is not enrolled yet: start it once with --controller URL and --token-file FILE');
    this.name = 'NotEnrolled';
  }
}

/** This probe's saved identity; without one, enrols it. Throws NotEnrolled or EnrolmentRefused. */
export async function openIdentity(ports: ProbePorts, capabilities: string[]) {
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
