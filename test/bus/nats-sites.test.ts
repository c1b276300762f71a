import { connect, nkeyAuthenticator } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { slotFaults } from '../helpers/ledger.ts';
import { natsPrograms } from '../helpers/nats-programs.ts';
import { startGateways, startLeaf, type NatsSites } from '../helpers/nats-sites.ts';
import { REGION, SitesRig, type SiteProbe } from '../helpers/sites-rig.ts';
import { Subscriber, type IssuedSubscription } from '../helpers/subscriber.ts';
import { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

const INTERVAL_SECONDS = 10;
const MONITORS = 4;
const CUT_MS = fewOrAll(3, 60) * 60_000;

const kinds: [string, () => Promise<NatsSites>][] = [
  ['a leaf node', () => startLeaf()], ['another site, behind a gateway', startGateways],
];

// bus/leaf-node has more of leaf nodes.
describe.runIf(natsPrograms().newest).each(kinds.slice(fewOrAll(1, 0)))('probes at %s', (_name, startSites) => {
  let rig: SitesRig;
  const paths = Array.from({ length: MONITORS }, (_, at) => `/${at}`);
  const ids: string[] = [];

  beforeAll(async () => {
    rig = await SitesRig.start(startSites());
    for (const path of paths) ids.push(await rig.createMonitor(path, INTERVAL_SECONDS));
  });
  afterAll(() => rig?.stop());

  const areAll = async (status: string) =>
    (await Promise.all(ids.map((id) => rig.statusOf(id)))).every((each) => each === status);
  /** Time passes slowly enough for messages to arrive in time. */
  const passGently = (isMet: () => Promise<boolean> | boolean, what: string) => rig.pass(isMet, what, 250, 100);
  const passAll = (status: string) => passGently(() => areAll(status), `all are ${status}`);

  /** A probe of the region, implemented from the contract, at the far servers. */
  async function enrolled(name: string): Promise<TestProbe> {
    const { enrolment_token: token } = await rig.session.ok<{ enrolment_token: string }>(
      'POST', '/api/probes', { region_id: REGION, name },
    );
    const probe = new TestProbe();
    probe.enrolment = await rig.session.ok<EnrolResponse>('POST', '/api/probes/enrol', probe.request(token));
    return probe;
  }

  test('enrol, receive their monitors and report an outage once', async () => {
    await passAll('up');
    rig.target.respondWith({ status: 503 }, '/0');
    await passGently(async () => (await rig.statusOf(ids[0] ?? '')) === 'down', 'down');
    rig.target.respondWith({ status: 200 }, '/0');
    await passAll('up');
    const incident = await until(
      async () => (await rig.incidents()).find(({ status }) => status === 'resolved'), { what: 'the incident is resolved' },
    );
    expect(incident.check_id).toBe(ids[0]);
  });

  test('replace their keys', async () => {
    const [probe] = rig.probes as [SiteProbe];
    await rig.session.ok('POST', `/api/probes/${probe.id}/rotate-keys`);
    await passGently(() => probe.lines.some(({ msg }) => msg === 'keys rotated'), 'keys rotated');
    expect(probe.lines.map(({ msg }) => msg)).not.toContain('NATS link down');
  });

  test('can publish and receive only their own messages', async () => {
    const probe = await enrolled('contract');
    const [other] = rig.probes as [SiteProbe];
    const nats = await probe.connect();
    const denied: string[] = [];
    void (async () => {
      for await (const { permissionContext: denial } of nats.status()) if (denial) denied.push(denial.subject);
    })();
    const forbidden = ['>', subjects.assign(REGION, other.id), `_INBOX_${other.id}.>`, '$SYS.REQ.USER.AUTH'];
    for (const subject of forbidden) nats.subscribe(subject, { callback: () => undefined });
    const writes = [subjects.beat(REGION, other.id), subjects.results(0, 'local', 'x'), subjects.run(REGION, other.id)];
    for (const subject of writes) nats.publish(subject, 'forged');
    await until(() => [...forbidden, ...writes].every((subject) => denied.includes(subject)), { what: 'all are refused' });
    const closedLinks = () => rig.sites.far.log.split('Leafnode connection closed').length;
    const before = closedLinks();
    await rig.session.ok('DELETE', `/api/probes/${probe.enrolment?.probe_id}`);
    await until(() => nats.isClosed(), { what: 'a deleted probe is disconnected' });
    const authenticator = nkeyAuthenticator(probe.user.getSeed());
    const again = connect({ servers: rig.sites.far.url, authenticator, reconnect: false });
    await expect(again).rejects.toThrow(/Authorization/);
    expect(closedLinks(), 'the link stays').toBe(before);
  });

  test('serve subscribers, live and with the last hour', async () => {
    const issued = await rig.session.ok<IssuedSubscription>('POST', '/api/subscriptions', { name: 'Archive' });
    const subscriber = await until(() => Subscriber.connect(issued).catch(() => null), { what: 'it connects' });
    await subscriber.listen();
    const hasResults = (texts: string[]) => texts.some((text) =>
      ids.includes((JSON.parse(text) as { monitor_id: string }).monitor_id));
    await passGently(() => hasResults(subscriber.received.map(({ text }) => text)), 'it receives results');
    await passGently(async () => hasResults(await subscriber.fetch(10)), 'it fetches results');
    await rig.session.ok('DELETE', `/api/subscriptions/${issued.subscription.id}`);
    await until(() => subscriber.nc.isClosed(), { what: 'it is disconnected' });
  });

  test('spool while the link is cut, and lose and repeat nothing', async () => {
    const gone = await enrolled('deleted during the cut');
    const nats = await gone.connect();
    await rig.settled(MONITORS);
    const from = rig.clock.now();
    rig.sites.cut();
    await rig.session.ok('DELETE', `/api/probes/${gone.enrolment?.probe_id}`);
    await rig.pass(() => rig.clock.now() - from >= CUT_MS, 'the cut lasts');
    expect(await areAll('unknown')).toBe(true);
    expect(nats.isClosed()).toBe(false);
    const cutUntil = rig.clock.now();
    rig.sites.mend();
    await passAll('up');
    await passGently(() => nats.isClosed(), 'a probe deleted during the cut is disconnected');
    await rig.session.ok('POST', '/api/monitors/bulk', { action: 'pause', monitor_ids: ids });
    await rig.settled(0);
    const { ledger, results, checked } = await rig.stored(ids);
    expect(ledger.holes).toEqual([]);
    expect(checked).toEqual(paths.map((path) => rig.target.countOf(path)));
    for (const of of results) {
      const during = of.filter(({ started_at: at }) => at >= from && at < cutUntil);
      expect(during.length).toBeGreaterThanOrEqual(CUT_MS / INTERVAL_SECONDS / 1000 - 1);
      expect(slotFaults(during, INTERVAL_SECONDS * 1000)).toMatchObject({ unexplained: [], doubled: [] });
      expect(during.filter(({ outcome }) => outcome !== 'success')).toEqual([]);
    }
    expect((await rig.incidents()).map(({ check_id: id }) => id)).toEqual([ids[0]]);
  });
});
