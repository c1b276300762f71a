import { html } from '../pages/html.ts';
import { nameInMail } from '../pages/name-in-mail.ts';
import type { Mail } from '../platform/mail/mailer-port.ts';
import type { PageDoc } from '../status-pages/page.ts';
import type { SubscriberVoice } from './languages/subscriber-voice.ts';

type NamedPage = Pick<PageDoc, 'name'>;

/** Asks the owner of an address whether they want the mails. */
export function confirmationMail(
  to: string, { name }: NamedPage, link: string, voice: SubscriberVoice,
): Mail {
  const { texts } = voice;
  const before = [texts.wanted(nameInMail(name)), texts.within];
  return linkMail(to, texts.confirm, { before, link, action: texts.confirm }, voice);
}

/** For somebody who subscribes again. */
export function knownMail(to: string, { name }: NamedPage, link: string, voice: SubscriberVoice): Mail {
  const { texts } = voice;
  const before = [texts.receivesAlready(nameInMail(name))];
  return linkMail(to, texts.alreadySubscribed, { before, link, action: texts.choices }, voice);
}

function linkMail(
  to: string, subject: string, content: { before: string[]; link: string; action: string },
  { language, texts: { ignore } }: SubscriberVoice,
): Mail {
  const { before, link, action } = content;
  return {
    to, subject, text: `${[...before, link, ignore].join('\n\n')}\n`,
    html: html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${subject}</title></head><body>
${before.map((line) => html`<p>${line}</p>\n`)}<p><a href="${link}">${action}</a></p>
<p>${link}</p>
<p>${ignore}</p>
</body></html>
`.text,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
  };
}
