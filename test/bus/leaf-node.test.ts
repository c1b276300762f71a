import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, nkeyAuthenticator } from 'nats';
import { describe, expect, test } from 'vitest';
import { MAX_CONNECTIONS } from '../../controller/platform/bus/connection-limit.ts';
import { connectBus } from '../../controller/platform/bus/connect-bus.ts';
import { probesFileContent } from '../../controller/platform/bus/nats-users.ts';
import { probeUser } from '../../controller/probes/bus-user.ts';
import { freePort } from '../../deploy/quickstart/servers/ports.ts';
import { createLog } from '../../shared/log.ts';
import { FleetRig, monitorDoc } from '../helpers/fleet-rig.ts';
import { NatsProcess } from '../helpers/nats-process.ts';
import { natsPrograms } from '../helpers/nats-programs.ts';
import { startLeaf } from '../helpers/nats-sites.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

const REGION = 'edge';

describe.runIf(natsPrograms().newest)('a leaf node', () => {
  test('with its own list of probes admits them without the link, and follows no change by itself', async () => {
    const sites = await startLeaf({ hasOwnUsers: true });
    const rig = await FleetRig.on({ ...sites, users: null });
    try {
      await rig.controller();
      await rig.call('POST', '/api/regions', { body: { id: REGION, name: 'Edge', city: 'Edge', country: 'NO' } });
      const [kept, deleted] = [await rig.enrolled('kept', REGION), await rig.enrolled('deleted', REGION)];
      const list = async (probes: readonly TestProbe[]) => {
        const before = sites.far.log.length;
        const users = probes.map(({ enrolment, publicKey }) => probeUser({
          _id: enrolment?.probe_id ?? '', region_id: REGION, public_key: publicKey,
        }));
        writeFileSync(sites.leaf?.usersFile ?? '', probesFileContent(users));
        sites.far.signal('SIGHUP');
        await until(() => sites.far.log.includes('Reloaded', before), { what: 'the leaf node has reloaded its list' });
      };
      const canConnect = (probe: TestProbe) => probe.connect(sites.far.url);
      await list([kept, deleted]);
      for (const probe of [kept, deleted]) {
        await canConnect(probe);
        await until(() => probe.follow().then(() => true, () => false), { what: 'it synchronizes' });
      }
      await rig.call('DELETE', '/api/probes/:id', { params: { id: deleted.enrolment?.probe_id } });
      await until(() => deleted.nats.isClosed(), { what: 'the deleted probe is disconnected' });
      await canConnect(deleted);
      await list([kept]);
      await until(() => deleted.nats.isClosed(), { what: 'it is disconnected again' });
      await expect(connect({
        servers: sites.far.url, authenticator: nkeyAuthenticator(deleted.user.getSeed()), reconnect: false,
      })).rejects.toThrow(/Authorization/);
      sites.cut();
      await kept.stop();
      await canConnect(kept);
    } finally {
      await rig.stop();
    }
  });

  test('serves only its region, and nobody can be one with the key of a probe', async () => {
    const sites = await startLeaf();
    const rig = await FleetRig.on({ ...sites, users: null });
    const dir = mkdtempSync(join(tmpdir(), 'farwatch-forged-leaf-'));
    const port = await freePort();
    const forged = new NatsProcess(join(dir, 'leaf.conf'), port);
    try {
      await rig.controller();
      const probe = await rig.enrolled('elsewhere', 'local');
      await probe.connect(sites.far.url);
      await expect(probe.requestSync({ v: 1, revision: 0, after: null })).rejects.toThrow('503');
      const seed = Buffer.from(probe.user.getSeed()).toString();
      const remote = `url: "${sites.leaf?.hubUrl}", account: PROBES, nkey: ${seed}`;
      writeFileSync(join(dir, 'leaf.conf'), `
        listen: "127.0.0.1:${port}"
        accounts { PROBES {} }
        leafnodes { remotes: [ { ${remote} } ] }
      `);
      await forged.start();
      const isDecided = () => /Authorization Violation|JetStream using domains/.exec(forged.log)?.[0];
      expect(await until(isDecided, { what: 'the hub has decided' })).toBe('Authorization Violation');
    } finally {
      await forged.end();
      await rig.stop();
      rmSync(dir, { recursive: true });
    }
  });

  test('serves many probes, and lets controllers limit the connections of each', async () => {
    const sites = await startLeaf();
    const rig = await FleetRig.on({ ...sites, users: null });
    try {
      await rig.controller();
      await rig.call('POST', '/api/regions', { body: { id: REGION, name: 'Edge', city: 'Edge', country: 'NO' } });
      const [flooding, ...others] = await Promise.all(Array.from({ length: 12 }, (_, at) => rig.enrolled(`${at}`, REGION)));
      if (!flooding) throw new Error('no probe');
      for (const other of others) {
        await other.connect(sites.far.url);
        await until(() => other.follow().then(() => true, () => false), { what: 'it synchronizes' });
      }
      const monitors = others.map((_other, at) => monitorDoc(at, { monitoring_regions: [REGION] }));
      await rig.fleet.placement.apply(monitors);
      await until(() => others.some(({ held }) => held.size > 0), { what: 'they receive monitors' });
      const authenticator = nkeyAuthenticator(flooding.user.getSeed());
      const open = () => connect({ servers: sites.far.url, authenticator, reconnect: false });
      const opened = [await flooding.connect(sites.far.url)];
      while (opened.length <= MAX_CONNECTIONS) opened.push(await open());
      await until(() => opened.every((connection) => connection.isClosed()), { what: 'all are closed' });
      await expect(open()).rejects.toThrow(/Authorization/);
      expect(others.every(({ nats }) => !nats.isClosed())).toBe(true);
    } finally {
      await rig.stop();
    }
  });

  test('speaks only for the probes of its region', async () => {
    const sites = await startLeaf();
    const log = createLog('test', 'silent');
    const bus = await connectBus({ url: sites.url, creds: sites.controllerCreds, name: 'controller', log });
    const nats = await connect({
      servers: sites.far.url, authenticator: nkeyAuthenticator(Buffer.from(sites.leaf?.seed ?? '')), reconnect: false,
    });
    try {
      const [byControllers, byLeaf] = [new Set<string>(), new Set<string>()];
      bus.subscribe('>', ({ subject, data }) => {
        if (Buffer.from(data).toString() === 'forged') byControllers.add(subject);
      });
      for (const subject of ['assign.>', 'run.local.>', '_INBOX_x.>', 'assign.edge.x']) {
        nats.subscribe(subject, { callback: (_error, message) => void byLeaf.add(message.subject) });
      }
      await until(() => {
        for (const subject of ['beat.local.x', 'results.00.local.x', 'poke.00', 'beat.edge.x']) {
          nats.publish(subject, 'forged');
        }
        for (const subject of ['assign.local.x', 'run.local.x', 'assign.edge.x']) bus.publish(subject, 'order');
        return byControllers.size > 0 && byLeaf.size > 0;
      }, { what: 'the messages of its region arrive' });
      await Promise.all([bus.flush(), nats.flush()]);
      expect([...byControllers]).toEqual(['beat.edge.x']);
      expect([...byLeaf]).toEqual(['assign.edge.x']);
    } finally {
      await Promise.all([nats.close(), bus.close()]);
      await sites.stop();
    }
  });
});
