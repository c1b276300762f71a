import { rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isEnrolmentKey } from '../../shared/contracts/enrolment.ts';
import { ShardMap } from '../../shared/ids.ts';
import { EnvelopeOpener } from '../assignments/envelope.ts';
import { attemptEnrolment, enrol } from '../identity/enrolment.ts';
import { enrolmentKeys, loadIdentity, saveIdentity, type Identity } from '../identity/identity.ts';
import { KeyRing } from '../identity/key-ring.ts';
import { Link } from '../link.ts';
import type { ProbePorts } from './ports.ts';

const IDENTITY_FILE = 'identity.json';
/** The keys of an enrolment that has not ended. */
const KEYS_FILE = 'enrolment.json';
/** What belongs to an identity. The identity comes last: without it, the probe enrols. */
const IDENTITY_DATA = ['spool', 'assignments.log', IDENTITY_FILE];

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
  const replacement = openReplacement(ports, capabilities, identity);
  const link = new Link({
    url, proxies: settings.proxies, seed: identity.user.getSeed(), probeId, clock, log, random,
    onRefused: () => void replacement.attempt(),
  });
  const keyRing = new KeyRing({ identity, log, save, reconnect: (seed) => link.reconnect(seed) });
  const opener = new EnvelopeOpener({
    probeId, box: keyRing, controllerKey: enrolment.controller_key,
    controllerBoxKey: enrolment.controller_box_key,
  });
  return {
    link, keyRing, opener, region, probeId, shardMap: new ShardMap(enrolment.shards),
    /** Call when the probe has stopped. Deletes the data of a probe that was replaced. */
    close: () => replacement.close(),
    /** URLs of the installation. */
    urls: [url, settings.enrolment.controllerUrl ?? identity.controllerUrl],
  };
}

/** This probe's saved identity; without one, it is enrolled. */
async function openIdentity(ports: ProbePorts, capabilities: string[]) {
  const { settings: { dataDir, enrolment, proxies }, log, clock, random, version } = ports;
  const path = join(dataDir, IDENTITY_FILE);
  const save = (identity: Identity) => saveIdentity(path, identity);
  const existing = await loadIdentity(path);
  const { controllerUrl, token } = enrolment;
  if (existing) {
    const facts = { probe: existing.enrolment.probe_id, data_dir: dataDir };
    if (token && !isEnrolmentKey(token)) log.info(facts, 'already enrolled; ignoring the token. To enrol again, empty the data directory');
    return { identity: existing, save };
  }
  if (!controllerUrl || !token) throw new NotEnrolled();
  const keysPath = join(dataDir, KEYS_FILE);
  const keys = await enrolmentKeys(keysPath);
  const identity =
    await enrol({ controllerUrl, token, proxies, keys, version, capabilities, clock, log, random });
  await save(identity);
  await unlink(keysPath);
  log.info({ probe: identity.enrolment.probe_id, region: identity.enrolment.region_id }, 'enrolled');
  return { identity, save };
}

/**
 * Enrols the successor of a probe that the controllers have deleted, by its enrolment key. The successor's
 * keys are on disk, so that it gets the same identity again when it starts, even after a crash.
 */
function openReplacement(ports: ProbePorts, capabilities: string[], identity: Identity) {
  const { settings: { dataDir, proxies, enrolment }, log, version, onReplaced } = ports;
  const { controllerUrl, token } = enrolment;
  const formerProbeId = identity.enrolment.probe_id;
  let isReplaced = false;
  let isBusy = false;
  const request = async (key: string): Promise<void> => {
    const outcome = await attemptEnrolment({
      controllerUrl: controllerUrl ?? identity.controllerUrl, token: key, proxies, version, capabilities,
      formerProbeId, keys: await enrolmentKeys(join(dataDir, KEYS_FILE)),
    });
    if (outcome.kind !== 'enrolled') {
      log.info({ reason: outcome.reason }, 'not enrolled again');
      return;
    }
    isReplaced = true;
    log.warn({ probe: formerProbeId, successor: outcome.response.probe_id }, 'this probe was deleted; enrolled again');
    onReplaced?.();
  };
  return {
    attempt: async (): Promise<void> => {
      if (!token || !isEnrolmentKey(token) || isBusy || isReplaced) return;
      isBusy = true;
      await request(token).catch((error: unknown) => log.warn({ err: error }, 'could not enrol again'));
      isBusy = false;
    },
    close: async (): Promise<void> => {
      if (!isReplaced) return;
      for (const name of IDENTITY_DATA) await rm(join(dataDir, name), { recursive: true, force: true });
    },
  };
}
