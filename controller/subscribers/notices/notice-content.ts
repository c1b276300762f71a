import { derivedId } from '../../../shared/ids.ts';
import { html, type Html } from '../../pages/html.ts';
import { nameInMail } from '../../pages/name-in-mail.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import { momentsOf } from '../../status-pages/public/languages/language.ts';
import { subscriberVoice, type SubscriberVoice } from '../languages/subscriber-voice.ts';
import type { SubscriberDoc } from '../subscriber.ts';
import type { SubscriberLinks } from '../subscriber-links.ts';
import type { NoticeDoc, OutgoingDoc } from './notice.ts';

export interface Addressee {
  subscriber: SubscriberDoc;
  page: PageDoc;
  links: SubscriberLinks;
}

/** One mail about one notice. Mails about the same thing form a thread with a subject of its own. */
export function noticeMail(to: Addressee, { _id }: OutgoingDoc, notice: NoticeDoc): Mail {
  const words = mailedWordsOf(notice, to);
  const subject = `[${nameInMail(to.page.name)}] ${words.title}`;
  const root = messageId(derivedId('thread', notice.thread, to.subscriber._id));
  const thread: Record<string, string> = notice.is_first
    ? { 'Message-ID': root }
    : { 'Message-ID': messageId(_id), 'In-Reply-To': root, References: root };
  return mailOf(to, notice.is_first ? subject : `Re: ${subject}`, [words], thread);
}

/** One mail about everything since the last digest, oldest first. */
export function digestMail(to: Addressee, { _id }: OutgoingDoc, notices: NoticeDoc[]): Mail {
  const subject = `[${nameInMail(to.page.name)}] ${voiceOf(to).texts.updates(notices.length)}`;
  return mailOf(to, subject, notices.map((notice) => mailedWordsOf(notice, to)), { 'Message-ID': messageId(_id) });
}

/** What a webhook receives. */
export function noticePayload(to: Addressee, notice: NoticeDoc) {
  const { page, links, subscriber } = to;
  const { _id: id, kind, post, created_at } = notice;
  const { title, text: message } = wordsOf(notice, to);
  return {
    id, event: kind, title, message, created_at: new Date(created_at).toISOString(),
    incident: post ?? null,
    status_page: { id: page._id, name: page.name, url: links.page(page.subdomain) },
    unsubscribe_url: links.unsubscribe(page.subdomain, subscriber),
  };
}

function mailOf(
  to: Addressee, subject: string, items: Words[], thread: Record<string, string>,
): Mail {
  const { subscriber, page: { subdomain, name }, links } = to;
  const leave = links.unsubscribe(subdomain, subscriber);
  const choose = links.preferences(subdomain, subscriber);
  const { language, texts } = voiceOf(to);
  const why = texts.why(nameInMail(name));
  return {
    to: subscriber.email, subject,
    text: [
      ...items.flatMap(({ title, facts, text }) => [`${title}\n${facts}`, text]),
      `${texts.statusPage}: ${links.page(subdomain)}`,
      `${why}\n${texts.choices}: ${choose}\n${texts.unsubscribe}: ${leave}\n`,
    ].join('\n\n'),
    html: html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="font-family:sans-serif;font-size:15px;color:#222">
${items.map(({ title, facts, text }) => html`<h1 style="font-size:18px">${title}</h1>
<p style="color:#555">${facts}</p>
${paragraphs(text)}`)}<p><a href="${links.page(subdomain)}">${texts.statusPage}</a></p>
<p style="font-size:13px;color:#555">${why} <a href="${choose}">${texts.choices}</a> ·
 <a href="${leave}">${texts.unsubscribe}</a></p>
</body></html>
`.text,
    headers: {
      // RFC 8058: mail programs show a button that stops the mails with one request.
      'List-Unsubscribe': `<${leave}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // Out-of-office replies would come back to us.
      'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...thread,
    },
  };
}

/** A notice as a mail shows it. */
interface Words {
  title: string;
  text: string;
  /** Its progress, and when it was written. */
  facts: string;
}

function voiceOf({ subscriber: { language } }: Addressee): SubscriberVoice {
  return subscriberVoice(language ?? 'en');
}

/** In the language of the subscriber, but for what people have written. */
function wordsOf({ title, text, maintenance, post, created_at }: NoticeDoc, to: Addressee): Words {
  const { language, texts } = voiceOf(to);
  const moments = momentsOf(language, to.page.timezone);
  const progress = post === undefined ? [] : [texts.progress[post.status]];
  const facts = [...progress, moments.format(created_at)].join(' · ');
  if (maintenance === undefined) return { title, text, facts };
  const { phase, starts_at, ends_at } = maintenance;
  const news = texts.phases[phase](moments.format(starts_at), moments.format(ends_at));
  return {
    title: `${texts.maintenance} ${title}`, text: [news, ...(text === '' ? [] : [text])].join('\n\n'), facts,
  };
}

/** Titles name monitors, and so carry no links; what people have written below them may. */
function mailedWordsOf(notice: NoticeDoc, to: Addressee): Words {
  return wordsOf({ ...notice, title: nameInMail(notice.title) }, to);
}

function paragraphs(text: string): Html[] {
  return text.split(/\n{2,}/).map((part) => html`<p style="white-space:pre-line">${part}</p>
`);
}

/** The same on every attempt: mail programs show a mail once that arrives twice. */
function messageId(id: string): string {
  return `<${id}@farwatch.invalid>`;
}
