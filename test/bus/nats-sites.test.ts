import { connect, nkeyAuthenticator, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fewOrAll } from '../helpers/few-or-all.ts';
import { slotFaults } from '../helpers/ledger.ts';
import { natsPrograms } from '../helpers/nats-programs.ts';
import { startGateways, startLeaf, type NatsSites } from '../helpers/nats-sites.ts';
import { SitesRig } from '../helpers/sites-rig.ts';
import { until } from '../helpers/until.ts';

const INTERVAL_SECONDS = 10;
const MONITORS = 4;
const MINUTE_MS = 60_000;

const kinds: [string, () => Promise<NatsSites>][] = [
  ['a leaf node', () => startLeaf('*')], ['another site, behind a gateway', startGateways],
];

describe.runIf(natsPrograms().newest).each(kinds)('probes at %s', (_name, startSites) => {
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

  test('enrol, receive their monitors and report results', async () => {
    await rig.pass(() => areAll('up'), 'all are up', 250, 50);
  });

  test('spool while the link is cut, and lose and repeat nothing', async () => {
    const cutMs = fewOrAll(6 * MINUTE_MS, 60 * MINUTE_MS);
    const from = rig.clock.now();
    rig.sites.cut();
    await rig.pass(() => rig.clock.now() - from >= cutMs, 'the cut lasts');
    console.log(await Promise.all(ids.map((id) => rig.statusOf(id))), await rig.shown(), rig.sites.far.log.slice(-1500));
    const cutUntil = rig.clock.now();
    rig.sites.mend();
    console.log('healed', rig.probes.map((p) => p.lines.slice(-4).map(l=>l.msg)));
    await rig.pass(() => areAll('up'), 'all are up', 250, 100);
    await rig.session.ok('POST', '/api/monitors/bulk', { action: 'pause', monitor_ids: ids });
    const { ledger, results, checked, seen } = await rig.stored(ids, paths);
    expect(ledger.holes).toEqual([]);
    expect(checked).toEqual(seen);
    const during = results.map((of) => of.filter(({ started_at: at }) => at >= from && at < cutUntil));
    console.log(during.map((d) => [d.length, d.filter((x) => x.missed).map((x) => x.missed)]));
    for (const of of results) {
      expect(slotFaults(of, INTERVAL_SECONDS * 1000)).toMatchObject({ unexplained: [], doubled: [] });
      expect(of.filter(({ outcome }) => outcome === 'failure')).toEqual([]);
    }
    expect(await rig.incidents()).toEqual([]);
  });
});
