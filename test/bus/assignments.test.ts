import { afterAll, beforeAll, expect, test } from 'vitest';
import { AssignmentStore } from '../../controller/assignments/store.ts';
import { SecretBox } from '../../controller/secrets/secret-box.ts';
import { FleetRig, monitorDoc } from '../helpers/fleet-rig.ts';
import type { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';

let rig: FleetRig;
let probe: TestProbe;

beforeAll(async () => {
  rig = await FleetRig.start();
  await rig.controller();
  probe = await rig.probe('one');
  await probe.follow();
});
afterAll(() => rig.stop());

test('a monitor reaches its probe signed and sealed, and an edit and a pause follow', async () => {
  const payloads: string[] = [];
  const listener =
    rig.fleets[0]?.bus.subscribe('assign.>', (message) => payloads.push(Buffer.from(message.data).toString()));
  await rig.fleet.placement.apply([monitorDoc(1)]);
  const held = await until(() => probe.held.get(monitorDoc(1)._id));
  expect(held).toMatchObject({
    assignment_rev: 1, interval_ms: 60_000, timeout_ms: 10_000, retries: 1,
    spec: { type: 'HTTP', url: 'http://127.0.0.1:9/1' },
  });

  await rig.fleet.placement.apply([monitorDoc(1, { revision: 2, interval_seconds: 30 })]);
  await until(() => probe.held.get(monitorDoc(1)._id)?.interval_ms === 30_000);
  await rig.fleet.placement.apply([monitorDoc(1, { revision: 3, status: 'paused' })]);
  await until(() => !probe.held.has(monitorDoc(1)._id));
  expect(probe.gaps).toBe(0);
  expect(probe.revision).toBe(3);
  expect(payloads.join()).not.toContain('canary-secret');
  await listener?.stop();
});

test('a repeated placement changes nothing, and an older revision is ignored', async () => {
  const before = probe.revision;
  await rig.fleet.placement.apply([monitorDoc(2)]);
  await until(() => probe.revision === before + 1);
  await rig.fleet.placement.apply([monitorDoc(2)]);
  await rig.fleet.placement.apply([monitorDoc(1, { revision: 2 })]);
  await probe.sync();
  expect(probe.revision).toBe(before + 1);
  expect(probe.held.has(monitorDoc(1)._id)).toBe(false);
});

test('a rename sends nothing; an edit that keeps the check causes no immediate check', async () => {
  const before = probe.revision;
  await rig.fleet.placement.apply([
    monitorDoc(2, { revision: 2, name: 'other', tags: ['x'], notification_target_ids: ['d'] }),
  ]);
  await probe.sync();
  expect(probe.revision).toBe(before);
  await rig.fleet.placement.apply([monitorDoc(2, { revision: 3, interval_seconds: 90 })]);
  await until(() => probe.held.get(monitorDoc(2)._id)?.interval_ms === 90_000);
  expect(probe.held.get(monitorDoc(2)._id)?.assignment_rev).toBe(1);
  await rig.fleet.placement.apply([
    monitorDoc(2, { revision: 4, check_revision: 4, target: 'http://127.0.0.1:9/other' }),
  ]);
  await until(() => probe.held.get(monitorDoc(2)._id)?.assignment_rev === 4);
});

test('every type except heartbeats reaches a probe completely', async () => {
  const docs = [
    monitorDoc(501, {
      type: 'KEYWORD',
      keyword: { keywords: [{ text: 'ok', should_contain: true }], match_mode: 'all', case_sensitive: false },
    }),
    monitorDoc(502, {
      type: 'TCP', target: '[::1]:22', http: null,
      tcp: { port: 22, protocol: 'ssh', protocol_validation: true, tls: null, send: null, expect: null },
    }),
    monitorDoc(503, {
      type: 'DNS', target: 'münchen.example', http: null,
      dns: { record_entries: [{ type: 'A' }], dns_server: '1.1.1.1', resolution_timeout_ms: 800 },
    }),
    monitorDoc(504, {
      type: 'ICMP', target: 'example.org', http: null,
      icmp: { packet_count: 3, packet_size: 56, timeout_ms: 900, ttl: 64 },
    }),
    monitorDoc(505, {
      type: 'HEARTBEAT', target: 't', http: null,
      heartbeat: {
        token: 't', slug: 't', interval_seconds: 60, schedule: null, timezone: null, grace_seconds: 5,
        max_runtime_seconds: null,
      },
    }),
  ];
  await rig.fleet.placement.apply(docs);
  const specs = await until(() => {
    const held = docs.slice(0, 4).flatMap((doc) => probe.held.get(doc._id)?.spec ?? []);
    return held.length === 4 ? held : null;
  });
  expect(specs).toMatchObject([
    {
      type: 'KEYWORD', url: 'http://127.0.0.1:9/501', keywords: [{ text: 'ok', should_contain: true }],
      match_mode: 'all',
    },
    { type: 'TCP', host: '::1', port: 22, protocol: 'ssh', protocol_validation: true, tls: 'none', send: null },
    {
      type: 'DNS', name: 'xn--mnchen-3ya.example',
      record_entries: [{ type: 'A', expected_values: [], match: 'contains' }],
      server: { host: '1.1.1.1', port: 53 },
    },
    { type: 'ICMP', host: 'example.org', packet_count: 3, packet_size: 56, packet_timeout_ms: 900, ttl: 64 },
  ]);
  expect(specs.some((spec) => 'unreadable' in spec)).toBe(false);
  expect(probe.held.has(docs[4]?._id ?? '')).toBe(false);
  await rig.fleet.placement.apply(docs.map((doc) => ({ ...doc, revision: 2, deleted_at: 1 })));
});

test('a probe that synchronizes gets missed changes in pages, even while more are written', async () => {
  const many = Array.from({ length: 2300 }, (_, at) => monitorDoc(10_000 + at));
  const revision = probe.revision;
  const writing = rig.fleet.placement.apply(many);
  const pages = await probe.sync();
  expect(pages[0]).toMatchObject({ from: revision, reset: false });
  await writing;
  await until(async () => {
    await probe.sync();
    return probe.held.size === many.length + 1;
  });
  const fresh = await probe.requestSync({ v: 1, revision: 0, after: null });
  expect(fresh).toMatchObject({ from: 0, reset: true, revision: probe.revision });
  expect(fresh.changes).toHaveLength(500);
  await rig.fleet.placement.apply(many.map((monitor) => ({ ...monitor, revision: 2, deleted_at: 1 })));
  await probe.sync();
  expect([...probe.held.keys()]).toEqual([monitorDoc(2)._id]);
});

test('a probe that is ahead, or behind removed tombstones, gets the whole set', async () => {
  const whole = {
    reset: true, revision: probe.revision, more: null, changes: [{ set: { monitor_id: monitorDoc(2)._id } }],
  };
  expect(await probe.requestSync({ v: 1, revision: probe.revision + 7, after: null })).toMatchObject(whole);
  const items = new AssignmentStore(rig.mongo.db, SecretBox.of('test'));
  const { sweepTombstones } = await import('../../controller/assignments/rebalancer.ts');
  const { HeadStore } = await import('../../controller/assignments/head-store.ts');
  const probeId = probe.enrolment?.probe_id as string;
  const dropped =
    await sweepTombstones({ items, heads: new HeadStore(rig.mongo.db) }, probeId, Date.now() + 1);
  expect(dropped).toBe(2305);
  expect(await probe.requestSync({ v: 1, revision: 2, after: null })).toMatchObject(whole);
  expect(await probe.requestSync({ v: 1, revision: probe.revision, after: null })).toMatchObject({
    reset: false, changes: [], more: null,
  });
});

test('a beat with an old revision triggers a reminder, and the probe catches up', async () => {
  const items = await rig.mongo.db.collection('assignment_heads').findOne({});
  expect(items?.['head']).toBe(probe.revision);
  const oldRevision = probe.revision;
  await rig.fleet.placement.apply([monitorDoc(3)]);
  await until(() => probe.revision === oldRevision + 1);
  probe.revision = oldRevision;
  probe.held.delete(monitorDoc(3)._id);
  const gaps = probe.gaps;
  await until(() => {
    probe.beat();
    return probe.held.has(monitorDoc(3)._id);
  }, { everyMs: 200 });
  expect(probe.gaps).toBeGreaterThan(gaps);
  probe.revision += 5;
  await until(() => {
    probe.beat();
    return probe.revision === oldRevision + 1;
  }, { everyMs: 200 });
});

test('a malformed request gets no response', async () => {
  for (const bad of ['', '{', '{"v":2}', JSON.stringify({ v: 1, revision: -1 }), 'x'.repeat(5000)]) {
    const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
    await expect(
      probe.nats.request(`sync.${region_id}.${probe_id}`, bad, { timeout: 150 }),
    ).rejects.toThrow();
  }
  expect(await probe.requestSync({ v: 1, revision: probe.revision, after: 'newer:zz' })).toMatchObject({
    changes: [],
  });
});

test('an immediate check returns its result, or that the probe is offline or responded incorrectly', async () => {
  const { region_id, probe_id } = probe.enrolment as { region_id: string; probe_id: string };
  const assignment = probe.held.get(monitorDoc(2)._id);
  if (!assignment) throw new Error('monitor 2 is not held');
  const order = { assignment, reason: 'manual', record: true } as const;
  expect(await rig.fleet.runNow.order(region_id, 'nobody', order, 200)).toEqual({ failure: 'unreachable' });
  expect(await rig.fleet.runNow.order(region_id, probe_id, order, 200)).toHaveProperty('failure');
  const result = {
    seq: 0, monitor_id: assignment.monitor_id, assignment_rev: 1, attempt: 1, reason: 'manual',
    scheduled_at: 1, started_at: 1, response_time_ms: 5, outcome: 'success', degraded: false,
    status_code: 200,
  };
  let response: object = { v: 1, result };
  probe.nats.subscribe(`run.${region_id}.${probe_id}`, {
    callback: (_error, message) => {
      expect(probe.openRun(message.data)).toEqual(order);
      message.respond(JSON.stringify(response));
    },
  });
  await probe.nats.flush();
  expect(await rig.fleet.runNow.order(region_id, probe_id, order, 1000)).toMatchObject({
    result: { outcome: 'success', status_code: 200 },
  });
  response = { v: 1, result: { ...result, monitor_id: monitorDoc(3)._id } };
  expect(await rig.fleet.runNow.order(region_id, probe_id, order, 1000)).toEqual({ failure: 'refused' });
});
