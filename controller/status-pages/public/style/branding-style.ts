import { createHash } from 'node:crypto';
import { scopeCss } from '../../custom-css.ts';
import type { Branding } from '../../page.ts';
import { colorOn, readableColor } from './brand-color.ts';

/**
 * The CSS of a page's branding: its color and its custom CSS; null without either. Leaves out custom CSS that
 * was once accepted but no longer passes validation.
 */
export function brandingStyle(branding: Branding | null): string | null {
  const { primaryColor, customCss } = branding ?? {};
  const scoped = customCss === undefined ? { css: '' } : scopeCss(customCss);
  const rules = [primaryColor === undefined ? '' : colorStyle(primaryColor), 'css' in scoped ? scoped.css : ''].filter((part) => part !== '');
  return rules.length === 0 ? null : rules.join('\n');
}

/** The button and the line at the top use the exact color; links use it as far as they stay readable. */
function colorStyle(color: string): string {
  const dark = `--accent:${readableColor(color, 'dark')}`;
  return [
    `:root{--brand:${color};--on-brand:${colorOn(color)};--accent:${readableColor(color, 'light')}}`,
    `@media(prefers-color-scheme:dark){[data-theme="system"]{${dark}}}`,
    `[data-theme="dark"]{${dark}}`,
  ].join('\n');
}

/** Contains a hash of the style, so that readers get a changed one at once. */
export function brandingStylePath(subdomain: string, style: string): string {
  const digest = createHash('sha256').update(style).digest('hex').slice(0, 16);
  return `/status/${subdomain}/style.css?v=${digest}`;
}
