import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml, html } from '../../../controller/pages/html.ts';
import { renderPage } from '../../../controller/pages/layout.ts';

describe('markup', () => {
  test('escapes every value except markup', () => {
    const bold = html`<b>${'a < b & "c"'}</b>`;
    const paragraph = html`<p title="${'" onclick="x'}">${bold}${null}${7}</p>`;
    expect(paragraph.text).toBe('<p title="&#34; onclick=&#34;x"><b>a &#60; b &#38; &#34;c&#34;</b>7</p>');
    const list = html`<ul>${[html`<li>${'<'}</li>`, html`<li>2</li>`]}</ul>`;
    expect(list.text).toBe('<ul><li>&#60;</li><li>2</li></ul>');
  });

  test('contains no special character of any text', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      expect(escapeHtml(text)).not.toMatch(/[<>"'`]|&(?!#\d+;)/);
    }));
  });

  test('a page\'s security policy allows only its own style', () => {
    const page = renderPage('<Title>', html`<p>x</p>`);
    expect(page.html).toContain('<title>&#60;Title&#62; · Farwatch</title>');
    const policy = page.headers['Content-Security-Policy'];
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; form-action 'self';/);
  });
});
