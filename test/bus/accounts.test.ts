import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { natsVersions } from '../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { until } from '../helpers/until.ts';
import { connectController, connectProbe, makeProbeUser, type TestConnection } from './probe-user.ts';

describe.each(natsVersions())('the two accounts on %s', (version) => {
  const own = makeProbeUser('eu-west', 'probe-1');
  const other = makeProbeUser('us-east', 'probe-2');
  let nats: TestNats;
  let control: TestConnection;
  let probe: TestConnection;
  let victim: TestConnection;

  beforeAll(async () => {
    nats = await startNats({ version, jetStream: true });
    await nats.setUsers([own.entry, other.entry]);
    control = await connectController(nats.url, nats.controllerSeed);
    probe = await connectProbe(nats.url, own);
    victim = await connectProbe(nats.url, other);
  });

  afterAll(async () => {
    await Promise.all([control, probe, victim].map((connection) => connection?.nc.close()));
    await nats?.stop();
  });

  test('the shard\'s owner responds to a batch and identifies the probe by the subject', async () => {
    const owner = control.nc.subscribe(
      'results.05.*.*',
      { callback: (_error, message) => message.respond(`watermark for ${message.subject}`) },
    );
    await control.nc.flush();
    const response = await probe.nc.request('results.05.eu-west.probe-1', 'batch', { timeout: 60_000 });
    expect(response.string()).toBe('watermark for results.05.eu-west.probe-1');
    await owner.drain();
  });

  test('a queue group shares sync requests: one response each, and every member handles some', async () => {
    const served = [0, 0];
    const members = [0, 1].map((at) =>
      control.nc.subscribe('sync.*.*', {
        queue: 'controllers',
        callback: (_error, message) => {
          served[at] = (served[at] ?? 0) + 1;
          message.respond('changes');
        },
      }),
    );
    await control.nc.flush();
    for (let sent = 0; sent < 40; sent += 1) {
      await probe.nc.request('sync.eu-west.probe-1', 'revision 0', { timeout: 60_000 });
    }
    expect((served[0] ?? 0) + (served[1] ?? 0)).toBe(40);
    expect(Math.min(...served)).toBeGreaterThan(0);
    await Promise.all(members.map((member) => member.drain()));
  });

  test('a beat reaches every controller; an assignment reaches only its probe', async () => {
    const beats: string[] = [];
    const listeners = [0, 1].map(() => control.nc.subscribe(
      'beat.*.*', { callback: (_error, message) => void beats.push(message.subject) },
    ));
    const assigned: string[] = [];
    const forOwn = probe.nc.subscribe(
      'assign.eu-west.probe-1',
      { callback: (_error, message) => void assigned.push(`own ${message.string()}`) },
    );
    const forOther = victim.nc.subscribe(
      'assign.us-east.probe-2',
      { callback: (_error, message) => void assigned.push(`other ${message.string()}`) },
    );
    await Promise.all([control.nc.flush(), probe.nc.flush(), victim.nc.flush()]);
    probe.nc.publish('beat.eu-west.probe-1', 'beat');
    control.nc.publish('assign.eu-west.probe-1', 'revision 1');
    await until(() => beats.length === 2 && assigned.length === 1, { what: 'two beats and one assignment' });
    expect(assigned).toEqual(['own revision 1']);
    await Promise.all([...listeners, forOwn, forOther].map((subscription) => subscription.drain()));
  });

  test('a controller orders a check and gets exactly one response', async () => {
    const runner = probe.nc.subscribe('run.eu-west.probe-1', {
      callback: (_error, message) => {
        message.respond('result');
        message.respond('a second one');
      },
    });
    await probe.nc.flush();
    const response = await control.nc.request('run.eu-west.probe-1', 'check', { timeout: 60_000 });
    expect(response.string()).toBe('result');
    await until(
      () => probe.statuses.some((status) => status.includes('publish _R_')),
      { what: 'the second response is refused' },
    );
    await runner.drain();
  });

  test('without an owner a request fails', async () => {
    const [expected, timeout] = version === 'newest' ? [/503/, 60_000] : [/TIMEOUT/, 500];
    await expect(probe.nc.request('results.06.eu-west.probe-1', 'batch', { timeout })).rejects.toThrow(
      expected,
    );
  });

  test('a reload for one probe does not disturb another; a removed one is disconnected', async () => {
    const third = makeProbeUser('eu-west', 'probe-3');
    const before = victim.statuses.length;
    await nats.setUsers([own.entry, other.entry, third.entry]);
    const connection = await connectProbe(nats.url, third);
    await nats.setUsers([own.entry, other.entry]);
    await until(
      () => connection.statuses.some((status) => status.startsWith('disconnect')), { what: 'the removed probe is disconnected' },
    );
    await connection.nc.closed();
    await expect(connectProbe(nats.url, third)).rejects.toThrow(/Authorization/);
    expect(victim.statuses.slice(before)).toEqual([]);
  });

  test('unknown and anonymous clients are refused', async () => {
    await expect(connectProbe(nats.url, makeProbeUser('eu-west', 'probe-1'))).rejects.toThrow(
      /Authorization/,
    );
    const { connect } = await import('nats');
    await expect(connect({ servers: nats.url, maxReconnectAttempts: 0 })).rejects.toThrow(/Authorization/);
  });
});
