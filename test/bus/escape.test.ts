import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { natsVersions } from '../helpers/nats-programs.ts';
import { startNats, type TestNats } from '../helpers/nats-server.ts';
import { until } from '../helpers/until.ts';
import { connectController, connectProbe, makeProbeUser, type TestConnection } from './probe-user.ts';

/** Subjects that someone with a stolen probe credential would try to read. */
const FORBIDDEN_SUBSCRIPTIONS = [
  '>',
  'assign.>',
  'assign.us-east.probe-2',
  'run.us-east.probe-2',
  'results.>',
  'sync.us-east.probe-2',
  'beat.>',
  'evidence.>',
  '_INBOX.>',
  '_INBOX_probe-2.>',
  '_R_.>',
  'raw.>',
  'events.>',
  '$SYS.>',
  '$JS.>',
];

/** And to publish to. */
const FORBIDDEN_PUBLISHES = [
  'results.05.us-east.probe-1',
  'results.05.eu-west.probe-2',
  'results.05.us-east.probe-2',
  'sync.us-east.probe-2',
  'beat.us-east.probe-2',
  'evidence.us-east.probe-2',
  'assign.eu-west.probe-1',
  'assign.us-east.probe-2',
  'run.us-east.probe-2',
  'raw.org.project.monitor.eu-west',
  'events.org.project.incident',
  'ask.05.state',
  'poke.05',
  '$JS.API.INFO',
  '$JS.API.STREAM.DELETE.RAW',
  '$SYS.REQ.SERVER.PING',
];

describe.each(natsVersions())('a stolen probe credential on %s', (version) => {
  const thief = makeProbeUser('eu-west', 'probe-1');
  const other = makeProbeUser('us-east', 'probe-2');
  let nats: TestNats;
  let control: TestConnection;
  let stolen: TestConnection;
  let victim: TestConnection;
  const seenByControl: string[] = [];
  const seenByVictim: { subject: string; text: string }[] = [];

  beforeAll(async () => {
    nats = await startNats({ version, jetStream: true });
    await nats.setUsers([thief.entry, other.entry]);
    control = await connectController(nats.url, nats.controllerSeed);
    const manager = await control.nc.jetstreamManager();
    await manager.streams.add({ name: 'RAW', subjects: ['raw.>'] });
    control.nc.subscribe('>', { callback: (_error, message) => void seenByControl.push(message.subject) });
    stolen = await connectProbe(nats.url, thief, null);
    victim = await connectProbe(nats.url, other);
    for (const subject of ['assign.us-east.probe-2', 'run.us-east.probe-2']) {
      victim.nc.subscribe(subject, { callback: (_error, message) =>
        void seenByVictim.push({ subject: message.subject, text: message.string() }) });
    }
    await Promise.all([control.nc.flush(), victim.nc.flush()]);
  });

  afterAll(async () => {
    await Promise.all([control, stolen, victim].map((connection) => connection?.nc.close()));
    await nats?.stop();
  });

  test.each(FORBIDDEN_SUBSCRIPTIONS)('cannot subscribe to %s and receives none of its messages', async (subject) => {
    const seen: string[] = [];
    const subscription = stolen.nc.subscribe(
      subject, { callback: (error, message) => void (error ?? seen.push(message.subject)) },
    );
    await until(
      () => stolen.statuses.some((status) => status.endsWith(`subscription ${subject}`)),
      { what: `refusal of ${subject}` },
    );
    for (const bait of [
      'assign.us-east.probe-2', 'run.us-east.probe-2', 'raw.o.p.m.r', 'events.o.p.incident',
    ]) {
      control.nc.publish(bait, 'bait');
    }
    victim.nc.publish('beat.us-east.probe-2', 'bait');
    victim.nc.publish('results.05.us-east.probe-2', 'bait', { reply: '_INBOX_probe-2.x' });
    await Promise.all([control.nc.flush(), victim.nc.flush(), stolen.nc.flush()]);
    expect(seen).toEqual([]);
    subscription.unsubscribe();
  });

  test.each(FORBIDDEN_PUBLISHES)('cannot publish to %s', async (subject) => {
    const before = seenByControl.length;
    const victimBefore = seenByVictim.length;
    stolen.nc.publish(subject, 'forged');
    await until(
      () => stolen.statuses.some((status) => status.endsWith(`publish ${subject}`)),
      { what: `refusal of ${subject}` },
    );
    await Promise.all([stolen.nc.flush(), control.nc.flush(), victim.nc.flush()]);
    expect(seenByControl.slice(before)).not.toContain(subject);
    expect(seenByVictim.slice(victimBefore)).toEqual([]);
  });

  test('a request with another probe\'s inbox as its own is refused at the subscription', async () => {
    const { nc, statuses } = await connectProbe(nats.url, thief, '_INBOX_probe-2');
    await expect(nc.request('sync.eu-west.probe-1', 'x', { timeout: 400 })).rejects.toThrow();
    await until(
      () => statuses.some((status) => /subscription _INBOX_probe-2\./.test(status)), { what: 'refusal' },
    );
    await nc.close();
  });

  test('a forged reply subject receives at most the controller\'s own response, and nothing the attacker chose', async () => {
    const responder = control.nc.subscribe(
      'sync.*.*', { callback: (_error, message) => void message.respond('answer of the controller') },
    );
    await control.nc.flush();
    const before = seenByVictim.length;
    for (const reply of ['assign.us-east.probe-2', 'run.us-east.probe-2']) {
      stolen.nc.publish('sync.eu-west.probe-1', 'forged', { reply });
    }
    await Promise.all([stolen.nc.flush(), control.nc.flush(), victim.nc.flush()]);
    const arrived = seenByVictim.slice(before);
    expect(arrived.every((message) => message.text === 'answer of the controller')).toBe(true);
    await responder.drain();
  });

  test('a reply subject reserved by the server is refused', async () => {
    const before = seenByControl.length;
    stolen.nc.publish('sync.eu-west.probe-1', 'forged', { reply: '_R_.abcdef.ghijkl' });
    await until(() => /Reply/.test(nats.log()), { what: 'the server logs a violation' });
    await control.nc.flush();
    expect(seenByControl.slice(before)).not.toContain('sync.eu-west.probe-1');
  });

  test('everything it is permitted to do still works', async () => {
    const before = seenByControl.length;
    stolen.nc.publish('beat.eu-west.probe-1', 'beat');
    await until(() => seenByControl.slice(before).includes('beat.eu-west.probe-1'), { what: 'its own beat' });
  });
});
