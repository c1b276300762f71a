import { afterEach, beforeEach, expect } from 'vitest';
import { openMailer, type MailConfig } from '../../controller/platform/mail/mailer.ts';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import { HttpPoster } from '../../controller/platform/outbound/poster.ts';
import { createResolver } from '../../controller/platform/outbound/resolver.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { SimulatedClock } from '../helpers/simulated-clock.ts';
import { systemClock } from '../../shared/time.ts';
import { alertOf, DeliveryRig, monitorConfig } from '../helpers/delivery-rig.ts';
import { drip } from '../helpers/drip.ts';
import { startMailgunServer } from '../helpers/mailgun-server.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';

let rig: DeliveryRig;
let receiver: Receiver;
beforeEach(async () => {
  [rig, receiver] = await Promise.all([DeliveryRig.start(), startReceiver()]);
});
afterEach(async () => {
  await rig.stop();
  await receiver.close();
});

const settled = (incidentId: string, status: string, count = 1) =>
  until(
    async () => (await rig.log(incidentId)).filter((entry) => entry.status === status).length === count,
    { what: `${count} ${status}` },
  );

/** True if no delivery of the destination is in flight or due before its next attempt. */
const isIdle = (destinationId: string) =>
  async () => ((await rig.queues.find(destinationId))?.due_at ?? 0) > rig.clock.now();

function mailerBy(overrides: Partial<MailConfig>) {
  const config = {
    from: 'Farwatch <farwatch@example.com>', isFromConfigured: true, mailgun: null, smtpUrl: null, ...overrides,
  };
  return openMailer(config, { folder: 'unused', clock: systemClock, log: createLog('test', 'silent') });
}

async function outage(
  alerts: ReturnType<DeliveryRig['controller']>['alerts'], destinationId: string,
): Promise<string> {
  const incidentId = newId(rig.clock.now());
  await alerts.fanOut(alertOf(
    monitorConfig({ notification_target_ids: [destinationId] }), incidentId, { startedAt: rig.clock.now() },
  ));
  return incidentId;
}

fault('F29', 'a receiver returns 500 twice, then 200; another one is healthy', async () => {
  const { alerts } = rig.controller();
  const well = await startReceiver();
  receiver.choose(() => (receiver.requests.length <= 2 ? 500 : 200));
  const [failing, healthy] = [await rig.destination(receiver.url), await rig.destination(well.url)];
  const [first, other] = [await outage(alerts, failing._id), await outage(alerts, healthy._id)];
  await settled(other, 'delivered');
  for (const waitMs of [12_000, 36_000]) {
    await until(isIdle(failing._id));
    expect((await rig.log(first))[0]?.status).toBe('pending');
    rig.clock.warp(waitMs);
  }
  await settled(first, 'delivered');
  expect((await rig.log(first))[0]).toMatchObject({ retry_count: 2, error_message: null });
  expect([receiver.requests.length, well.requests.length]).toEqual([3, 1]);
  await well.close();
  return '3 attempts, delivered, retry_count 2; the other got 1 at once';
});

fault('F30', 'a receiver returns 410', async () => {
  const { alerts } = rig.controller();
  receiver.behave(410);
  const { _id } = await rig.destination(receiver.url);
  const incidentId = await outage(alerts, _id);
  await settled(incidentId, 'failed');
  rig.clock.warp(2 * 3_600_000);
  await until(async () => (await rig.queues.find(_id))?.due_at === undefined);
  expect(receiver.requests).toHaveLength(1);
  expect((await rig.destinations.findById(_id))?.enabled).toBe(true);
  return '1 attempt, failed, destination enabled';
});

fault('F31', 'a receiver sends its response headers byte by byte; 20 alerts go to another one', async () => {
  // The test controls when this poster's deadlines pass.
  const clock = new SimulatedClock();
  const vetting = createAddressVetting({ resolve: createResolver(systemClock), allowPrivate: true, clock: systemClock });
  const poster = new HttpPoster({ clock, vetting });
  const { alerts } = rig.controller({ poster });
  const well = await startReceiver();
  receiver.behave(
    (response) => void (response.socket && drip(response.socket, 'HTTP/1.1 200 OK\r\nX-Slow: a', 100)),
  );
  const [dripping, healthy] = [await rig.destination(receiver.url), await rig.destination(well.url)];
  const held = await outage(alerts, dripping._id);
  await until(() => receiver.requests.length === 1);
  for (let count = 0; count < 20; count += 1) await outage(alerts, healthy._id);
  await until(() => well.requests.length === 20);
  expect((await rig.log(held))[0]).toMatchObject({ status: 'pending', error_message: null });
  await clock.advance(10_000);
  await until(async () => (await rig.log(held))[0]?.error_message);
  expect((await rig.log(held))[0]?.error_message).toBe('no response within 10 seconds');
  await poster.close();
  await well.close();
  return '20 of 20 others meanwhile; aborted after 10 s';
});

fault('F32', 'a receiver redirects to 127.0.0.1 and to a metadata address', async () => {
  const { alerts } = rig.controller();
  const sink = await startReceiver();
  const { _id } = await rig.destination(receiver.url);
  for (const location of [sink.url, 'http://169.254.169.254/latest']) {
    receiver.behave((response) => void response.writeHead(302, { location }).end());
    await settled(await outage(alerts, _id), 'failed');
  }
  expect([receiver.requests.length, sink.connections]).toEqual([2, 0]);
  await sink.close();
  return '2 attempts, 2 failed, 0 connections at the private address';
});

fault('F33', 'Mailgun is down for 30 minutes with 10 alerts waiting for 2 recipients', async () => {
  const mailgun = await startMailgunServer();
  const mailer = mailerBy({ mailgun: { apiKey: 'key', domain: 'mail.example', url: mailgun.url } });
  const { alerts } = rig.controller({ mailer });
  mailgun.fail(503, 'down');
  const { _id } =
    await rig.destination({ type: 'email', config: { to: ['a@example.com', 'b@example.com'] } });
  const incidentIds = [];
  for (let count = 0; count < 10; count += 1) incidentIds.push(await outage(alerts, _id));
  for (let minutes = 0; minutes < 30; minutes += 3) {
    await until(isIdle(_id));
    rig.clock.warp(180_000);
  }
  await until(isIdle(_id));
  expect(mailgun.messages).toHaveLength(0);
  mailgun.accept();
  rig.clock.warp(3_600_000 * 1.2);
  for (const incidentId of incidentIds) await settled(incidentId, 'delivered', 2);
  const received =
    mailgun.messages.map((message) => `${message.to} ${/incidents\/([0-9a-f-]+)/.exec(message.text)?.[1]}`);
  expect(received.toSorted()).toEqual(
    incidentIds.flatMap((id) => [`a@example.com ${id}`, `b@example.com ${id}`]).toSorted(),
  );
  await mailer.close();
  await mailgun.close();
  return '20 of 20 mails after it recovered, 0 lost, 0 duplicated';
});

fault('F33', 'an SMTP server greylists with 451, then rejects a recipient with 550', async () => {
  const smtp = await startSmtpServer();
  const mailer = mailerBy({ smtpUrl: smtp.url });
  const { alerts } = rig.controller({ mailer });
  const { _id } = await rig.destination({ type: 'email', config: { to: ['a@example.com'] } });
  await smtp.behave({ code: 451, text: 'greylisted, come again', at: 'rcpt' });
  const grey = await outage(alerts, _id);
  await until(isIdle(_id));
  expect((await rig.log(grey))[0]).toMatchObject({
    status: 'pending', recipient: 'a@example.com', channel: 'email',
    error_message: expect.stringContaining('greylisted'),
  });
  await smtp.behave('accept');
  rig.clock.warp(12_000);
  await settled(grey, 'delivered');
  await smtp.behave({ code: 550, text: 'no such user', at: 'rcpt' });
  const bounced = await outage(alerts, _id);
  await settled(bounced, 'bounced');
  rig.clock.warp(2 * 3_600_000);
  await until(async () => (await rig.queues.find(_id))?.due_at === undefined);
  expect((await rig.log(bounced))[0]).toMatchObject({
    status: 'bounced', retry_count: 0, error_message: expect.stringContaining('no such user'),
  });
  expect(smtp.mails.map((mail) => mail.to)).toEqual([['a@example.com']]);
  await mailer.close();
  await smtp.stop();
  return '451: retried once, delivered once; 550: bounced after 1 attempt';
});
