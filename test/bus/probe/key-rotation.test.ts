import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, nkeyAuthenticator } from 'nats';
import { fromSeed } from 'nkeys.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProbeDoc } from '../../../controller/probes/probe.ts';
import { rotationText } from '../../../shared/contracts/key-rotation.ts';
import { programFile } from '../../bundle.mjs';
import { startCalloutServer } from '../../helpers/callout-server.ts';
import { fewOrAll } from '../../helpers/few-or-all.ts';
import { fileServer, FleetRig, monitorDoc, type RigNats } from '../../helpers/fleet-rig.ts';
import { natsPrograms, natsVersions } from '../../helpers/nats-programs.ts';
import { startNats } from '../../helpers/nats-server.ts';
import type { TestProbe } from '../../helpers/test-probe.ts';
import { until } from '../../helpers/until.ts';
import { ProbeProcess } from './probe-process.ts';

/** Each way in which a server gets its probes. */
const versions = fewOrAll(natsVersions().slice(0, 1), natsVersions());

const DYING = `--import=${join(import.meta.dirname, 'die-at-rename.mjs')}`;
/** The identity file is replaced three times: with the next keys added, with them in use, and without the old ones. */
const DEATHS = [1, 2, 3].flatMap((count) => [`before ${count}`, `after ${count}`]);

const servers: [string, string[], () => Promise<RigNats>][] = versions.map(
  (version) => [`a user file, ${version}`, fewOrAll(['before 2'], DEATHS), async () => fileServer(await startNats({ version }))],
);
if (natsPrograms().newest) {
  const deaths = fewOrAll(['after 1'], DEATHS);
  servers.push(['auth callout', deaths, async () => (await startCalloutServer()) as RigNats]);
}

let bundle = '';
beforeAll(async () => {
  bundle = await programFile('probe');
});

describe.each(servers)('replacing the keys of a probe with %s', (_name, deaths, startServer) => {
  let rig: FleetRig;
  const probes: Enrolled[] = [];
  const enrol = async (name: string): Promise<Enrolled> => {
    const probe = await Enrolled.as(rig, name);
    probes.push(probe);
    return probe;
  };

  beforeAll(async () => {
    rig = await FleetRig.on(await startServer());
    await rig.controller();
  });
  afterAll(async () => {
    await Promise.all(probes.map((probe) => probe.end()));
    await rig?.stop();
  });

  test('it stays connected and uses new keys, and the old ones are refused', async () => {
    const probe = await enrol('alone');
    const running = await probe.start();
    const [before, { box_key: formerBox }] = [probe.file(), await probe.stored()];
    expect(await probe.rotate()).toMatchObject({ probe: { rotation_asked_at: expect.any(String) } });
    await probe.rotated();
    const after = probe.file();
    expect([after.user_seed, after.box_seed]).not.toContain(before.user_seed);
    expect((await probe.stored()).box_key).not.toBe(formerBox);
    const attempt = () => connect({
      servers: rig.nats.url, reconnect: false, authenticator: nkeyAuthenticator(Buffer.from(before.user_seed)),
    });
    await until(() => attempt().then((nc) => nc.close()).then(() => false, () => true), { what: 'the old keys are refused' });
    await rig.fleet.placement.apply([monitorDoc(1)]);
    await until(() => running.lines.some(({ msg, monitors }) => msg === 'took over assignments' && monitors === 1));
    for (const sign of ['NATS link down', 'NATS rejects this probe', 'rejected a message from the controller']) {
      expect(running.logged(sign)).toBeUndefined();
    }
    expect(await rig.call('GET', '/api/probes/:id', { params: { id: probe.id } })).toMatchObject({
      probe: { status: 'online', rotation_asked_at: null, keys_changed_at: expect.any(String) },
    });
  });

  test('a probe killed at any moment of a rotation restarts with working keys', async () => {
    await Promise.all(deaths.map(async (death) => {
      const probe = await enrol(death);
      const dying = await probe.start(death);
      await probe.rotate();
      await dying.ended();
      const again = await probe.start();
      await probe.rotated();
      // NATS refuses clients that are connecting while it reloads its users, here for another probe's rotation.
      const refusals = again.lines.filter(({ msg }) => msg === 'NATS rejects this probe');
      expect(refusals.length, death).toBeLessThanOrEqual(1);
      expect(again.logged('NATS link down'), death).toBeUndefined();
    }));
  });

  test('a disconnected probe replaces its keys when it reconnects', async () => {
    const probe = await enrol('away');
    await probe.rotate();
    await probe.start();
    await probe.rotated();
  });

  test('a response with keys of another probe, or that were never offered, changes nothing', async () => {
    const [liar, victim] = [await rig.probe('liar'), await rig.enrolled('victim')];
    const { probe_id: id = '', region_id: region = '' } = liar.enrolment ?? {};
    const [uses, public_key, box_key] = [liar.publicKey, victim.publicKey, victim.box.getPublicKey()];
    const offered = { public_key, box_key };
    const byLiar = Buffer.from(liar.user.sign(Buffer.from(rotationText(id, uses, offered)))).toString('base64url');
    const lies: object[] = [
      { v: 1, uses, next: { ...offered, by_known: byLiar, by_next: byLiar } },
      { v: 1, uses: public_key, next: null },
      { v: 1, uses, next: { ...offered, by_known: 'x', by_next: 'x' } },
    ];
    let responseCount = 0;
    liar.nats.subscribe(`run.${region}.${id}`, {
      callback: (_error, message) => void message.respond(JSON.stringify(lies[responseCount++ % lies.length])),
    });
    liar.beat();
    await until(() => rig.fleet.liveness.track(id), { what: 'its beat' });
    for (let step = 0; step < lies.length; step += 1) {
      const before = responseCount;
      await until(async () => {
        await rig.call('POST', '/api/probes/:id/rotate-keys', { params: { id } });
        return responseCount > before;
      }, { what: 'it receives the order' });
    }
    const stored = await rig.mongo.db.collection<ProbeDoc>('probes').findOne({ _id: id });
    expect(stored).toMatchObject({ public_key: uses, box_key: liar.box.getPublicKey() });
    expect(stored).not.toHaveProperty('next_public_key');
  });

  test('a probe that has not enrolled has no keys to replace', async () => {
    const { probe } = (await rig.call(
      'POST', '/api/probes', { body: { region_id: 'local', name: 'new' } },
    )) as { probe: { id: string } };
    await expect(rig.call('POST', '/api/probes/:id/rotate-keys', { params: { id: probe.id } })).rejects.toThrow(
      'not enrolled',
    );
  });
});

type Seeds = Record<'user_seed' | 'box_seed', string>;

/** A probe with an identity, and its process. */
class Enrolled {
  readonly id: string;
  readonly #rig: FleetRig;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'farwatch-keys-'));
  readonly #firstKey: string;
  #running: ProbeProcess | null = null;

  constructor(rig: FleetRig, { enrolment, user, box, publicKey }: TestProbe) {
    this.#rig = rig;
    this.id = String(enrolment?.probe_id);
    this.#firstKey = publicKey;
    const seeds = { user_seed: text(user.getSeed()), box_seed: text(box.getSeed()) };
    writeFileSync(this.#path, JSON.stringify({ v: 1, ...seeds, enrolment, controller_url: 'http://127.0.0.1:9' }));
  }

  static async as(rig: FleetRig, name: string): Promise<Enrolled> {
    return new Enrolled(rig, await rig.enrolled(name));
  }

  get #path(): string {
    return join(this.#dataDir, 'identity.json');
  }

  /** Resolves when a controller has received its beat. */
  async start(dieAt?: string): Promise<ProbeProcess> {
    const [node, env] = dieAt === undefined ? [[process.execPath], {}] : [[process.execPath, DYING], { DIE_AT: dieAt }];
    this.#running = new ProbeProcess(bundle, this.#dataDir, [], env, false, node);
    await this.#running.connected();
    await until(() => this.#rig.fleet.liveness.track(this.id), { what: 'a beat' });
    return this.#running;
  }

  rotate(): Promise<unknown> {
    return this.#rig.call('POST', '/api/probes/:id/rotate-keys', { params: { id: this.id } });
  }

  /** Resolves when controller and probe have the same new keys, and no others. */
  async rotated(): Promise<void> {
    await until(async () => {
      const { rotation_asked_at, public_key, next_public_key } = await this.stored();
      const used = fromSeed(Buffer.from(this.file().user_seed)).getPublicKey();
      expect(used).not.toBe(this.#firstKey);
      expect({ rotation_asked_at, public_key, next_public_key }).toEqual({ rotation_asked_at: null, public_key: used });
      expect(Object.keys(this.file()).sort()).toEqual(['box_seed', 'controller_url', 'enrolment', 'user_seed', 'v']);
      return true;
    }, { what: `the keys of ${this.id} are replaced` });
  }

  file(): Seeds {
    return JSON.parse(readFileSync(this.#path, 'utf8')) as Seeds;
  }

  async stored(): Promise<ProbeDoc> {
    return (await this.#rig.mongo.db.collection<ProbeDoc>('probes').findOne({ _id: this.id })) as ProbeDoc;
  }

  async end(): Promise<void> {
    await this.#running?.end('SIGKILL');
    rmSync(this.#dataDir, { recursive: true });
  }
}

function text(seed: Uint8Array): string {
  return Buffer.from(seed).toString();
}
