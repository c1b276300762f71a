import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DependencyGate } from '../../controller/dependencies/gate.ts';
import { HeldAlerts } from '../../controller/dependencies/held-alerts.ts';
import { HeldAlertStore } from '../../controller/dependencies/store.ts';
import type { RelatedMonitor } from '../../controller/monitors/monitor.ts';
import type { MonitorLive } from '../../controller/results/reading/recent/unwritten-monitor.ts';
import type { Alert } from '../../controller/verdicts/effect.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { Peers } from '../../controller/work/peers.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { alertOf, DeliveryRig, monitorConfig, type DeliveringController } from '../helpers/delivery-rig.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { shardMap } from '../helpers/shard-map.ts';
import { until } from '../helpers/until.ts';

const log = createLog('test', process.env['TEST_LOG_LEVEL'] ?? 'silent');

let rig: DeliveryRig;
let receiver: Receiver;
let held: HeldAlertStore;
let delivering: DeliveringController;
/** What the database and the owners of shards know. */
let monitors: Map<string, RelatedMonitor>;
let live: Map<string, MonitorLive>;
const running: HeldAlerts[] = [];

beforeEach(async () => {
  [rig, receiver] = await Promise.all([DeliveryRig.start(), startReceiver()]);
  held = new HeldAlertStore(rig.mongo.db);
  await held.ensureIndexes();
  delivering = rig.controller();
  await rig.destination(receiver.url);
  [monitors, live] = [new Map(), new Map()];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
  await rig.stop();
  await receiver.close();
});

interface ControllerChange {
  fanOut?(alert: Alert): Promise<void>;
  check?(id: string): Promise<boolean>;
}

/** The gate and the decisions of one controller. Without `check`, every check succeeds. */
function controller({ fanOut, check = async () => false }: ControllerChange = {}) {
  const { clock } = rig;
  const { alerts } = delivering;
  const rechecked: string[] = [];
  const decisions = new HeldAlerts({
    held, check, ownsShard: () => true, shardMap, peers: new Peers(), clock, log,
    alerts: { fanOut: fanOut ?? ((alert) => alerts.fanOut(alert)), logHeld: (alert, reason) => alerts.logHeld(alert, reason) },
    incidents: {
      findById: (id) => rig.incidents.findById(id),
      setHeldBy: async (id, heldBy) => void await rig.incidents.setHeldBy(id, heldBy),
    },
    monitors: async (ids) => ids.flatMap((id) => monitors.get(id) ?? []),
    states: async (ids) => new Map(ids.flatMap((id) => {
      const seen = live.get(id);
      return seen ? [[id, seen] as const] : [];
    })),
    recheck: (id) => rechecked.push(id),
  });
  running.push(decisions);
  decisions.start();
  const gate = new DependencyGate({
    alerts: { fanOut: fanOut ?? ((alert) => alerts.fanOut(alert)) }, held, onHeld: () => decisions.trigger(), shardMap, clock,
  });
  return { gate, decisions, rechecked };
}

function add(name: string, status: MonitorLive['status'], depends_on: string[] = []): MonitorConfig {
  const config = monitorConfig({ name, depends_on });
  monitors.set(config.monitor_id, { _id: config.monitor_id, name, status: 'active', depends_on });
  setStatus(config.monitor_id, status);
  return config;
}

function setStatus(id: string, status: MonitorLive['status'], incidentId: string | null = null): void {
  const open = incidentId === null ? null : {
    id: incidentId, started_at: 1, severity: 'major' as const, type: 'timeout' as const, failure_count: 1,
  };
  live.set(id, {
    status, since: rig.clock.now(), in_maintenance: false, last_check_at: null, last_success_at: null,
    last_failure_at: null, open_incident: open,
    regions: [{ region: 'eu', status: 'down', reason: null, last_check_at: null, response_time_ms: null, probe_id: 'p' }],
  });
}

/** Takes a monitor down: its state, its incident, and the alert, which is returned. */
async function takeDown(monitor: MonitorConfig): Promise<Alert> {
  const startedAt = rig.clock.now();
  const incidentId = newId(startedAt);
  setStatus(monitor.monitor_id, 'down', incidentId);
  await rig.outbox.open({
    id: incidentId, monitor, severity: 'major', type: 'timeout', error_message: 'No response', affected_regions: ['eu'],
    failure_count: 2, started_at: startedAt,
  });
  return alertOf(monitor, incidentId, { startedAt });
}

async function recover(alert: Alert): Promise<Alert> {
  const resolvedAt = rig.clock.now();
  setStatus(alert.monitor.monitor_id, 'up');
  await rig.outbox.resolve({ id: idOf(alert), monitor: alert.monitor, resolved_at: resolvedAt, failure_count: 2 });
  return alertOf(alert.monitor, idOf(alert), { startedAt: alert.at, resolvedAt });
}

const idOf = ({ incident }: Alert) => incident?.id ?? '';
const received = () => receiver.requests.map(({ body }) => {
  const { event, monitor } = JSON.parse(String(body)) as { event: string; monitor: { name: string } };
  return `${event} ${monitor.name}`;
});
const isReceived = (count: number) => until(() => received().length === count, { what: `${count} alerts arrive`, timeoutMs: 8000 });
const heldBy = async (alert: Alert) => (await rig.incidents.findById(idOf(alert)))?.held_by?.name ?? null;
const isHeldBy = (alert: Alert, name: string | null) =>
  until(async () => (await heldBy(alert)) === name, { what: `held by ${String(name)}` });
const statusOf = async (alert: Alert) => (await held.latest(alert.monitor.monitor_id, 'monitor.down'))?.status;
const isLogged = (alert: Alert, statuses: string[]) => until(async () => {
  const entries = await rig.log(idOf(alert));
  return entries.map(({ status }) => status).toSorted().join() === statuses.toSorted().join() && entries;
}, { what: `log of ${statuses.join()}`, timeoutMs: 8000 });

describe('an alert of a monitor without dependencies', () => {
  test('is sent at once, and nothing is stored about it', async () => {
    const { gate } = controller();
    const alert = await takeDown(add('Shop', 'up'));
    await gate.fanOut(alert);
    await isReceived(1);
    await gate.fanOut(await recover(alert));
    await isReceived(2);
    expect(received()).toEqual(['monitor.down Shop', 'monitor.up Shop']);
    expect(await rig.mongo.db.collection('held_alerts').countDocuments({})).toBe(0);
  });
});

describe('an alert of a monitor with dependencies', () => {
  test('is held and logged while one is down, and sent a minute after its recovery', async () => {
    const { gate, rechecked } = controller();
    const router = add('Router', 'down');
    const alert = await takeDown(add('Shop', 'up', [add('Switch', 'up').monitor_id, router.monitor_id]));
    await gate.fanOut(alert);
    await gate.fanOut(alert);
    await isHeldBy(alert, 'Router');
    const [entry] = await isLogged(alert, ['suppressed']);
    expect(entry).toMatchObject({ error_message: 'the monitor depends on Router, which is down', channel: 'webhook' });
    rig.clock.warp(3_600_000);
    setStatus(router.monitor_id, 'up');
    rig.clock.warp(15_000);
    await until(() => rechecked.length > 0, { what: 'the monitor is checked again' });
    expect(received()).toEqual([]);
    expect(await heldBy(alert)).toBe('Router');
    rig.clock.warp(60_000);
    await isReceived(1);
    await isHeldBy(alert, null);
    await isLogged(alert, ['delivered', 'suppressed']);
    await gate.fanOut(await recover(alert));
    await isReceived(2);
    expect(received()).toEqual(['monitor.down Shop', 'monitor.up Shop']);
    expect(rechecked).toEqual([alert.monitor.monitor_id]);
  });

  test('is never sent if the monitor recovers first, and neither is the recovery', async () => {
    const { gate } = controller();
    const router = add('Router', 'down');
    const alert = await takeDown(add('Shop', 'up', [router.monitor_id]));
    await gate.fanOut(alert);
    await isLogged(alert, ['suppressed']);
    const recovery = await recover(alert);
    await gate.fanOut(recovery);
    await gate.fanOut(alert);
    await gate.fanOut(recovery);
    expect(await statusOf(alert)).toBe('ended');
    setStatus(router.monitor_id, 'up');
    rig.clock.warp(120_000);
    const next = await takeDown(alert.monitor);
    await gate.fanOut(next);
    await isReceived(1);
    await gate.fanOut(await recover(next));
    await isReceived(2);
    await isLogged(alert, ['suppressed']);
    await isLogged(next, ['delivered', 'delivered']);
  });

  test('waits for the check of a dependency that is up, and no longer', async () => {
    let end: (hasFailed: boolean) => void = () => undefined;
    const checked: string[] = [];
    const { gate } = controller({
      check: (id) => new Promise((resolve) => {
        checked.push(id);
        end = resolve;
      }),
    });
    const router = add('Router', 'up');
    const alerts = await Promise.all([1, 2].map((at) => takeDown(add(`Shop ${at}`, 'up', [router.monitor_id]))));
    for (const alert of alerts) await gate.fanOut(alert);
    for (const alert of alerts) await isHeldBy(alert, 'Router');
    expect(received()).toEqual([]);
    rig.clock.freeze();
    end(false);
    await until(() => checked.length > 1 || received().length === 2);
    end(false);
    await isReceived(2);
    expect(new Set(checked)).toEqual(new Set([router.monitor_id]));
    expect(checked.length).toBeLessThanOrEqual(2);
    for (const alert of alerts) await isLogged(alert, ['delivered']);
    rig.clock.thaw();
  });

  test('is held if the check finds the dependency down, which its rechecks confirm', async () => {
    const router = add('Router', 'up');
    let failures = 0;
    const { gate } = controller({
      check: async (id) => {
        failures += 1;
        if (failures === 3) setStatus(id, 'down', newId(1));
        return true;
      },
    });
    const alert = await takeDown(add('Shop', 'up', [router.monitor_id]));
    await gate.fanOut(alert);
    await isLogged(alert, ['suppressed']);
    expect(failures).toBeGreaterThanOrEqual(3);
    expect(received()).toEqual([]);
  });

  test('is sent after a minute in which a failing check was not confirmed', async () => {
    const { gate } = controller({ check: async () => true });
    const alert = await takeDown(add('Shop', 'up', [add('Router', 'up').monitor_id]));
    await gate.fanOut(alert);
    await isHeldBy(alert, 'Router');
    rig.clock.warp(60_000);
    await isReceived(1);
    await isLogged(alert, ['delivered']);
    await isHeldBy(alert, null);
  });

  test.each<[string, (id: string) => void]>([
    ['deleted', (id) => monitors.delete(id)],
    ['paused', (id) => monitors.set(id, { ...monitors.get(id) as RelatedMonitor, status: 'paused' })],
  ])('is not held by a dependency that is %s', async (_what, change) => {
    const { gate } = controller();
    const router = add('Router', 'down');
    change(router.monitor_id);
    await gate.fanOut(await takeDown(add('Shop', 'up', [router.monitor_id])));
    await isReceived(1);
  });

  test('ends without being sent if a person ends its incident, or its monitor is paused', async () => {
    const { gate } = controller();
    const router = add('Router', 'down');
    const [ended, paused] = [
      await takeDown(add('Shop', 'up', [router.monitor_id])), await takeDown(add('Mail', 'up', [router.monitor_id])),
    ];
    for (const alert of [ended, paused]) {
      await gate.fanOut(alert);
      await isLogged(alert, ['suppressed']);
    }
    await rig.incidents.markResolved(idOf(ended), { updated_at: rig.clock.now(), resolved_at: rig.clock.now() });
    const { monitor_id } = paused.monitor;
    monitors.set(monitor_id, { ...monitors.get(monitor_id) as RelatedMonitor, status: 'paused' });
    setStatus(router.monitor_id, 'up');
    for (let turn = 0; turn < 8; turn += 1) rig.clock.warp(10_000);
    await until(async () => {
      rig.clock.warp(1000);
      return (await statusOf(ended)) === 'ended' && (await statusOf(paused)) === 'ended';
    }, { what: 'both end' });
    expect(received()).toEqual([]);
  });

  test('of a certificate is sent at once', async () => {
    const { gate } = controller();
    const alert = await takeDown(add('Shop', 'up', [add('Router', 'down').monitor_id]));
    await gate.fanOut({ ...alert, event: 'monitor.ssl_expiring', incident: null, expiry: { expires_at: 1, days: 7 } });
    await isReceived(1);
  });

  test('is held by a dependency that is itself held by another', async () => {
    const { gate } = controller();
    const uplink = add('Uplink', 'down');
    const router = await takeDown(add('Router', 'up', [uplink.monitor_id]));
    const alert = await takeDown(add('Shop', 'up', [router.monitor.monitor_id]));
    await gate.fanOut(alert);
    await gate.fanOut(router);
    await isHeldBy(alert, 'Router');
    await isHeldBy(router, 'Uplink');
    expect(received()).toEqual([]);
  });
});

describe('a dying controller', () => {
  test('leaves the alerts that it held to another one', async () => {
    const dying = controller();
    const router = add('Router', 'down');
    const alert = await takeDown(add('Shop', 'up', [router.monitor_id]));
    await dying.gate.fanOut(alert);
    await isLogged(alert, ['suppressed']);
    await dying.decisions.stop();
    setStatus(router.monitor_id, 'up');
    const { rechecked } = controller();
    await until(() => {
      rig.clock.warp(1000);
      return rechecked.length > 0;
    }, { what: 'the recovery is noticed' });
    rig.clock.warp(60_000);
    await isReceived(1);
    await isLogged(alert, ['delivered', 'suppressed']);
  });

  test('that dies between the release and the sending leaves that to another one, once', async () => {
    const dying = controller({ fanOut: () => Promise.reject(new Error('killed')) });
    const alert = await takeDown(add('Shop', 'up', [add('Router', 'up').monitor_id]));
    await dying.gate.fanOut(alert);
    await until(async () => (await statusOf(alert)) === 'released', { what: 'released' });
    await dying.decisions.stop();
    const [one, other] = [controller(), controller()];
    one.decisions.trigger();
    other.decisions.trigger();
    await isReceived(1);
    // The shard's owner repeats what the dead controller did.
    await other.gate.fanOut(alert);
    await until(async () => (await held.latest(alert.monitor.monitor_id, 'monitor.down'))?.due_at === undefined);
    await isLogged(alert, ['delivered']);
    expect(received()).toHaveLength(1);
  });

  test('that dies after the release still sends the alert before its recovery', async () => {
    const dying = controller({ fanOut: () => Promise.reject(new Error('killed')) });
    const alert = await takeDown(add('Shop', 'up', [add('Router', 'up').monitor_id]));
    await dying.gate.fanOut(alert);
    await until(async () => (await statusOf(alert)) === 'released', { what: 'released' });
    await dying.decisions.stop();
    const { alerts } = delivering;
    const gate = new DependencyGate({ alerts, held, onHeld: () => undefined, shardMap, clock: rig.clock });
    await gate.fanOut(await recover(alert));
    await isReceived(2);
    expect(received()).toEqual(['monitor.down Shop', 'monitor.up Shop']);
  });
});

describe('a monitor whose dependencies are removed while its alert is held', () => {
  const gateAlone = () => new DependencyGate({
    alerts: delivering.alerts, held, onHeld: () => undefined, shardMap, clock: rig.clock,
  });
  const freed = (alert: Alert): Alert => ({ ...alert, monitor: { ...alert.monitor, depends_on: [] } });
  const asNoData = (alert: Alert): Alert => ({
    ...alert, event: alert.event === 'monitor.up' ? 'monitor.no_data_resolved' : 'monitor.no_data', incident: null, error: null,
  });

  test.each<[what: string, as: (alert: Alert) => Alert, events: string[]]>([
    ['an outage', (alert) => alert, ['monitor.down Shop', 'monitor.up Shop']],
    ['no data', asNoData, ['monitor.no_data Shop', 'monitor.no_data_resolved Shop']],
  ])('recovers from %s without an alert, and is alerted about the next time', async (_what, as, events) => {
    const gate = gateAlone();
    const alert = await takeDown(add('Shop', 'up', [add('Router', 'up').monitor_id]));
    await gate.fanOut(as(alert));
    const recovery = freed(as(await recover(alert)));
    for (let repeat = 0; repeat < 2; repeat += 1) await gate.fanOut(recovery);
    const next = await takeDown(alert.monitor);
    await gate.fanOut(freed(as(next)));
    await gate.fanOut(freed(as(await recover(next))));
    await isReceived(2);
    expect(received()).toEqual(events);
  });

  test('gets an alert that was released before its recovery', async () => {
    const dying = controller({ fanOut: () => Promise.reject(new Error('killed')) });
    const alert = await takeDown(add('Shop', 'up', [add('Router', 'up').monitor_id]));
    await dying.gate.fanOut(alert);
    await until(async () => (await statusOf(alert)) === 'released', { what: 'released' });
    await dying.decisions.stop();
    await gateAlone().fanOut(freed(await recover(alert)));
    await isReceived(2);
    expect(received()).toEqual(['monitor.down Shop', 'monitor.up Shop']);
  });

  test('recovers with an alert from no data that was not held, after one that ended when it was paused', async () => {
    const { gate, decisions } = controller();
    const alert = await takeDown(add('Shop', 'up', [add('Router', 'down').monitor_id]));
    await gate.fanOut(asNoData(alert));
    const { monitor_id } = alert.monitor;
    monitors.set(monitor_id, { ...monitors.get(monitor_id) as RelatedMonitor, status: 'paused' });
    await until(async () => {
      rig.clock.warp(1000);
      return (await held.latest(monitor_id, 'monitor.no_data'))?.status === 'ended';
    }, { what: 'it ends' });
    await decisions.stop();
    await gate.fanOut(freed(asNoData(await takeDown(alert.monitor))));
    await gate.fanOut(freed(asNoData(await recover(alert))));
    await isReceived(2);
    expect(received()).toEqual(['monitor.no_data Shop', 'monitor.no_data_resolved Shop']);
  });
});

test('a settled alert is removed weeks later, a held one never', async () => {
  const { gate } = controller();
  const up = await takeDown(add('Shop', 'up', [add('Router', 'up').monitor_id]));
  const down = await takeDown(add('Mail', 'up', [add('Uplink', 'down').monitor_id]));
  for (const alert of [up, down]) await gate.fanOut(alert);
  await isReceived(1);
  await isLogged(down, ['suppressed']);
  await until(async () => (await held.removeSettled(rig.clock.now() + 1, 10)) === 1, { what: 'one is removed' });
  expect(await statusOf(up)).toBeUndefined();
  expect(await statusOf(down)).toBe('held');
});
