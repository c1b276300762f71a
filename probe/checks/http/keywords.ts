import type { KeywordSpec } from '../../../shared/contracts/check-spec.ts';
import { shortened } from '../check.ts';
import type { Content, ContentRule } from './content.ts';

const MAX_NAMED = 5;
const MAX_NAME_LENGTH = 60;

type Keyword = KeywordSpec['keywords'][number];

/**
 * Searches for keywords literally. Case-insensitive matching lower-cases both sides. A page may use NFC or
 * NFD, so both forms of the keyword are searched; normalizing the page would take quadratic time for some
 * texts.
 */
export class KeywordRule implements ContentRule {
  readonly wantsBody = true;
  readonly #spec: KeywordSpec;

  constructor(spec: KeywordSpec) {
    this.#spec = spec;
  }

  problem({ text, part }: Content): string | null {
    const { keywords, match_mode: mode, case_sensitive: isCaseSensitive } = this.#spec;
    const fold = (one: string): string => (isCaseSensitive ? one : one.toLowerCase());
    const forms = new Map(keywords.map((keyword) => [keyword, formsOf(fold(keyword.text))]));
    const found = text.find([...new Set([...forms.values()].flat())], fold);
    const isFound = (keyword: Keyword): boolean => (forms.get(keyword) ?? []).some((form) => found.has(form));
    const wrong = keywords.filter((keyword) => isFound(keyword) !== keyword.should_contain);
    if (wrong.length < (mode === 'any' ? keywords.length : 1)) return null;
    const missing = wrong.filter((keyword) => keyword.should_contain);
    const present = wrong.filter((keyword) => !keyword.should_contain);
    const facts = [
      ...(missing.length > 0 ? [`the body lacks ${named(missing)}`] : []),
      ...(present.length > 0 ? [`the body contains ${named(present)}`] : []),
    ].join(' and ');
    const expected = mode === 'any' && keywords.length > 1
      ? 'Expected at least one keyword condition to hold' : expectation(missing, present);
    return `${expected}, but ${facts}${part === null ? '' : ` (searched: ${part})`}`;
  }
}

function formsOf(wanted: string): string[] {
  return [wanted, wanted.normalize('NFC'), wanted.normalize('NFD')];
}

function expectation(missing: Keyword[], present: Keyword[]): string {
  if (present.length === 0) return missing.length === 1 ? 'Expected a keyword' : 'Expected keywords';
  return missing.length === 0 ? 'Expected no such keyword' : 'Expected some keywords and not others';
}

function named(keywords: Keyword[]): string {
  const names = keywords.slice(0, MAX_NAMED)
    .map(({ text }) => `"${shortened(text, MAX_NAME_LENGTH)}"`).join(', ');
  return keywords.length > MAX_NAMED ? `${names} and ${keywords.length - MAX_NAMED} more` : names;
}
