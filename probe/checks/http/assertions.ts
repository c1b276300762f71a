import type { Assertion } from '../../../shared/contracts/check-spec.ts';
import { parseJsonPath } from '../../../shared/json-path.ts';
import { shortened } from '../check.ts';
import type { Content, ContentRule } from './content.ts';
import { parseJsonText, valueAt, type JsonText } from './json-text.ts';
import { containsText } from './literal-search.ts';
import { headerValue } from './response-head.ts';

const MAX_SHOWN = 100;
const NUMBER = /^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,3})?$/;

/** The subject of an assertion: a value, nothing, or a reason why it can't be evaluated. */
type Found = Value | { found: false; instead: string } | { problem: string };

/** For a long body, `value` is only its start. */
interface Value {
  found: true;
  value: unknown;
  contains: (target: string) => boolean;
}

/**
 * Evaluates assertions on headers, JSON values and the body. JSON numbers compare numerically, all else as
 * text. `greater_than` and `less_than` need numbers on both sides. Lists and objects only `exist`; a missing
 * subject satisfies only `absent`.
 */
export class AssertionRule implements ContentRule {
  readonly wantsBody: boolean;
  readonly #assertions: readonly Assertion[];
  readonly #wantsJson: boolean;

  constructor(assertions: readonly Assertion[]) {
    this.#assertions = assertions;
    this.#wantsJson = assertions.some(({ source }) => source === 'json');
    this.wantsBody = assertions.some(({ source }) => source !== 'header');
  }

  /** The first failed assertion, and how many others failed. */
  problem(content: Content): string | null {
    const json = this.#wantsJson ? parseJsonText(content.text.utf8) : null;
    const problems = this.#assertions.flatMap((one) => problemOf(one, find(one, content, json)));
    const [first, ...others] = new Set(problems);
    if (first === undefined) return null;
    return others.length === 0 ? first : `${first} (and ${others.length} more)`;
  }
}

function notJson(instead: 'nothing' | 'large' | 'text', { text, part }: Content): string {
  if (instead === 'nothing') return 'Expected JSON, got an empty body';
  if (instead === 'large') return 'Expected JSON, got more than 256 kB';
  const size = part === null ? '' : `, received only ${part}`;
  return `Expected JSON, got something else${size}: ${shown(text.start)}`;
}

function find({ source, property = '' }: Assertion, content: Content, json: JsonText | null): Found {
  if (source === 'body') {
    const { text } = content;
    const { start } = text;
    if (start === '') return { found: false, instead: 'an empty body' };
    return { found: true, value: start, contains: (target) => text.find([target]).size > 0 };
  }
  if (source === 'header') {
    const value = headerValue(content.head.text, property);
    return value === null ? { found: false, instead: 'no such header' } : valueOf(value);
  }
  if (json !== null && 'instead' in json) return { problem: notJson(json.instead, content) };
  const path = parseJsonPath(property);
  const value = json === null || typeof path === 'string' ? undefined : valueAt(json.value, path);
  return value === undefined ? { found: false, instead: 'no such value' } : valueOf(value);
}

function valueOf(value: unknown): Value {
  return { found: true, value, contains: (target) => containsText(String(value), target) };
}

function problemOf(assertion: Assertion, found: Found): string[] {
  if ('problem' in found) return [found.problem];
  if (isFulfilled(assertion, found)) return [];
  const { source, property, comparison, target } = assertion;
  const what = source === 'body' ? 'the body' : source === 'header' ? `header ${property}` : String(property);
  const wanted = target === undefined ? '' : ` ${shown(target)}`;
  const actual = found.found ? shown(found.value) : found.instead;
  return [`Expected ${what} ${COMPARISON_TEXTS[comparison]}${wanted}, got ${actual}`];
}

const COMPARISON_TEXTS: Readonly<Record<Assertion['comparison'], string>> = Object.freeze({
  equals: 'to equal', not_equals: 'not to equal', contains: 'to contain', not_contains: 'not to contain',
  greater_than: 'to be greater than', less_than: 'to be less than', exists: 'to exist',
  absent: 'to be absent',
});

function isFulfilled({ comparison, target = '' }: Assertion, found: Exclude<Found, { problem: string }>): boolean {
  if (!found.found) return comparison === 'absent';
  if (comparison === 'exists' || comparison === 'absent') return comparison === 'exists';
  const { value } = found;
  if (typeof value === 'object' && value !== null) return false;
  const text = String(value);
  switch (comparison) {
    case 'equals': return isEqual(value, text, target);
    case 'not_equals': return !isEqual(value, text, target);
    case 'contains': return found.contains(target);
    case 'not_contains': return !found.contains(target);
    case 'greater_than': return isNumber(text) && isNumber(target) && Number(text) > Number(target);
    case 'less_than': return isNumber(text) && isNumber(target) && Number(text) < Number(target);
  }
}

function isEqual(value: unknown, text: string, target: string): boolean {
  return typeof value === 'number' && isNumber(target) ? value === Number(target) : text === target;
}

function isNumber(text: string): boolean {
  return NUMBER.test(text.trim());
}

/** A value as shown in messages. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = String(value);
  const start = shortened(text, MAX_SHOWN);
  return typeof value === 'string' ? `"${start}"` : start;
}
