import { hasPlainHost, type Branding } from './page.ts';
import type { BrandingInput, PageChangeInput } from './schema.ts';

/** The names under which a page shows parts of its branding. */
const SHOWN = [
  ['color_scheme', 'defaultTheme'], ['logo_url', 'logoUrl'], ['favicon_url', 'faviconUrl'],
  ['custom_css', 'customCss'],
] as const;

type Shown = Pick<PageChangeInput, (typeof SHOWN)[number][0]>;

/**
 * The branding after a change; null if nothing was ever set. A field of `branding` may come under its other
 * name, too. Who sends back what was read, with one of the two changed, means the changed one.
 */
export function changedBranding(
  seen: Branding | null, branding: BrandingInput = {}, shown: Shown = {},
): Branding | null {
  const asked: BrandingInput = { ...branding };
  for (const [name, own] of SHOWN) {
    const value = shown[name];
    const isOwnChanged = asked[own] !== undefined && asked[own] !== (seen?.[own] ?? null);
    if (value === undefined || isOwnChanged || value === shownBranding(seen)[name]) continue;
    Object.assign(asked, { [own]: value });
  }
  const entries = Object.entries({ ...seen, ...asked }).filter(([, value]) => (value ?? null) !== null);
  return entries.length === 0 && seen === null ? null : Object.fromEntries(entries);
}

/** Branding as a page shows it at its top level. */
export function shownBranding(branding: Branding | null) {
  return {
    color_scheme: branding?.defaultTheme ?? 'system' as const, logo_url: branding?.logoUrl ?? null,
    favicon_url: branding?.faviconUrl ?? null, custom_css: branding?.customCss ?? null,
  };
}

/** The images that readers load, without those stored before their hosts were checked that fail the check. */
export function loadedImages(branding: Branding | null) {
  const { logo_url, favicon_url } = shownBranding(branding);
  const checked = (url: string | null) => (url !== null && hasPlainHost(url) ? url : null);
  return { logo_url: checked(logo_url), favicon_url: checked(favicon_url) };
}
