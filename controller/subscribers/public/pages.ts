import { html, type Html } from '../../pages/html.ts';
import { renderPage, type Page } from '../../pages/layout.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { SubscriberLocale } from '../languages/subscriber-locale.ts';
import { FREQUENCIES, TOPICS, type Topic } from '../subscriber.ts';
import type { OwnSubscription } from '../verbs/own-subscription.ts';

// URLs are relative, because a proxy may serve us under a path.

export function subscribePage({ name }: PageDoc, locale: SubscriberLocale): Page {
  const { language, texts } = locale;
  return renderPage(`${name} · ${texts.subscribe}`, html`<p id="hint">${texts.subscribeHint}</p>
<form method="post" action="subscribe?lang=${language}"><label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required aria-describedby="hint">
<button type="submit">${texts.send}</button></form>`, language);
}

/** The same for every address. */
export function confirmationSentPage({ name }: PageDoc, { language, texts }: SubscriberLocale): Page {
  return renderPage(texts.pleaseConfirm, html`<p role="status">${texts.checkInbox(name)}</p>`, language);
}

export function confirmPage(token: string, { language, texts }: SubscriberLocale): Page {
  return renderPage(texts.confirm, html`<p>${texts.confirmHint}</p>
<form method="post" action="verify?lang=${language}"><input type="hidden" name="token" value="${token}">
<button type="submit">${texts.confirm}</button></form>`, language);
}

export function confirmedPage(
  { subscriber, page }: OwnSubscription, token: string, { language, texts }: SubscriberLocale,
): Page {
  return renderPage(texts.confirmed, html`<p role="status">${texts.receives(subscriber.email, page.name)}</p>
<p><a href="preferences?token=${encodeURIComponent(token)}&#38;lang=${language}">${texts.choices}</a></p>`, language);
}

/** The state of the subscription, and a button that ends it. */
export function unsubscribePage(
  token: string, { subscriber, page }: OwnSubscription, locale: SubscriberLocale,
): Page {
  const { language, texts } = locale;
  if (subscriber.state === 'unsubscribed') {
    const text = texts.receivesNothing(subscriber.email, page.name);
    return renderPage(texts.unsubscribed, html`<p role="status">${text}</p>`, language);
  }
  return renderPage(texts.unsubscribe, html`<p>${texts.receives(subscriber.email, page.name)}</p>
${unsubscribeForm(token, locale)}`, language);
}

export function preferencesPage(
  token: string, { subscriber, page }: OwnSubscription, isSaved: boolean, locale: SubscriberLocale,
): Page {
  const { language, texts } = locale;
  const { preferences, webhook_url: webhook, state, email } = subscriber;
  if (state !== 'verified') {
    return renderPage(texts.notSubscribed, html`<p>${texts.receivesNothing(email, page.name)}</p>`, language);
  }
  const topics = TOPICS.map((topic) => html`
<p>${box(topic, preferences[topic])}<label for="${topic}">${texts.topics[topic]}</label></p>`);
  const frequencies = FREQUENCIES.map((one) => html`
<option value="${one}"${one === preferences.frequency ? html` selected` : null}>${texts.frequencies[one]}</option>`);
  return renderPage(texts.choices, html`${isSaved ? html`<p role="status">${texts.saved}</p>` : null}
<p>${texts.receives(email, page.name)}</p>
<form method="post" action="preferences?lang=${language}"><input type="hidden" name="token" value="${token}">${topics}
<label for="frequency">${texts.howOften}</label><select id="frequency" name="frequency">${frequencies}
</select><br>
<label for="webhook_url">${texts.webhook}</label>
<input id="webhook_url" name="webhook_url" type="url" maxlength="2048" value="${webhook ?? ''}" aria-describedby="hint">
<p id="hint">${texts.webhookHint}</p><button type="submit">${texts.save}</button></form>
${unsubscribeForm(token, locale)}`, language);
}

function unsubscribeForm(token: string, { language, texts }: SubscriberLocale): Html {
  return html`<form method="post" action="unsubscribe?token=${encodeURIComponent(token)}&#38;lang=${language}">
<button type="submit">${texts.unsubscribe}</button></form>`;
}

function box(name: Topic, isChecked: boolean): Html {
  return html`<input id="${name}" name="${name}" type="checkbox"${isChecked ? html` checked` : null}> `;
}
