import { afterAll, beforeAll, expect, test } from 'vitest';
import { startControllerRig, type ControllerRig } from '../helpers/controller-rig.ts';
import { linkIn } from '../helpers/read-mail.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';

let server: TestSmtpServer;
let rig: ControllerRig;
beforeAll(async () => {
  server = await startSmtpServer();
  rig = await startControllerRig({ SMTP_URL: server.url, MAIL_FROM: 'Watch <watch@farwatch.example>' });
});
afterAll(async () => {
  await rig.stop();
  await server.stop();
});

test('the controller mails an invitation with a unique link and records the inviter', async () => {
  await rig.session.ok(
    'POST', '/api/organization/invitations', { email: 'guest@example.com', role: 'viewer' },
  );
  const mail = await until(() => server.mails.find((one) => one.to[0] === 'guest@example.com'));
  expect(mail.headers['from']).toBe('Watch <watch@farwatch.example>');
  const link = linkIn(mail, '/accept-invitation');
  expect(link.origin).toBe(rig.controller.url);
  const { invitation } = await rig.session.ok<{ invitation: { email: string } }>(
    'POST', '/api/auth/read-invitation', { token: link.searchParams.get('token') },
  );
  expect(invitation.email).toBe('guest@example.com');
  const { entries } = await rig.session.ok<{ entries: { actor: { name: string } }[] }>(
    'GET', '/api/audit-log?action=invitation.created',
  );
  expect(entries.map((entry) => entry.actor.name)).toEqual(['Operator']);
});
