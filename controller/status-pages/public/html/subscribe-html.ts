import { html, type Html } from '../../../pages/html.ts';
import type { PageLocale } from '../languages/language.ts';
import type { PublicPageView } from '../public-view.ts';

/**
 * A button that opens the subscription form, also without JavaScript. Submitting it opens a page with the
 * next step.
 */
export function subscribeControl({ subdomain }: Pick<PublicPageView, 'subdomain'>, { texts, language }: PageLocale): Html {
  return html`<details class="subscribe"><summary>${texts.send}</summary>
<form aria-labelledby="subscribe-title" method="post" action="/status/${subdomain}/subscribe?lang=${language}">
<p id="subscribe-title" class="title">${texts.subscribe}</p>
<label for="email">${texts.email}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" required aria-describedby="hint">
<p id="hint">${texts.subscribeHint}</p><button>${texts.send}</button></form></details>
`;
}
