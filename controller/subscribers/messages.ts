import { html } from '../pages/html.ts';
import { nameInMail } from '../pages/name-in-mail.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';
import type { PageDoc } from '../status-pages/page.ts';
import type { SubscriberLocale } from './languages/subscriber-locale.ts';

type NamedPage = Pick<PageDoc, 'name'>;

/** Asks the owner of an address to confirm the subscription. */
export function confirmationMail(
  to: string, { name }: NamedPage, link: string, locale: SubscriberLocale,
): Mail {
  const { texts } = locale;
  const paragraphs = [texts.confirmationIntro(nameInMail(name)), texts.confirmBefore];
  return linkMail(to, texts.confirm, { paragraphs, link, action: texts.confirm }, locale);
}

/** For a verified subscriber who subscribes again. */
export function alreadySubscribedMail(
  to: string, { name }: NamedPage, link: string, locale: SubscriberLocale,
): Mail {
  const { texts } = locale;
  const paragraphs = [texts.receivesAlready(nameInMail(name))];
  return linkMail(to, texts.alreadySubscribed, { paragraphs, link, action: texts.choices }, locale);
}

function linkMail(
  to: string, subject: string, content: { paragraphs: string[]; link: string; action: string },
  { language, texts: { ignore } }: SubscriberLocale,
): Mail {
  const { paragraphs, link, action } = content;
  return {
    to, subject, text: `${[...paragraphs, link, ignore].join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${subject}</title></head><body>
${paragraphs.map((line) => html`<p>${line}</p>\n`)}<p><a href="${link}">${action}</a></p>
<p>${link}</p>
<p>${ignore}</p>
</body></html>
`.text,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}
