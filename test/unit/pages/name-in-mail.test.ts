import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { invitationMessage } from '../../../controller/accounts/mail/account-messages.ts';
import { stoppedNotice } from '../../../controller/alert-mail/verbs.ts';
import { alertMail, mailedContent } from '../../../controller/delivery/content/alert-mail.ts';
import { digestMail as alertDigest } from '../../../controller/delivery/content/digest-mail.ts';
import type { AlertDetails } from '../../../controller/destinations/channels/alert.ts';
import type { Mail } from '../../../controller/platform/mail/mailer-port.ts';
import { nameInMail } from '../../../controller/pages/name-in-mail.ts';
import { lossNotice } from '../../../controller/status-pages/domains/domain-checks.ts';
import type { PageDoc } from '../../../controller/status-pages/page.ts';
import { LANGUAGES } from '../../../controller/status-pages/public/languages/language.ts';
import { subscriberLocale } from '../../../controller/subscribers/languages/subscriber-locale.ts';
import { confirmationMail, alreadySubscribedMail } from '../../../controller/subscribers/messages.ts';
import type { NoticeDoc, OutgoingDoc } from '../../../controller/subscribers/notice.ts';
import { digestMail, noticeMail } from '../../../controller/subscribers/notices/notice-content.ts';
import { SubscriberLinks } from '../../../controller/subscribers/subscriber-links.ts';
import { pageSubscriber } from '../../helpers/page-subscriber.ts';

/** What the most eager mail programs turn into links: schemes, hosts with or without one, addresses. */
function linksIn(text: string): string[] {
  const found = /[a-z][a-z0-9+-]*:[/\\]+|\bwww\.|[^\s.]\.\p{L}|\b\d+\.\d+\.\d+\.\d+\b|\\\\/giu;
  return text.replace(/\p{Cf}/gu, '').match(found) ?? [];
}

describe('name in a mail', () => {
  test.each([
    ['Win now https://evil.example', 'Win now https[:]//evil[.]example'],
    ['evil.example/x', 'evil[.]example/x'],
    ['www.7z.evil', 'www[.]7z[.]evil'],
    ['Mallory <m@evil.example>', 'Mallory <m@evil[.]example>'],
    ['pay at 203.0.113.7/x', 'pay at 203.0.113[.]7/x'],
    ['file:\\\\host\\share', 'file[:][\\]\\host\\share'],
    ['evil.\u200bexample, http:\u2060//x', 'evil[.]\u200bexample, http[:]\u2060//x'],
    ['müller.ελ', 'müller[.]ελ'],
    ['api.shop.example', 'api[.]shop[.]example'],
  ])('can\'t become a link: %j', (name, shown) => {
    expect(nameInMail(name)).toBe(shown);
    expect(linksIn(name)).not.toEqual([]);
    expect(linksIn(shown)).toEqual([]);
  });

  test.each([
    'Acme Inc.', 'Dr. Ada St. John-Smith, Ph. D.', 'Shop v2.0: checkout', '.NET workers', 'Wait...', 'A/B & "C" <d>',
    '監視サービス。本番', '10.5 % of Paris/Dallas', 'O’Neill: on call',
  ])('stays unchanged without anything like a link: %s', (name) => {
    expect(nameInMail(name)).toBe(name);
  });

  test('contains no links and stays readable, whatever it contains', () => {
    const parts = fc.constantFrom(
      'https', ':', '/', '//', '\\', '.', '..', ' ', 'www', 'evil', 'com', 'рф', '7', '203', '@', '-', '\u200b', '[', ']',
    );
    fc.assert(fc.property(fc.array(parts, { maxLength: 12 }).map((some) => some.join('')), (name) => {
      const shown = nameInMail(name);
      expect(linksIn(shown)).toEqual([]);
      expect(shown.replace(/\[([.:\\])\]/g, '$1')).toBe(name.replace(/\[([.:\\])\]/g, '$1'));
    }));
  });
});

const BASE = 'https://watch.example';
const TO = 'ops@example.com';
const NAME = 'Win at https://evil.example or evil.example/x';
const at = Date.UTC(2026, 2, 1);
const region = { id: 'r', name: NAME, city: NAME };
const alert: AlertDetails = {
  id: 'a', event: 'monitor.down', monitor: { id: 'm', name: NAME, target: 'https://shop.example/', type: 'HTTP' },
  incident: { id: 'i', started_at: at, resolved_at: null }, error: { type: 'timeout', message: 'No response' },
  regions: [region], votes: { down: [region], up: [region], rechecking: [region], silent: [region] },
  last_success: null, at,
};
const ofProbe: AlertDetails = {
  ...alert, event: 'probe.offline', monitor: null, incident: null, error: null,
  probe: { id: 'p', name: NAME, since: at, reason: null },
};
const frame = { to: TO, thread: 'i', stopLink: `${BASE}/stop-alerts?token=a.b` };
const page = {
  _id: 'p', name: NAME, subdomain: 'acme', timezone: 'UTC', custom_domain: 'status.acme.example',
} as PageDoc;
const links = new SubscriberLinks([new Uint8Array(32)], () => BASE);
const outgoing = { _id: 'o' } as OutgoingDoc;
const notice: NoticeDoc = {
  _id: 'n', organization_id: 'o', project_id: 'p', page_id: 'p', kind: 'incident', topics: [], thread: 't',
  is_first: true, title: `${NAME} is down`, text: 'Under repair', created_at: at, cursor: '',
  post: { id: 'i', status: 'investigating', severity: 'major' },
};
const readers = LANGUAGES.map((language) => ({
  locale: subscriberLocale(language),
  to: {
    page, links,
    subscriber: pageSubscriber({ organizationId: 'o', projectId: 'p', pageId: 'p' }, TO, { language }),
  },
}));

/** Every mail that contains a name. */
const MAILS: [string, Mail[]][] = [
  ['an invitation', [invitationMessage(TO, `${BASE}/accept-invitation?token=t`, NAME, NAME)]],
  ['the notice of stopped alert mails', [stoppedNotice(TO, TO, NAME)]],
  ['the notice of a lost domain', [lossNotice(TO, page, 'The record is missing')]],
  ['an alert', [alertMail(frame, mailedContent(alert, BASE)), alertMail(frame, mailedContent(ofProbe, BASE))]],
  ['a digest of alerts', [alertDigest(frame, [alert, ofProbe], BASE)]],
  ['the confirmation of a subscription', readers.flatMap(({ locale }) => [
    confirmationMail(TO, page, `${BASE}/verify`, locale), alreadySubscribedMail(TO, page, `${BASE}/choices`, locale),
  ])],
  ['news of a status page', readers.flatMap(({ to }) => [
    noticeMail(to, outgoing, notice), digestMail(to, outgoing, [notice, notice]),
  ])],
];

test.each(MAILS)('%s contains no link made from a name, in subject, text and HTML', (_what, mails) => {
  for (const { subject, text, html } of mails) {
    const shown = [subject, text, html.replace(/<[^>]*>/g, ' ')].map((part) => (
      part.replace(/https:\/\/(?:watch|shop)\.example\S*|ops@example\.com|status\.acme\.example/g, '')
    ));
    expect(shown.join('\n')).toContain('evil[.]example');
    expect(shown.flatMap(linksIn)).toEqual([]);
    expect(html).not.toMatch(/href="[^"]*evil/);
  }
});
