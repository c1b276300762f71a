import { parseRegistryDate } from './registry-date.ts';
import { type RegistrationResult, sanitizeName } from './domain.ts';

/** Besides the registration, the registrar's server, which may know more. */
export interface WhoisResponse {
  registration: RegistrationResult;
  referral: string | null;
}

/** Limit of lines that are read. */
const MAX_LINES = 2000;
const MAX_LABEL_LENGTH = 64;

const EXPIRY = new Set([
  'registry expiry date', 'expiry date', 'expiration date', 'expire date', 'expires', 'expires on',
  'expires at', 'expire', 'expire on', 'expire-date', 'expiration', 'expiration time', 'expiry', 'expired',
  'paid-till', 'paid till', 'renewal date', 'renewal', 'valid until', 'valid-until', 'valid date',
  'validity', 'domain expiration date', 'domain expires', 'registry expiration date', 'record expires on',
  'record expires', 'exp date', 'date d\'expiration', '有効期限',
]);
/** The registrar's dates, which may lag behind the registry's. */
const REGISTRAR_EXPIRY = new Set(['registrar registration expiration date', 'registrar expiration date']);
const REGISTRAR = new Set([
  'registrar', 'sponsoring registrar', 'registrar name', 'registrar organization', 'authorized agency',
]);
/** The registrar's fields when they follow a heading line for it. */
const NESTED = new Set(['name', 'organization', 'organisation', 'organization name']);
const REFERRAL = new Set(['registrar whois server', 'whois server', 'whois']);

const NOT_REGISTERED = [
  'no match for', 'no match found', 'not found', 'no entries found', 'no data found', 'no object found',
  'nothing found', 'is free', 'is available', 'status: free', 'status: available', 'no matching record',
  'domain not registered', 'is not registered', 'no information available about domain',
];

/** Reads the formats common among registries. Never throws; takes time linear in the text's length. */
export function readWhois(text: string): WhoisResponse {
  const lines = fieldsOf(text);
  const valueOf = (labels: ReadonlySet<string>): string | null =>
    lines.find(({ label, value }) => labels.has(label) && value !== '')?.value ?? null;
  const dates = [EXPIRY, REGISTRAR_EXPIRY].map((labels) => {
    const found = lines.find(({ label, value }) => labels.has(label) && parseRegistryDate(value) !== null);
    return found ? parseRegistryDate(found.value) : null;
  });
  const expires_at = dates[0] ?? dates[1] ?? null;
  const registrar = sanitizeName(valueOf(REGISTRAR) ?? '');
  const referral = hostOf(valueOf(REFERRAL));
  if (expires_at !== null || registrar !== null || referral !== null) {
    return { registration: { expires_at, registrar }, referral };
  }
  const start = text.slice(0, 4096).toLowerCase().replace(/[ \t]+/g, ' ');
  if (NOT_REGISTERED.some((phrase) => start.includes(phrase))) return { registration: null, referral };
  return { registration: lines.length > 0 ? { expires_at, registrar } : undefined, referral };
}

/**
 * The WHOIS server of a top-level domain in an IANA response. Null if it has none; undefined if the response
 * is not about a top-level domain.
 */
export function readWhoisServer(text: string): string | null | undefined {
  const fields = fieldsOf(text);
  if (!fields.some(({ label }) => label === 'domain')) return undefined;
  return hostOf(fields.find(({ label }) => label === 'whois' || label === 'refer')?.value ?? null);
}

interface Field {
  /** Lower case, without the dots before the value. */
  label: string;
  value: string;
}

/** `label: value`, `label.......: value`, `[label] value`, or a label whose value is on the next line. */
function fieldsOf(text: string): Field[] {
  const fields: Field[] = [];
  let isValueExpected = false;
  for (const rawLine of text.split('\n', MAX_LINES)) {
    const line = rawLine.trim();
    if (line === '' || line.startsWith('%') || line.startsWith('#') || line.startsWith('>>>')) continue;
    const field = fieldOf(line);
    const pending = isValueExpected ? fields.at(-1) : undefined;
    const isNested = field !== null && NESTED.has(field.label);
    if (pending && (field === null || isNested)) pending.value = field?.value ?? line;
    else if (field) fields.push(field);
    isValueExpected = field !== null && field.value === '';
  }
  return fields;
}

function fieldOf(line: string): Field | null {
  const start = line.slice(0, MAX_LABEL_LENGTH);
  const isBracketed = start.startsWith('[');
  const end = start.indexOf(isBracketed ? ']' : ':');
  if (end < 1) return /^registrar$/i.test(line) ? { label: 'registrar', value: '' } : null;
  const rawLabel = start.slice(isBracketed ? 1 : 0, end);
  const label = trimmedEnd(rawLabel).replace(/^[* ]+/, '').trim().toLowerCase();
  return label === '' ? null : { label, value: line.slice(end + 1).trim() };
}

function trimmedEnd(label: string): string {
  let end = label.length;
  while (end > 0 && (label[end - 1] === '.' || label[end - 1] === ' ')) end -= 1;
  return label.slice(0, end);
}

function hostOf(value: string | null): string | null {
  const host = value?.toLowerCase() ?? '';
  return host.length <= 253 && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])$/.test(host) ? host : null;
}
