import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml, html } from '../../../controller/pages/html.ts';
import { renderPage } from '../../../controller/pages/layout.ts';

describe('markup', () => {
  test('has every value escaped, and what is markup already as it is', () => {
    const bold = html`<b>${'a < b & "c"'}</b>`;
    expect(html`<p title="${'" onclick="x'}">${bold}${null}${7}</p>`.text).toBe('<p title="&#34; onclick=&#34;x"><b>a &#60; b &#38; &#34;c&#34;</b>7</p>');
    expect(html`<ul>${[html`<li>${'<'}</li>`, html`<li>2</li>`]}</ul>`.text).toBe('<ul><li>&#60;</li><li>2</li></ul>');
  });

  test('lets no text leave its place, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      expect(escapeHtml(text)).not.toMatch(/[<>"'`]|&(?!#\d+;)/);
    }));
  });

  test('of a page names its style in the policy and allows nothing else', () => {
    const page = renderPage('<Title>', html`<p>x</p>`);
    expect(page.html).toContain('<title>&#60;Title&#62; · Farwatch</title>');
    expect(page.headers['Content-Security-Policy']).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; form-action 'self';/);
  });
});
