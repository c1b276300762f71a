import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMailer } from '../../controller/platform/mail/mailer.ts';
import type { Mailer } from '../../controller/platform/mail/mailer-port.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { alertOf, DeliveryRig, monitorConfig, type DeliveringController } from '../helpers/delivery-rig.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';

let smtp: TestSmtpServer;
let rig: DeliveryRig;
let mailer: Mailer;
let alerts: DeliveringController['alerts'];
beforeAll(async () => {
  [smtp, rig] = await Promise.all([startSmtpServer(), DeliveryRig.start()]);
  mailer = openMailer(
    { from: 'Farwatch <farwatch@example.com>', isFromConfigured: true, mailgun: null, smtpUrl: smtp.url },
    { folder: 'unused', clock: systemClock, log: createLog('test', 'silent') },
  );
  ({ alerts } = rig.controller({ mailer }));
});
afterAll(async () => {
  await mailer.close();
  await rig.stop();
  await smtp.stop();
});

/** Raises an alert to this address only; returns its log entry. */
async function outage(to: string) {
  const { _id } = await rig.destination({ type: 'email', config: { to: [to] } }, { is_default: false });
  const monitor = monitorConfig({ notification_target_ids: [_id] });
  const incidentId = newId(Date.now());
  await alerts.fanOut(alertOf(monitor, incidentId, { startedAt: rig.clock.now() }));
  const entry = async () => (await rig.log(incidentId))[0];
  const health = async () => (await rig.queues.health([_id])).get(_id);
  return { entry, health };
}

test('an alert uses up no attempt while the relay is busy, and arrives afterwards', async () => {
  await smtp.behave({ code: 421, text: 'Too many connections', at: 'rcpt' });
  const { entry, health } = await outage('patient@example.com');
  for (let time = 1; time <= 8; time += 1) {
    await until(async () => (await entry())?.deferrals === time, { what: `deferral ${time}` });
    rig.clock.warp(400_000);
  }
  const waiting = await entry();
  expect(waiting).toMatchObject({ status: 'pending', attempts: 0, retry_count: 0 });
  expect(waiting?.error_message).toContain('Too many connections');
  expect((await health())?.status).toBe('unknown');
  await smtp.behave('accept');
  rig.clock.warp(400_000);
  await until(async () => (await entry())?.status === 'delivered');
  expect(await entry()).toMatchObject({ attempts: 1, retry_count: 0, error_message: null });
  expect(smtp.mails.filter((mail) => mail.to.includes('patient@example.com'))).toHaveLength(1);
});

test('an alert ends as failed, with the reason, when the relay was busy for a day', async () => {
  await smtp.behave({ code: 451, text: '4.3.2 Try later, server busy', at: 'data' });
  const { entry, health } = await outage('late@example.com');
  await until(async () => (await entry())?.deferrals === 1);
  rig.clock.warp(86_400_001);
  await until(async () => (await entry())?.status === 'failed');
  expect(await entry()).toMatchObject({ attempts: 0, error_message: expect.stringContaining('server busy') as string });
  await until(async () => (await health())?.status === 'failing');
  expect((await health())?.last_error).toContain('server busy');
  await smtp.behave('accept');
});
