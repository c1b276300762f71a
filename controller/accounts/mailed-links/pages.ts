import { html, type Html } from '../../pages/html.ts';
import { renderPage, type Page } from '../../pages/layout.ts';
import type { MailPageTexts, LocalizedMailPage } from '../../pages/mail-page-texts.ts';

export function verifyPage(token: string, { language, texts }: LocalizedMailPage): Page {
  return renderPage(texts.verify, html`<p>${texts.verifyLong}</p>
${form('verify-email', token, html``, texts.verifyButton)}`, language);
}

/** `problem` says why the submitted form was rejected; null before it is submitted. */
export function resetPage(token: string, problem: string | null, page: LocalizedMailPage): Page {
  const { language, texts } = page;
  const fields = html`${alert(problem)}${newPassword(texts.newPassword, texts)}`;
  return renderPage(texts.reset, html`<p>${texts.resetLong}</p>
${form('reset-password', token, fields, texts.resetButton)}`, language);
}

/** Shown after a form succeeded. */
export function donePage(title: string, text: string, { language, texts }: LocalizedMailPage): Page {
  return renderPage(title, html`<p role="status">${text}</p>
<p><a href="sign-in">${texts.signIn}</a></p>`, language);
}

/** The action is relative because a proxy may serve Farwatch under a path. */
function form(action: string, token: string, fields: Html, button: string): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">
${fields}
<button type="submit">${button}</button></form>`;
}

function newPassword(label: string, { passwordHint }: MailPageTexts): Html {
  return html`<label for="password">${label}</label>
<input id="password" name="password" type="password" autocomplete="new-password"
 minlength="10" maxlength="200" aria-describedby="password-hint" required>
<p class="hint" id="password-hint">${passwordHint}</p>`;
}

function alert(problem: string | null): Html | null {
  return problem === null ? null : html`<p class="bad" role="alert">${problem}</p>`;
}
