import { createHash } from 'node:crypto';
import { scopeCss, SCOPE } from '../custom-css.ts';
import type { Branding } from '../page.ts';

/**
 * What a page's owner adds to its look: a line in their colour, and their style. Null without either. A style
 * that is refused today, though it was accepted once, is left out.
 */
export function ownStyle(branding: Branding | null): string | null {
  const { primaryColor, customCss } = branding ?? {};
  const line = primaryColor === undefined ? [] : [`${SCOPE}>header{border-bottom:4px solid ${primaryColor}}`];
  const scoped = customCss === undefined ? { css: '' } : scopeCss(customCss);
  const rules = [...line, 'css' in scoped ? scoped.css : ''].filter((part) => part !== '');
  return rules.length === 0 ? null : rules.join('\n');
}

/** Changes with the style, so that readers get a new one at once. */
export function ownStylePath(subdomain: string, style: string): string {
  const digest = createHash('sha256').update(style).digest('hex').slice(0, 16);
  return `/status/${subdomain}/style.css?v=${digest}`;
}
