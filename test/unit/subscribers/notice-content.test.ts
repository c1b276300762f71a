import { describe, expect, test } from 'vitest';
import { digestMail, noticeMail, noticePayload } from '../../../controller/subscribers/notices/notice-content.ts';
import { SubscriberLinks } from '../../../controller/subscribers/subscriber-links.ts';
import type { SubscriberDoc } from '../../../controller/subscribers/subscriber.ts';
import type { PageDoc } from '../../../controller/status-pages/page.ts';
import { LANGUAGES } from '../../../controller/status-pages/public/languages/language.ts';
import type { NoticeDoc, OutgoingDoc } from '../../../controller/subscribers/notice.ts';
import { pageSubscriber } from '../../helpers/page-subscriber.ts';

const page = { _id: 'p', name: 'Acme', subdomain: 'acme', timezone: 'Europe/Berlin' } as PageDoc;
const links = new SubscriberLinks([new Uint8Array(32)], () => 'https://status.example');
const outgoing = { _id: 'o' } as OutgoingDoc;

function toReader(language: SubscriberDoc['language']) {
  const of = { organizationId: 'o', projectId: 'p', pageId: 'p' };
  return { page, links, subscriber: pageSubscriber(of, 'visitor@example.com', { language }) };
}

const NOTICE: NoticeDoc = {
  _id: 'n', organization_id: 'o', project_id: 'p', page_id: 'p', kind: 'incident', topics: [], thread: 't',
  is_first: true, title: 'Shop is slow', text: 'We look into it.', created_at: Date.UTC(2026, 2, 1), cursor: '',
  post: { id: 'i', status: 'investigating', severity: 'major' },
};
const WINDOW: NoticeDoc = {
  ...NOTICE, kind: 'maintenance', title: 'Move', text: 'The shop is read-only.', post: undefined,
  maintenance: { phase: 'before', starts_at: Date.UTC(2026, 2, 28, 23), ends_at: Date.UTC(2026, 2, 29, 2) },
} as NoticeDoc;

const EXPECTED = {
  en: ['Investigating', 'Unsubscribe: ', 'Maintenance is scheduled from 29 Mar 2026, 00:00 CET to 29 Mar 2026, 04:00 CEST.'],
  de: ['Wird untersucht', 'Abmelden: ', 'Geplante Wartungsarbeiten: 29. März 2026, 00:00 MEZ bis 29. März 2026, 04:00 MESZ.'],
  fr: ['En cours d’analyse', 'Se désabonner: ', 'Maintenance prévue : du 29 mars 2026'],
  es: ['En investigación', 'Darse de baja: ', 'Mantenimiento previsto: desde 29 mar 2026'],
  zh: ['正在调查', '退订: ', '计划维护：2026年3月29日'],
  ja: ['調査中', '配信を停止する: ', 'メンテナンスの予定：2026年3月29日'],
};

describe.each(LANGUAGES)('in the language %s', (language) => {
  const [progress, unsubscribeLabel, planned] = EXPECTED[language] as [string, string, string];

  test('a mail surrounds what people wrote with text and links to pages in this language', () => {
    const mail = noticeMail(toReader(language), outgoing, NOTICE);
    expect(mail.subject).toBe('[Acme] Shop is slow');
    for (const part of [progress, 'We look into it.', unsubscribeLabel]) expect(mail.text).toContain(part);
    expect(mail.html).toContain(`<html lang="${language}">`);
    expect(mail.text.match(new RegExp(`&lang=${language}$`, 'gm'))).toHaveLength(2);
    expect(mail.headers?.['List-Unsubscribe']).toContain(`&lang=${language}>`);
  });

  test('maintenance has times in the page\'s zone, in mails and for webhooks', () => {
    const { text } = noticeMail(toReader(language), outgoing, WINDOW);
    expect(text.replaceAll('\u202f', ' ')).toContain(planned);
    expect(text).toContain('The shop is read-only.');
    expect(noticePayload(toReader(language), WINDOW)).toMatchObject({ message: expect.stringContaining(planned) });
  });
});

test('a subscriber without a language gets English, with links that leave the language to the browser', () => {
  const mail = digestMail(toReader(null), outgoing, [NOTICE, WINDOW]);
  expect(mail.subject).toBe('[Acme] 2 updates');
  expect(mail.text).toContain('Maintenance: Move');
  expect(mail.text).not.toContain('lang=');
});
