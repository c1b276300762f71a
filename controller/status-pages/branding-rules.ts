import { hasPlainHost, type Branding } from './page.ts';
import type { BrandingInput, PageChangeInput } from './schema.ts';

/** Fields of the branding that a page also has at its top level, by both names. */
const TOP_LEVEL_FIELDS = [
  ['color_scheme', 'defaultTheme'], ['logo_url', 'logoUrl'], ['favicon_url', 'faviconUrl'],
  ['custom_css', 'customCss'],
] as const;

type TopLevelFields = Pick<PageChangeInput, (typeof TOP_LEVEL_FIELDS)[number][0]>;

/**
 * The branding after a change; null if none was ever set. `topLevel` holds the same fields under their
 * top-level names. If a client sends back what it read with one of the two names changed, the changed one
 * wins.
 */
export function changedBranding(
  seen: Branding | null, branding: BrandingInput = {}, topLevel: TopLevelFields = {},
): Branding | null {
  const requested: BrandingInput = { ...branding };
  for (const [topLevelName, brandingName] of TOP_LEVEL_FIELDS) {
    const value = topLevel[topLevelName];
    const { [brandingName]: branded } = requested;
    const isBrandingChanged = branded !== undefined && branded !== (seen?.[brandingName] ?? null);
    if (value === undefined || isBrandingChanged || value === topLevelBranding(seen)[topLevelName]) continue;
    Object.assign(requested, { [brandingName]: value });
  }
  const entries = Object.entries({ ...seen, ...requested }).filter(([, value]) => (value ?? null) !== null);
  return entries.length === 0 && seen === null ? null : Object.fromEntries(entries);
}

/** The branding fields that a page has at its top level. */
export function topLevelBranding(branding: Branding | null) {
  return {
    color_scheme: branding?.defaultTheme ?? 'system' as const, logo_url: branding?.logoUrl ?? null,
    favicon_url: branding?.faviconUrl ?? null, custom_css: branding?.customCss ?? null,
  };
}

/** The images that browsers may load. Leaves out images stored before their hosts were validated. */
export function safeImages(branding: Branding | null) {
  const { logo_url, favicon_url } = topLevelBranding(branding);
  const checked = (url: string | null) => (url !== null && hasPlainHost(url) ? url : null);
  return { logo_url: checked(logo_url), favicon_url: checked(favicon_url) };
}
