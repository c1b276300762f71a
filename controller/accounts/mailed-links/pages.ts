import { html, type Html } from '../../pages/html.ts';
import { renderPage, type Page } from '../../pages/layout.ts';

export function verifyPage(token: string): Page {
  return renderPage('Verify your e-mail address', html`<p>Click the button to verify this address.</p>
${form('verify-email', token, html``, 'Verify the address')}`);
}

/** `problem` is the fault of the form as it was sent; null at first. */
export function resetPage(token: string, problem: string | null): Page {
  const fields = html`${alert(problem)}${newPassword('New password')}`;
  return renderPage('Choose a new password', html`<p>All signed-in devices will have to sign in again.</p>
${form('reset-password', token, fields, 'Change the password')}`);
}

/** The answer to a form that was carried out. */
export function donePage(title: string, text: string): Page {
  return renderPage(title, html`<p role="status">${text}</p>
<p><a href="sign-in">Sign in</a></p>`);
}

/** The action is relative because a proxy may serve us under a path. */
function form(action: string, token: string, fields: Html, button: string): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">
${fields}
<button type="submit">${button}</button></form>`;
}

function newPassword(label: string): Html {
  return html`<label for="password">${label}</label>
<input id="password" name="password" type="password" autocomplete="new-password"
 minlength="10" maxlength="200" aria-describedby="password-hint" required>
<p class="hint" id="password-hint">At least 10 characters.</p>`;
}

function alert(problem: string | null): Html | null {
  return problem === null ? null : html`<p class="bad" role="alert">${problem}</p>`;
}
