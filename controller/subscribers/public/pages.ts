import { html, type Html } from '../../pages/html.ts';
import { renderPage, type Page } from '../../pages/layout.ts';
import type { PageDoc } from '../../status-pages/page.ts';
import type { Frequency, Topic } from '../subscriber.ts';
import type { OwnSubscription } from '../verbs/own-subscription.ts';

const TOPIC_LABELS: Record<Topic, string> =
  { critical_incidents: 'Critical incidents', all_incidents: 'All incidents', maintenance: 'Maintenance' };
const FREQUENCY_LABELS: Record<Frequency, string> =
  { immediate: 'At once', hourly: 'Once an hour, in one mail', daily: 'Once a day, in one mail' };

export function subscribePage({ name }: PageDoc): Page {
  return renderPage(`Subscribe to ${name}`, html`<p>Receive a mail when something changes. We ask you to
 confirm your address first.</p>
<form method="post" action="subscribe"><label for="email">Your e-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required>
<button type="submit">Subscribe</button></form>`);
}

/** The same for every address. */
export function askedPage({ name }: PageDoc): Page {
  return renderPage('Please confirm your subscription', html`<p role="status">We send you a mail with a link that
 confirms your subscription to ${name}. If it does not arrive, look among the spam.</p>`);
}

export function confirmPage(token: string): Page {
  return renderPage('Confirm your subscription', html`<p>Click the button to receive the updates.</p>
<form method="post" action="verify"><input type="hidden" name="token" value="${token}">
<button type="submit">Confirm the subscription</button></form>`);
}

export function confirmedPage({ subscriber, page }: OwnSubscription, token: string): Page {
  return renderPage('Subscription confirmed', html`<p role="status">${subscriber.email} receives the updates of
 ${page.name}.</p>
<p><a href="preferences?token=${encodeURIComponent(token)}">Choose what you receive</a></p>`);
}

/** The state of the subscription, and a button that ends it. */
export function endPage(token: string, { subscriber, page }: OwnSubscription): Page {
  if (subscriber.state === 'unsubscribed') {
    return renderPage('You are unsubscribed', html`<p role="status">${subscriber.email} receives no more
 updates of ${page.name}.</p>`);
  }
  return renderPage('Unsubscribe?', html`<p>${subscriber.email} receives the updates of ${page.name}.</p>
${endForm(token)}`);
}

export function preferencesPage(
  token: string, { subscriber, page }: OwnSubscription, isSaved: boolean,
): Page {
  const { preferences, state, email } = subscriber;
  if (state !== 'verified') {
    return renderPage('You are not subscribed', html`<p>${email} receives no updates of ${page.name}.</p>`);
  }
  const topics = (Object.keys(TOPIC_LABELS) as Topic[]).map((topic) => html`
<p>${box(topic, preferences[topic])}<label for="${topic}">${TOPIC_LABELS[topic]}</label></p>`);
  const frequencies = (Object.keys(FREQUENCY_LABELS) as Frequency[]).map((one) => html`
<option value="${one}"${one === preferences.frequency ? html` selected` : null}>${FREQUENCY_LABELS[one]}</option>`);
  return renderPage('What you receive', html`${isSaved ? html`<p role="status">Saved.</p>` : null}
<p>The updates of ${page.name} for ${email}.</p>
<form method="post" action="preferences"><input type="hidden" name="token" value="${token}">${topics}
<label for="frequency">How often</label><select id="frequency" name="frequency">${frequencies}
</select><br><button type="submit">Save</button></form>
${endForm(token)}`);
}

/** Actions are relative because a proxy may serve us under a path. */
function endForm(token: string): Html {
  return html`<form method="post" action="unsubscribe?token=${encodeURIComponent(token)}">
<button type="submit">Unsubscribe</button></form>`;
}

function box(name: Topic, isChecked: boolean): Html {
  return html`<input id="${name}" name="${name}" type="checkbox"${isChecked ? html` checked` : null}> `;
}
