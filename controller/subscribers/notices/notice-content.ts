import { derivedId } from '../../../shared/ids.ts';
import { html, type Html } from '../../pages/html.ts';
import { nameInMail } from '../../pages/name-in-mail.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import { dateTimeFormat } from '../../status-pages/public/languages/language.ts';
import { subscriberLocale, type SubscriberLocale } from '../languages/subscriber-locale.ts';
import type { NoticeDoc, OutgoingDoc } from '../notice.ts';
import type { SubscriberLinks } from '../subscriber-links.ts';
import type { SubscriberDoc } from '../subscriber.ts';

export interface Recipient {
  subscriber: SubscriberDoc;
  page: PageDoc;
  links: SubscriberLinks;
}

/**
 * A mail about one notice. Mails about the same incident or maintenance form a thread with its own subject.
 */
export function noticeMail(to: Recipient, { _id }: OutgoingDoc, notice: NoticeDoc): Mail {
  const content = mailText(notice, to);
  const subject = `[${nameInMail(to.page.name)}] ${content.title}`;
  const root = messageId(derivedId('thread', notice.thread, to.subscriber._id));
  const thread: Record<string, string> = notice.is_first
    ? { 'Message-ID': root }
    : { 'Message-ID': messageId(_id), 'In-Reply-To': root, References: root };
  return mailOf(to, notice.is_first ? subject : `Re: ${subject}`, [content], thread);
}

/** A mail with everything since the last digest, oldest first. */
export function digestMail(to: Recipient, { _id }: OutgoingDoc, notices: NoticeDoc[]): Mail {
  const subject = `[${nameInMail(to.page.name)}] ${localeOf(to).texts.updates(notices.length)}`;
  return mailOf(to, subject, notices.map((notice) => mailText(notice, to)), { 'Message-ID': messageId(_id) });
}

/** The payload of a webhook. */
export function noticePayload(to: Recipient, notice: NoticeDoc) {
  const { page, links, subscriber } = to;
  const { _id: id, kind, post, created_at } = notice;
  const { title, text: message } = noticeText(notice, to);
  return {
    id, event: kind, title, message, created_at: new Date(created_at).toISOString(),
    incident: post ?? null,
    status_page: { id: page._id, name: page.name, url: links.page(page.subdomain) },
    unsubscribe_url: links.unsubscribe(page.subdomain, subscriber),
  };
}

function mailOf(
  to: Recipient, subject: string, items: NoticeText[], thread: Record<string, string>,
): Mail {
  const { subscriber, page: { subdomain, name }, links } = to;
  const unsubscribeUrl = links.unsubscribe(subdomain, subscriber);
  const preferencesUrl = links.preferences(subdomain, subscriber);
  const { language, texts } = localeOf(to);
  const reason = texts.reason(nameInMail(name));
  return {
    to: subscriber.email, subject,
    text: [
      ...items.flatMap(({ title, facts, text }) => [`${title}\n${facts}`, text]),
      `${texts.statusPage}: ${links.page(subdomain)}`,
      `${reason}\n${texts.choices}: ${preferencesUrl}\n${texts.unsubscribe}: ${unsubscribeUrl}\n`,
    ].join('\n\n'),
    html: html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="font-family:sans-serif;font-size:15px;color:#222">
${items.map(({ title, facts, text }) => html`<h1 style="font-size:18px">${title}</h1>
<p style="color:#555">${facts}</p>
${paragraphs(text)}`)}<p><a href="${links.page(subdomain)}">${texts.statusPage}</a></p>
<p style="font-size:13px;color:#555">${reason} <a href="${preferencesUrl}">${texts.choices}</a> ·
 <a href="${unsubscribeUrl}">${texts.unsubscribe}</a></p>
</body></html>
`.text,
    headers: {
      // RFC 8058: mail programs show a button that unsubscribes with one request.
      'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // Prevents out-of-office replies to us.
      'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...thread,
    },
  };
}

interface NoticeText {
  title: string;
  text: string;
  /** Status and time of the notice. */
  facts: string;
}

function localeOf({ subscriber: { language } }: Recipient): SubscriberLocale {
  return subscriberLocale(language ?? 'en');
}

/** In the subscriber's language, except for text that people wrote. */
function noticeText({ title, text, maintenance, post, created_at }: NoticeDoc, to: Recipient): NoticeText {
  const { language, texts } = localeOf(to);
  const dateTime = dateTimeFormat(language, to.page.timezone);
  const progress = post === undefined ? [] : [texts.progress[post.status]];
  const facts = [...progress, dateTime.format(created_at)].join(' · ');
  if (maintenance === undefined) return { title, text, facts };
  const { phase, starts_at, ends_at } = maintenance;
  const phaseText = texts.phases[phase](dateTime.format(starts_at), dateTime.format(ends_at));
  return {
    title: `${texts.maintenance} ${title}`, text: [phaseText, ...(text === '' ? [] : [text])].join('\n\n'), facts,
  };
}

/** Titles name monitors, so they must not become links; the text that people wrote may contain links. */
function mailText(notice: NoticeDoc, to: Recipient): NoticeText {
  return noticeText({ ...notice, title: nameInMail(notice.title) }, to);
}

function paragraphs(text: string): Html[] {
  return text.split(/\n{2,}/).map((part) => html`<p style="white-space:pre-line">${part}</p>
`);
}

/** Deterministic: mail programs show a mail that arrives twice only once. */
function messageId(id: string): string {
  return `<${id}@farwatch.invalid>`;
}
