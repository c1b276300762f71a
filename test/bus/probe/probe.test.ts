import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createAccount } from 'nkeys.js';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ShardMap } from '../../../shared/ids.ts';
import { VERSION } from '../../../shared/version.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import { programFile } from '../../bundle.mjs';
import { fewOrAll } from '../../helpers/few-or-all.ts';
import { natsVersions } from '../../helpers/nats-programs.ts';
import { until } from '../../helpers/until.ts';
import { lanesWhole, PROBE_ID, REGION, TOKEN } from './controller-peer.ts';
import { Fixture, hourlySchedule } from './fixture.ts';

let bundle = '';
let fixture: Fixture;
beforeAll(async () => {
  bundle = await programFile('probe');
});
afterEach(() => fixture.close());

describe.each(fewOrAll(natsVersions().slice(0, 1), natsVersions()))('a probe on the %s server', (version) => {
  beforeEach(async () => {
    fixture = await Fixture.open(bundle, version);
  });

  test('enrols, receives its assignments, checks and reports results', async () => {
    const { peer, dataDir } = fixture;
    const [one] = fixture.add(1);
    const probe = await fixture.enrol();
    await until(() => peer.results.length >= 4, { what: 'results arrive' });
    expect(peer.results.find((result) => result.outcome === 'success')).toMatchObject({
      monitor_id: one?.monitor_id, outcome: 'success', status_code: 200, attempt: 1,
      remote_address: '127.0.0.1',
    });
    for (const name of ['identity.json', 'assignments.log']) {
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    }
    await until(() => peer.beats.length > 0);
    expect(peer.beats.at(-1)).toMatchObject({ v: 1, version: VERSION });
    const { icmp } = probe.logged('probe started') as unknown as { icmp: string };
    const icmpCapabilities = icmp === 'none' ? [] : ['ICMP', `ICMP/${icmp}`];
    expect(peer.beats.at(-1)?.capabilities).toEqual(expect.arrayContaining(['HTTP', 'KEYWORD', ...icmpCapabilities]));
    expect(peer.beats.at(-1)).not.toHaveProperty('leaving');
    expect(await probe.end()).toBe(0);
    await until(() => peer.beats.at(-1)?.leaving, { what: 'it has announced that it stops' });
    lanesWhole(peer);
    expect(probe.logged('stopped')).toMatchObject({ spool_depth: 0 });
  });

  test('carries out an order immediately, responds to it, and records the result if requested', async () => {
    const { peer, target } = fixture;
    await fixture.enrol();
    target.respondWith({ status: 503 });
    const monitor = fixture.monitor();
    const result = await peer.order({ assignment: monitor, reason: 'manual', record: true });
    expect(result).toMatchObject({
      monitor_id: monitor.monitor_id, reason: 'manual', outcome: 'failure', status_code: 503,
    });
    await until(() => peer.results.length === 1, { what: 'the result arrives' });
    expect(peer.results[0]).toEqual(result);
    await peer.order({ assignment: monitor, reason: 'confirm', record: false });
    expect(target.countOf(`/${monitor.monitor_id}`)).toBe(2);
    expect(peer.results).toHaveLength(1);
  });

  test('keeps checking while its access is revoked, and reports everything afterwards', async () => {
    const { peer, target } = fixture;
    fixture.add(3);
    const probe = await fixture.enrol();
    await until(() => peer.results.length > 3);
    await peer.revoke(true);
    await until(() => probe.logged('NATS link down'), { what: 'the probe is cut off' });
    const [cutOffAt, before] = [Date.now(), target.count];
    await until(() => target.count >= before + 10, { what: 'it checks' });
    const restoredAt = Date.now();
    await peer.revoke(false);
    const meanwhile = (): number => peer.results.filter(
      ({ started_at: at }) => at > cutOffAt && at < restoredAt,
    ).length;
    await until(() => meanwhile() > 5, { what: 'results from the time in between arrive' });
    lanesWhole(peer);
  });
});

describe('a probe', () => {
  beforeEach(async () => {
    fixture = await Fixture.open(bundle, natsVersions()[0] as 'newest');
  });

  test('receives assignments in pages, then changes, and requests missed ones', async () => {
    const { peer, target } = fixture;
    peer.pageSize = 2;
    const monitors = fixture.add(5, hourlySchedule);
    const probe = await fixture.enrol();
    for (const monitor of monitors) await until(() => target.countOf(`/${monitor.monitor_id}`) === 1);
    const syncs = peer.syncs;
    const sixth = fixture.monitor(hourlySchedule());
    peer.change({ set: sixth });
    await until(() => target.countOf(`/${sixth.monitor_id}`) === 1);
    peer.change({ set: { ...sixth, assignment_rev: 2 } });
    await until(
      () => target.countOf(`/${sixth.monitor_id}`) === 2, { what: 'an edited monitor is checked at once' },
    );
    peer.change({ set: { ...sixth, assignment_rev: 2, phase_ms: 999 } });
    expect(peer.syncs).toBe(syncs);
    const [seventh, eighth] = [fixture.monitor(hourlySchedule()), fixture.monitor(hourlySchedule())];
    peer.change({ set: seventh }, { announce: false });
    peer.change({ set: eighth });
    for (const monitor of [seventh, eighth]) {
      await until(
        () => target.countOf(`/${monitor.monitor_id}`) === 1, { what: 'a missed change is requested' },
      );
    }
    expect(peer.syncs).toBeGreaterThan(syncs);
    expect(target.countOf(`/${sixth.monitor_id}`)).toBe(2);
    expect(probe.lines.filter((line) => line.msg === 'connected')).toHaveLength(1);
  });

  test('stops checking a removed monitor', async () => {
    const { peer, target } = fixture;
    const [gone, remaining] = fixture.add(2) as [ReturnType<Fixture['monitor']>, ReturnType<Fixture['monitor']>];
    await fixture.enrol();
    await until(() => target.countOf(`/${gone.monitor_id}`) >= 2);
    peer.change({ gone: gone.monitor_id });
    await until(() => peer.beats.at(-1)?.monitors === 1, { what: 'the probe holds one monitor' });
    const checkRemaining = async (times: number) => {
      const before = target.countOf(`/${remaining.monitor_id}`);
      await until(() => target.countOf(`/${remaining.monitor_id}`) >= before + times);
    };
    // A request that was sent before the removal may still arrive.
    await checkRemaining(1);
    const goneCount = target.countOf(`/${gone.monitor_id}`);
    await checkRemaining(5);
    expect(target.countOf(`/${gone.monitor_id}`)).toBe(goneCount);
  });

  test('accepts messages only from its controller', async () => {
    const { peer, target } = fixture;
    const [assigned] = fixture.add(1);
    const probe = await fixture.enrol();
    await until(() => target.countOf(`/${assigned?.monitor_id}`) > 0);
    const forged = fixture.monitor();
    const delta = {
      from: peer.revision, revision: peer.revision + 1, reset: false, changes: [{ set: forged }], more: null,
    };
    const subject = subjects.assign(REGION, PROBE_ID);
    peer.publish(subject, peer.seal('assign', delta, {}, createAccount()));
    peer.publish(subject, peer.seal('assign', delta, { expires_at: Date.now() - 120_000 }));
    peer.publish(subject, peer.seal('assign', delta, { probe_id: 'somebody-else' }));
    peer.publish(subject, peer.seal('run', delta));
    peer.publish(
      subject, peer.seal('assign', { ...delta, changes: [{ set: { ...forged, interval_ms: 'often' } }] }),
    );
    peer.publish(
      subjects.run(REGION, PROBE_ID),
      peer.seal('run', { assignment: forged, reason: 'manual', record: true }, {}, createAccount()),
    );
    await until(
      () => probe.lines.filter((line) => line.msg === 'rejected a message from the controller').length === 6,
      { what: 'all are rejected' },
    );
    const refused = probe.lines.filter((line) => line.msg === 'rejected a message from the controller');
    const reasons = (purpose: string) =>
      refused.flatMap((line) => (line['purpose'] === purpose ? [line['reason']] : []));
    expect(reasons('assign')).toEqual(['signature', 'expired', 'addressee', 'purpose', 'content']);
    expect(reasons('run')).toEqual(['signature']);
    expect(target.countOf(`/${forged.monitor_id}`)).toBe(0);
    const again = target.countOf(`/${assigned?.monitor_id}`);
    await until(() => target.countOf(`/${assigned?.monitor_id}`) > again);
  });

  test('reports forbidden targets as missed, never as down', async () => {
    const { peer, target } = fixture;
    const url = (host: string): ReturnType<Fixture['monitor']> => {
      const monitor = fixture.monitor(hourlySchedule());
      return { ...monitor, spec: { ...monitor.spec, url: `http://${host}/` } };
    };
    const monitors = [
      url(`127.0.0.1:${target.port}`), url('169.254.169.254'), url('10.255.0.1'),
      url(`localhost:${target.port}`),
    ];
    for (const set of monitors) peer.change({ set }, { announce: false });
    peer.change({ set: { ...fixture.monitor(hourlySchedule()), spec: { type: 'PIGEON' } } }, { announce: false });
    await fixture.enrol({ env: { PROBE_ALLOW_PRIVATE: 'false' } });
    await until(() => new Set(peer.results.map((result) => result.monitor_id)).size === 5);
    expect(new Set(peer.results.map((result) => `${result.outcome} ${result.missed?.reason}`))).toEqual(
      new Set(['missed blocked_target', 'missed unsupported']),
    );
    expect(target.count).toBe(0);
  });

  test('checks private targets only if their assignment or the probe\'s own ranges allow it', async () => {
    const { peer, target } = fixture;
    const refused = fixture.monitor({ ...hourlySchedule(), allow_private: false });
    const allowed = fixture.monitor({ ...hourlySchedule(), allow_private: true });
    for (const set of [refused, allowed]) peer.change({ set }, { announce: false });
    const probe = await fixture.enrol({ env: { REGISTRATION: 'first-user' } });
    const outcomes = () => new Map(peer.results.map((one) => [one.monitor_id, one.missed?.reason ?? one.outcome]));
    await until(() => outcomes().size === 2);
    expect([refused, allowed].map((one) => outcomes().get(one.monitor_id)))
      .toEqual(['blocked_target', 'success']);
    expect(target.count).toBe(1);
    await probe.end();
    fixture.start({ env: { PROBE_ALLOW_CIDRS: '10.0.0.0/8,127.0.0.0/8' } });
    const again = fixture.monitor({ ...hourlySchedule(), allow_private: false });
    peer.change({ set: again });
    await until(() => outcomes().get(again.monitor_id) === 'success');
  });

  test('never checks a target in a range that its operator denies', async () => {
    const { peer, target } = fixture;
    const allowed = fixture.monitor({ ...hourlySchedule(), allow_private: true });
    peer.change({ set: allowed }, { announce: false });
    await fixture.enrol({ env: { PROBE_ALLOW_CIDRS: '127.0.0.0/8', PROBE_DENY_CIDRS: '127.0.0.0/24' } });
    await until(() => peer.results.length > 0);
    expect(peer.results[0]?.missed?.reason).toBe('blocked_target');
    expect(target.count).toBe(0);
  });

  test.each(fewOrAll([256], [1, 256]))('sends results in %i shards as its enrolment says, also those of a start without the bus', async (count) => {
    const { peer } = fixture;
    peer.shards = count;
    fixture.add(20);
    const probe = await fixture.enrol();
    await until(() => peer.results.length > 20);
    await peer.revoke(true);
    await probe.end('SIGKILL');
    const restartedAt = Date.now();
    const again = fixture.start();
    await until(() => again.logged('probe started'), { what: 'it starts without the bus' });
    await until(() => fixture.target.count > 100, { what: 'it checks' });
    await peer.revoke(false);
    const isLate = ({ started_at: at }: { started_at: number }): boolean => at > restartedAt;
    await until(() => peer.results.filter(isLate).length > 20, { what: 'results of the start without the bus' });
    lanesWhole(peer);
    const { of } = new ShardMap(count);
    for (const [lane, { results }] of peer.lanes) {
      const shard = Number(lane.split('/')[1]);
      expect(results.every(({ monitor_id: id }) => of(id) === shard)).toBe(true);
    }
  });

  test('waits for a controller that is not up yet', async () => {
    const { peer, url } = fixture;
    const port = Number(new URL(url).port);
    await fixture.close();
    fixture = await Fixture.open(bundle, natsVersions()[0] as 'newest');
    const probe = fixture.start({ args: ['--controller', `http://127.0.0.1:${port}`, '--token', TOKEN] });
    await until(() => probe.logged('waiting for the controller'));
    fixture.peer.tokenResponse = {
      status: 503, body: { success: false, error: { code: 'SERVICE_UNAVAILABLE', message: 'not yet' } },
    };
    await fixture.peer.listen(port);
    await until(() => fixture.peer.enrolments.length > 0);
    fixture.peer.tokenResponse = null;
    await probe.connected();
    expect(new Set(fixture.peer.enrolments.map((each) => each.public_key)).size).toBe(1);
    expect(peer.enrolments).toEqual([]);
  });

  test.each([
    [
      'is refused', 'foreign-token-000000000',
      /^Farwatch probe: enrolment refused: The enrolment token is not valid\n$/,
    ],
    [
      'was not given', null,
      /^Farwatch probe: this probe is not enrolled yet: start it once with --controller URL and --token-file FILE\n$/,
    ],
  ])('whose token %s exits with a one-line explanation and code 2', async (_what, token, message) => {
    const probe = fixture.start({ args: token ? ['--controller', fixture.url, '--token', token] : [] });
    expect(await probe.ended()).toBe(2);
    expect(probe.stderr).toMatch(message);
  });

  test('exits with a one-line explanation and code 2 if it cannot use its directory', async () => {
    const probe = fixture.start({ env: { DATA_DIR: '/dev/null/probe' } });
    expect(await probe.ended()).toBe(2);
    expect(probe.stderr).toBe('Farwatch probe: /dev/null/probe is not a directory. Set DATA_DIR to another one\n');
  });

  test('logs that it ignores a token if it is already enrolled', async () => {
    const first = await fixture.enrol();
    await first.end();
    const again = fixture.start({ args: ['--controller', fixture.url, '--token', 'another-token-of-an-operator'] });
    await again.connected();
    const said = again.lines.find(({ msg }) => msg.startsWith('already enrolled; ignoring the token'));
    expect(said).toMatchObject({ probe: expect.any(String), data_dir: expect.any(String) });
  });

  test('exits with code 2 in a directory used by another probe, which keeps running', async () => {
    const { peer } = fixture;
    fixture.add(1);
    const first = await fixture.enrol();
    const second = fixture.start();
    expect(await second.ended()).toBe(2);
    expect(second.stderr).toContain(`is in use by process ${first.pid}`);
    const countBefore = peer.results.length;
    await until(() => peer.results.length > countBefore);
  });

  test('drains its spool and exits when its parent process is gone', async () => {
    const { peer } = fixture;
    fixture.add(2);
    const probe = await fixture.enrol({ hasChannel: true });
    await until(() => peer.results.length > 2);
    probe.disconnect();
    expect(await probe.ended()).toBe(0);
    expect(probe.logged('stopped')).toMatchObject({ spool_depth: 0 });
    lanesWhole(peer);
  });

  test('finishes running checks before it stops', async () => {
    const { peer, target } = fixture;
    target.respondWith({ delayMs: 700 });
    const [slow] = fixture.add(1, hourlySchedule);
    const probe = await fixture.enrol();
    await until(() => target.countOf(`/${slow?.monitor_id}`) === 1);
    expect(await probe.end()).toBe(0);
    expect(peer.results).toMatchObject([{ outcome: 'success' }]);
  });
});
