import { z } from 'zod';
import {
  readOnlyFields, timeZoneInput, uuidParam, characters, singleLineText, multilineText, trimmedPattern,
} from '../http/input/validation.ts';
import { scopeCss } from './custom-css.ts';
import { COLOR_SCHEMES, hasPlainHost, MAX_COMPONENTS, PUBLICATIONS, SEVERITIES, TIMEFRAMES } from './page.ts';

export const projectParams = z.strictObject({ projectId: uuidParam });
export const pageParams = projectParams.extend({ id: uuidParam });

/** Browsers load the image, so it must not be insecure content on a page served over TLS. */
const imageUrl = z.url({ protocol: /^https$/, error: 'Must be an https URL' })
  .max(2000, 'Must be at most 2000 characters')
  .refine((value) => !value.includes('@') && !/[\s"'<>\\]/.test(value), 'Must not contain user names or quotes')
  .refine(hasPlainHost, 'The host must not contain ; or , or other punctuation')
  .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]://[^@\\s"\'<>\\\\;,/?#]+(?:[/?#][^@\\s"\'<>\\\\]*)?$' });

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const DOMAIN = `(?:${LABEL}\\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])`;
const NOT_A_DOMAIN = 'Must be a domain name, such as status.example.com';
const customDomain = z.string().trim().max(253, NOT_A_DOMAIN).regex(new RegExp(`^${DOMAIN}$`), NOT_A_DOMAIN)
  .toLowerCase().meta({ pattern: trimmedPattern(DOMAIN) });

const customCss = multilineText(20_000).superRefine((css, issues) => {
  const scoped = scopeCss(css);
  if ('problem' in scoped) issues.addIssue({ code: 'custom', message: scoped.problem });
}).describe('Rules for the content of the page: colors, fonts, borders and spacing. They cannot load anything.');

const colorScheme = z.enum(COLOR_SCHEMES);

export const brandingInput = z.strictObject({
  defaultTheme: colorScheme.nullable(),
  primaryColor: z.string().regex(/^#[0-9A-Fa-f]{6}$/, 'Must be a color such as #1a7f37').nullable(),
  logoUrl: imageUrl.nullable(),
  faviconUrl: imageUrl.nullable(),
  customCss: customCss.nullable(),
  headerText: multilineText(500).nullable(),
  footerText: multilineText(500).nullable(),
}).partial().describe('Changes only the fields in the request; null removes a field.');
export type BrandingInput = z.infer<typeof brandingInput>;

const thresholds = z.strictObject({
  operational: z.number().min(0).max(100),
  degraded: z.number().min(0).max(100),
}).refine(({ operational, degraded }) => operational >= degraded, 'operational must be at least degraded');

const settings = {
  name: singleLineText(100),
  description: multilineText(1000).nullable(),
  show_uptime_percentage: z.boolean(),
  show_response_time: z.boolean(),
  timezone: timeZoneInput,
  allow_search_indexing: z.boolean(),
  uptime_timeframes: z.array(z.enum(TIMEFRAMES)).max(TIMEFRAMES.length).transform((all) => [...new Set(all)]),
  uptime_thresholds: thresholds,
  incident_history_days: z.int().min(1).max(365),
  maintenance_affects_uptime: z.boolean(),
  google_analytics_id: z.string().regex(/^G-[A-Z0-9]{4,20}$/, 'Must be a measurement ID such as G-AB12CD34').nullable(),
  custom_domain: customDomain.nullable(),
  auto_publish_enabled: z.boolean(),
  auto_publish_severities:
    z.array(z.enum(SEVERITIES)).max(SEVERITIES.length).transform((all) => [...new Set(all)]),
};

/** The branding fields that a page also has at its top level. */
const topLevelBranding = {
  color_scheme: colorScheme, logo_url: imageUrl.nullable(), favicon_url: imageUrl.nullable(),
  custom_css: customCss.nullable(),
};

const NOT_A_SUBDOMAIN =
  'Use 3–63 lowercase letters, digits and hyphens; start and end with a letter or digit';
const subdomain = z.string().regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, NOT_A_SUBDOMAIN)
  .refine((name) => !name.startsWith('xn--'), NOT_A_SUBDOMAIN)
  .meta({ not: { pattern: '^xn--' } }).describe('Cannot be changed.');

const common = {
  ...readOnlyFields(
    'id', 'organization_id', 'project_id', 'status', 'is_public', 'component_display_order',
    'custom_domain_verified', 'ssl_enabled', 'ssl_certificate_status', 'subscriber_count', 'monitor_count',
    'page_views_24h', 'page_views_7d', 'page_views_30d', 'last_published_at', 'created_by', 'created_at',
    'updated_at', 'uptime_percentage', 'monitors', 'managed_by',
  ),
  ...topLevelBranding,
  branding: brandingInput,
};

export const pageChangeInput = z.strictObject({ ...settings, ...common, subdomain }).partial();
export type PageChangeInput = z.infer<typeof pageChangeInput>;

export const pageInput = pageChangeInput.required({ name: true, subdomain: true });
export type PageInput = z.infer<typeof pageInput>;

const displayFields = {
  display_name: singleLineText(100).nullable().optional(),
  group_name: singleLineText(100).nullable().optional(),
  display_order: z.int().min(0).max(100_000).optional().describe('Default: its position in this list.'),
  is_visible: z.boolean().optional(),
};

const componentInput = z.strictObject({
  ...readOnlyFields(
    'id', 'status_page_id', 'show_uptime', 'show_response_time', 'monitor_name', 'monitor_url',
    'monitor_status', 'current_uptime', 'average_response_time', 'created_at',
  ),
  monitor_id: uuidParam,
  ...displayFields,
});

export const componentsInput = z.strictObject({
  monitors: z.array(componentInput).max(MAX_COMPONENTS).superRefine((all, issues) => {
    const seen = new Set<string>();
    for (const [at, { monitor_id: id }] of all.entries()) {
      if (seen.has(id)) issues.addIssue({ code: 'custom', path: [at, 'monitor_id'], message: 'Listed twice' });
      seen.add(id);
    }
  }),
});
export type ComponentsInput = z.infer<typeof componentsInput>;

/** A page in an imported document. It names its monitors, which may not exist yet. */
export const pageItem = z.strictObject({
  ...settings, ...topLevelBranding, branding: brandingInput, status: z.enum(PUBLICATIONS),
  subdomain: subdomain.describe('Required for a new page.'),
  monitors: z.array(z.strictObject({
    monitor: characters(255).describe('Name of a monitor in the document or the project.'),
    target: characters(2048).optional().describe('Distinguishes monitors with the same name.'),
    ...displayFields,
  })).max(MAX_COMPONENTS),
}).partial().required({ name: true });
export type PageItem = z.infer<typeof pageItem>;
