import { derivedId } from '../../../shared/ids.ts';
import { utc } from '../../delivery/content/text.ts';
import { html, type Html } from '../../pages/html.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { PostStatus } from '../../status-pages/posts/post.ts';
import type { SubscriberDoc } from '../subscriber.ts';
import type { SubscriberLinks } from '../subscriber-links.ts';
import type { NoticeDoc, OutgoingDoc } from './notice.ts';

const PROGRESS: Record<PostStatus, string> = {
  investigating: 'Investigating', identified: 'Identified', monitoring: 'Monitoring', resolved: 'Resolved',
};

export interface Addressee {
  subscriber: SubscriberDoc;
  page: PageDoc;
  links: SubscriberLinks;
}

/** One mail about one notice. Mails about the same thing form a thread with a subject of its own. */
export function noticeMail(to: Addressee, { _id }: OutgoingDoc, notice: NoticeDoc): Mail {
  const subject = `[${to.page.name}] ${notice.title}`;
  const root = messageId(derivedId('thread', notice.thread, to.subscriber._id));
  const thread: Record<string, string> = notice.is_first
    ? { 'Message-ID': root }
    : { 'Message-ID': messageId(_id), 'In-Reply-To': root, References: root };
  return mailOf(to, notice.is_first ? subject : `Re: ${subject}`, [notice], thread);
}

/** One mail about everything since the last digest, oldest first. */
export function digestMail(to: Addressee, { _id }: OutgoingDoc, notices: NoticeDoc[]): Mail {
  const subject = `[${to.page.name}] ${notices.length} ${notices.length === 1 ? 'update' : 'updates'}`;
  return mailOf(to, subject, notices, { 'Message-ID': messageId(_id) });
}

/** What a webhook receives. */
export function noticePayload({ page, links, subscriber }: Addressee, notice: NoticeDoc) {
  const { _id: id, kind, title, text: message, post, created_at } = notice;
  return {
    id, event: kind, title, message, created_at: new Date(created_at).toISOString(),
    incident: post ?? null,
    status_page: { id: page._id, name: page.name, url: links.page(page.subdomain) },
    unsubscribe_url: links.unsubscribe(page.subdomain, subscriber._id),
  };
}

function mailOf(
  { subscriber, page, links }: Addressee, subject: string, notices: NoticeDoc[],
  thread: Record<string, string>,
): Mail {
  const { subdomain, name } = page;
  const [leave, choose] =
    [links.unsubscribe(subdomain, subscriber._id), links.preferences(subdomain, subscriber._id)];
  const why = `You receive this mail because you subscribe to the status page "${name}".`;
  const items = notices.map((notice) => ({ ...notice, facts: factsOf(notice) }));
  return {
    to: subscriber.email, subject,
    text: [
      ...items.flatMap(({ title, facts, text }) => [`${title}\n${facts}`, text]),
      `Status page: ${links.page(subdomain)}`, `${why}\nWhat you receive: ${choose}\nUnsubscribe: ${leave}\n`,
    ].join('\n\n'),
    html: html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="font-family:sans-serif;font-size:15px;color:#222">
${items.map(({ title, facts, text }) => html`<h1 style="font-size:18px">${title}</h1>
<p style="color:#555">${facts}</p>
${paragraphs(text)}`)}<p><a href="${links.page(subdomain)}">Status page</a></p>
<p style="font-size:13px;color:#555">${why} <a href="${choose}">What you receive</a> ·
 <a href="${leave}">Unsubscribe</a></p>
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

function factsOf({ post, created_at }: NoticeDoc): string {
  return [...(post ? [PROGRESS[post.status]] : []), utc(created_at)].join(' · ');
}

function paragraphs(text: string): Html[] {
  return text.split(/\n{2,}/).map((part) => html`<p style="white-space:pre-line">${part}</p>
`);
}

/** The same on every attempt: mail programs show a mail once that arrives twice. */
function messageId(id: string): string {
  return `<${id}@farwatch.invalid>`;
}
