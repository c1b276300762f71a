import type { Draft } from '../fit-monitor.ts';
import { durationMs } from './duration.ts';
import { acceptedCodes } from './expected-status.ts';
import { simpleJsonPath } from './json-path-text.ts';

const CONDITION = /^\s*(.+?)\s*(==|!=|<=|>=|<|>)\s*(.*?)\s*$/s;
const DAY_MS = 86_400_000;
const EXPIRY_NOTE = 'An early expiry is a warning in Farwatch, and not an outage.';
const EXPIRIES: Readonly<Record<string, 'ssl_monitoring' | 'domain_monitoring'>> = {
  '[CERTIFICATE_EXPIRATION]': 'ssl_monitoring', '[DOMAIN_EXPIRATION]': 'domain_monitoring',
};
const OPERATORS = { '==': 'equals', '!=': 'not_equals', '>': 'greater_than', '<': 'less_than' } as const;

type Operator = '==' | '!=' | '<=' | '>=' | '<' | '>';
type Assertion = NonNullable<NonNullable<Draft['assertions']>[number]>;

interface Condition {
  left: string;
  operator: Operator;
  right: string;
}

/** What conditions of Gatus mean for a monitor of this type. Adds a note for each that is lost. */
export function conditionSettings(conditions: readonly string[], type: Draft['type'], notes: string[]): Partial<Draft> {
  const settings: Partial<Draft> = {};
  const statuses: ((code: number) => boolean)[] = [];
  const assertions: Assertion[] = [];
  const values: string[][] = [];
  const isRequest = type === 'HTTP';
  for (const text of conditions) {
    const condition = parse(text);
    const { left = '', operator, right = '' } = condition ?? {};
    const assertion = isRequest && condition !== null ? bodyAssertion(condition) : null;
    const answer = type === 'DNS' && left === '[BODY]' && operator === '==' ? alternatives(right) : null;
    const status = isRequest && left === '[STATUS]' && condition !== null ? statusRule(condition) : null;
    if (assertion !== null) assertions.push(assertion);
    else if (status !== null) statuses.push(status);
    else if (answer !== null) values.push(answer);
    else if (condition === null || !apply(condition, settings, isRequest, notes)) {
      notes.push(`This condition is not checked: ${text.trim()}.`);
    }
  }
  if (isRequest) Object.assign(settings, acceptedCodes((code) => statuses.every((accepts) => accepts(code))));
  if (assertions.length > 0) settings.assertions = assertions;
  if (values.length > 0) settings.record_entries = [expectedRecords(values)];
  return settings;
}

function parse(text: string): Condition | null {
  const [, left, operator, right] = CONDITION.exec(text) ?? [];
  return left === undefined ? null : { left, operator: operator as Operator, right: unquoted(right ?? '') };
}

/** Whether a condition on the connection, the time or an expiry has become part of the settings. */
function apply(
  { left, operator, right }: Condition, settings: Partial<Draft>, isRequest: boolean, notes: string[],
): boolean {
  if (left === '[CONNECTED]' && operator === '==') {
    if (right === 'false') settings.is_inverted = true;
    return true;
  }
  if (left === '[DNS_RCODE]') return operator === '==' && right === 'NOERROR';
  const isUpper = operator === '<' || operator === '<=';
  if (left === '[RESPONSE_TIME]' && isRequest && isUpper) {
    const ms = /^\d+$/.test(right) ? Number(right) : durationMs(right);
    if (ms === null || ms < 1) return false;
    settings.slow_response_threshold_ms = Math.min(60_000, Math.round(ms));
    settings.slow_response_action = 'down';
    return true;
  }
  const expiry = EXPIRIES[left];
  const ms = durationMs(right);
  if (expiry === undefined || isUpper || ms === null) return false;
  const days = Math.min(365, Math.max(1, Math.ceil(ms / DAY_MS)));
  settings[expiry] = { enabled: true, expiry_warning_days: [days] };
  notes.push(EXPIRY_NOTE);
  return true;
}

function statusRule({ operator, right }: Condition): ((code: number) => boolean) | null {
  const codes = alternatives(right)?.map(Number) ?? [];
  if (codes.length === 0 || codes.some((code) => !Number.isInteger(code))) return null;
  const [limit = 0] = codes;
  switch (operator) {
    case '==': return (code) => codes.includes(code);
    case '!=': return (code) => !codes.includes(code);
    case '<': return (code) => code < limit;
    case '<=': return (code) => code <= limit;
    case '>': return (code) => code > limit;
    default: return (code) => code >= limit;
  }
}

function bodyAssertion({ left, operator, right }: Condition): Assertion | null {
  const existence = /^has\(\[BODY\]\.?(.*)\)$/.exec(left);
  const value = /^\[BODY\]\.?(.*)$/s.exec(left);
  const path = simpleJsonPath(existence?.[1] ?? value?.[1] ?? '(');
  if (path === null) return null;
  if (existence !== null) {
    const isWanted = (right === 'true') === (operator === '==');
    return { source: 'json', property: path, comparison: isWanted ? 'exists' : 'absent' };
  }
  const source = path === '$' ? { source: 'body' as const } : { source: 'json' as const, property: path };
  const pattern = /^pat\((.*)\)$/s.exec(right)?.[1];
  if (pattern !== undefined) {
    const part = /^\*([^*?[\]\\]+)\*$/.exec(pattern)?.[1];
    if (part === undefined || (operator !== '==' && operator !== '!=')) return null;
    return { comparison: operator === '==' ? 'contains' : 'not_contains', target: part, ...source };
  }
  if (operator === '<=' || operator === '>=' || /^any\(/.test(right)) return null;
  const isOrder = operator === '<' || operator === '>';
  if (isOrder && !/^-?\d+(\.\d+)?$/.test(right)) return null;
  return { comparison: OPERATORS[operator], target: right, ...source };
}

/** The values of `any(a, b)`, or the value itself; null for a pattern. */
function alternatives(text: string): string[] | null {
  const list = /^any\((.*)\)$/s.exec(text)?.[1];
  if (list !== undefined) return list.split(',').map((one) => unquoted(one.trim()));
  return /^\w+\(/.test(text) ? null : [text];
}

/** The type is filled in with the query. */
function expectedRecords(values: string[][]): NonNullable<Draft['record_entries']>[number] {
  const [first = []] = values;
  return values.length === 1 && first.length > 1
    ? { type: 'A', expected_values: first, match: 'any' }
    : { type: 'A', expected_values: values.flat(), match: 'contains' };
}

function unquoted(text: string): string {
  return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text;
}
