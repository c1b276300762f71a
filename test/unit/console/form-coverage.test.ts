import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { inputOf, newDraft, type Kind } from '../../../controller/console/app/destinations/draft.ts';
import { PATHS } from '../../../controller/console/app/editing/fields.ts';
import { inputOf as windowInputOf, newWindowDraft } from '../../../controller/console/app/maintenance/window-draft.ts';
import {
  brandingDraft, brandingInput, settingsDraft, settingsInput, type StatusPage,
} from '../../../controller/console/app/pages/page-draft.ts';
import { destinationForms } from '../../../controller/console/destination-forms.ts';
import { monitorRules } from '../../../controller/console/monitor-rules.ts';
import { destinationInput } from '../../../controller/destinations/schema.ts';
import { windowInput } from '../../../controller/maintenance/schema.ts';
import { DEFAULT_SETTINGS } from '../../../controller/status-pages/page.ts';
import { pageInput, brandingInput as brandingSchema } from '../../../controller/status-pages/schema.ts';

const app = new URL('../../../controller/console/app/', import.meta.url);

interface Schema {
  properties?: Record<string, Schema>;
  oneOf?: Schema[];
  readOnly?: boolean;
}

/** The fields that a request may set, including those inside `config`. */
function writable(schema: z.ZodType): Set<string> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  return new Set([json, ...json.oneOf ?? []].flatMap(({ properties = {} }) => fieldsOf(properties)));
}

function fieldsOf(properties: Record<string, Schema>): string[] {
  return Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true)
    .flatMap(([name, { properties: inner = {} }]) => (name === 'config' ? Object.keys(inner).map((one) => `config.${one}`) : [name]));
}

function codeOf(section: string): string {
  return readdirSync(new URL(section, app)).filter((name) => name.endsWith('.tsx'))
    .map((name) => readFileSync(new URL(`${section}/${name}`, app), 'utf8')).join('\n');
}

/** The fields of a draft that some control of the section changes. */
function changedIn(section: string): Set<string> {
  return new Set([...codeOf(section).matchAll(/\bset\(\{ (\w+)/g)].map(([, name = '']) => name));
}

function without(all: Iterable<string>, ...covered: Iterable<string>[]): string[] {
  const seen = new Set(covered.flatMap((one) => [...one]));
  return [...all].filter((one) => !seen.has(one));
}

test('users can set everything that the API accepts for a status page', () => {
  const page = { name: 'Acme', ...DEFAULT_SETTINGS, color_scheme: 'system' } as unknown as StatusPage;
  const drafts = { settings: settingsDraft(page), branding: brandingDraft(page) };
  const { branding } = brandingInput(drafts.branding);
  // Set on creation, at its domain, and, under these other names, by `branding`.
  const elsewhere = ['subdomain', 'custom_domain', 'branding', 'color_scheme', 'logo_url', 'favicon_url', 'custom_css'];
  expect(without(writable(pageInput), Object.keys(settingsInput(drafts.settings)), elsewhere)).toEqual([]);
  expect(without(writable(brandingSchema), Object.keys(branding))).toEqual([]);
  const controls = changedIn('pages');
  expect(without([...Object.keys(drafts.settings), ...Object.keys(drafts.branding)], controls)).toEqual([]);
});

test('users can set everything that the API accepts for a destination', () => {
  const forms = destinationForms();
  const drafts = (Object.keys(forms) as Kind[]).map((kind) => ({ draft: newDraft(kind, forms[kind]), form: forms[kind] }));
  const bodies = drafts.map(({ draft, form }) => inputOf(draft, form));
  const sent = bodies.flatMap(({ config, ...body }) => [...Object.keys(body), ...Object.keys(config).map((one) => `config.${one}`)]);
  expect(without(writable(destinationInput), sent)).toEqual([]);
  // The type is chosen earlier, and the events have a list of their own.
  expect(without(drafts.flatMap(({ draft }) => Object.keys(draft)), changedIn('destinations'), ['type'])).toEqual([]);
});

test('users can set everything that the API accepts for a maintenance window', () => {
  const draft = newWindowDraft(Date.UTC(2027, 0, 1), 'UTC');
  expect(without(writable(windowInput), Object.keys(windowInputOf(draft)))).toEqual([]);
  expect(without(Object.keys(draft), changedIn('maintenance'))).toEqual([]);
});

test('users can set everything that the API accepts for a monitor', () => {
  // The type is chosen earlier. The others are alternative names of the same settings, which the API also accepts.
  const lists = ['assertions', 'dns_config.record_entries', 'keyword_config.keywords'];
  const otherPlaces = [
    'http_config', 'expected_status_codes', 'keywords', 'match_mode', 'case_sensitive', 'port', 'protocol', 'protocol_validation',
    'tls', 'send', 'expect', 'record_entries', 'dns_server', 'resolution_timeout_ms', 'packet_count', 'packet_size', 'ttl',
    ...['expected_status_ranges', 'ip_family', 'connect_to', 'assertions'].map((name) => `keyword_config.${name}`),
  ];
  const isCovered = (path: string) => path === 'type' || PATHS.some((one) => one === path || one.startsWith(`${path}.`))
    || [...lists, ...otherPlaces].some((one) => one === path || path.startsWith(`${one}.`));
  expect(Object.keys(monitorRules()).filter((path) => !isCovered(path))).toEqual([]);
  const code = codeOf('editing');
  // Certificate and domain warnings share their controls.
  const control = (path: string) => path.replace(/^(ssl|domain)_monitoring\.(enabled|expiry_warning_days)$/, '${setting}.$2');
  const controls = PATHS.filter((path) => (
    [`path="${path}"`, `path={\`${control(path)}\`}`, `('${path}')`].some((text) => code.includes(text))
  ));
  expect(without(PATHS, controls)).toEqual([]);
});
