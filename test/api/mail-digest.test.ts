import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMailer } from '../../controller/platform/mail/mailer.ts';
import type { Mailer } from '../../controller/platform/mail/mailer-port.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock } from '../../shared/time.ts';
import { alertOf, DeliveryRig, monitorConfig, TENANT, type DeliveringController } from '../helpers/delivery-rig.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;

let smtp: TestSmtpServer;
let rig: DeliveryRig;
let mailer: Mailer;
let first: DeliveringController;
beforeAll(async () => {
  [smtp, rig] = await Promise.all([startSmtpServer(), DeliveryRig.start()]);
  mailer = openMailer(
    { from: 'Farwatch <farwatch@example.com>', isFromConfigured: true, mailgun: null, smtpUrl: smtp.url },
    { folder: 'unused', clock: systemClock, log: createLog('test', 'silent') },
  );
  first = rig.controller({ mailer });
});
afterAll(async () => {
  await mailer.close();
  await rig.stop();
  await smtp.stop();
});

const mailsTo = (address: string) => smtp.mails.filter((mail) => mail.to.includes(address));
const digestsTo = (address: string) =>
  mailsTo(address).filter((mail) => mail.headers['subject']?.startsWith('[DIGEST]'));
const entriesOf = (recipient: string) =>
  rig.mongo.db.collection('deliveries').find({ recipient }).sort({ queued_at: 1 }).toArray();

/** This many outages of different monitors, each with an alert to these destinations. */
async function outages(count: number, ids: string[], { alerts } = first, at = 0): Promise<void> {
  for (let number = at; number < at + count; number += 1) {
    const monitor = monitorConfig({ name: `Monitor ${number}`, notification_target_ids: ids });
    await alerts.fanOut(alertOf(monitor, newId(Date.now()), { startedAt: rig.clock.now() }));
  }
}
const mailTo = async (to: string[], change = {}) =>
  (await rig.destination({ type: 'email', config: { to } }, { is_default: false, ...change }))._id;
const delivered = async (to: string) =>
  (await entriesOf(to)).filter((entry) => entry['status'] === 'delivered').length;

describe('beyond sixty alerts an hour', () => {
  test('the rest arrive as one mail at the end of the hour, and each has its log entry', async () => {
    const [to, other] = ['many@example.com', 'calm@example.com'];
    const id = await mailTo([to]);
    await outages(65, [id]);
    const calm = await mailTo([other]);
    await outages(1, [calm], first, 99);
    await until(async () => (await delivered(to)) === 60 && (await delivered(other)) === 1);
    expect(mailsTo(to)).toHaveLength(60);
    expect((await entriesOf(to)).slice(60).map((entry) => [entry['status'], entry['attempts']])).toEqual(
      Array.from({ length: 5 }, () => ['pending', 0]),
    );
    rig.clock.warp(HOUR_MS);
    await until(async () => (await delivered(to)) === 65);
    expect(digestsTo(to)).toHaveLength(1);
    const [digest] = digestsTo(to);
    expect(digest?.headers['subject']).toBe('[DIGEST] 5 more alerts from the last hour');
    for (let number = 60; number < 65; number += 1) {
      expect(digest?.text).toContain(`[DOWN] Monitor ${number} `);
      expect(digest?.html).toContain(`[DOWN] Monitor ${number} `);
    }
    expect(digest?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    expect((await entriesOf(to)).every((entry) => entry['attempts'] === 1)).toBe(true);

    await outages(1, [id], first, 200);
    await until(async () => (await delivered(to)) === 66);
    expect(mailsTo(to).at(-1)?.headers['subject']).toContain('[DOWN] Monitor 200');
  });

  test('two destinations of one organization share the hour and the digest, and other organizations do not', async () => {
    const to = 'shared@example.com';
    const ids = [await mailTo([to]), await mailTo([to])];
    await outages(31, ids);
    const foreign = await mailTo([to], { organization_id: 'org-2' });
    const monitor = monitorConfig({ organization_id: 'org-2', notification_target_ids: [foreign] });
    await first.alerts.fanOut(alertOf(monitor, newId(Date.now()), { startedAt: rig.clock.now() }));
    await until(async () => (await delivered(to)) === 61);
    rig.clock.warp(HOUR_MS);
    await until(async () => (await delivered(to)) === 63);
    expect(digestsTo(to).map((mail) => mail.headers['subject'])).toEqual([
      '[DIGEST] 2 more alerts from the last hour',
    ]);
  });

  test('a digest survives a restart, is repeated when the relay refuses it, and loses nothing', async () => {
    const to = 'restart@example.com';
    const id = await mailTo([to]);
    await outages(63, [id]);
    await until(async () => (await delivered(to)) === 60);
    await first.service.stop(2000);
    await smtp.behave({ code: 451, text: 'Greylisted', at: 'rcpt', to });
    rig.clock.warp(HOUR_MS);
    first = rig.controller({ mailer });
    await until(async () => (await entriesOf(to)).slice(60).every((entry) => entry['attempts'] === 1));
    await smtp.behave('accept');
    rig.clock.warp(60_000);
    await until(async () => (await delivered(to)) === 63);
    expect(digestsTo(to)).toHaveLength(1);
    expect((await entriesOf(to)).slice(60).map((entry) => entry['attempts'])).toEqual([2, 2, 2]);
  });

  test('raising the same alert again counts once', async () => {
    const recipient = { organizationId: TENANT.organizationId, address: 'twice@example.com' };
    const now = rig.clock.now();
    const admit = (id: string, at = now) => rig.windows.admit(recipient, id, at);
    for (let time = 0; time < 3; time += 1) {
      for (let number = 0; number < 60; number += 1) expect(await admit(`delivery-${number}`)).toBeNull();
    }
    const place = await admit('one more');
    expect(place?.digest_at).toBe(now + HOUR_MS);
    expect(await admit('another')).toEqual(place);
    expect(await admit('delivery-7')).toBeNull();
    expect(await admit('later', now + HOUR_MS)).toBeNull();
  });
});
