import type { HttpSpec, KeywordSpec } from '../../../shared/contracts/check-spec.ts';
import { AssertionRule } from './assertions.ts';
import type { ContentRule } from './content.ts';
import { KeywordRule } from './keywords.ts';

const NONE: readonly ContentRule[] = Object.freeze([]);

/** The rules of a check in order of evaluation. Most checks have none. */
export function contentRules(spec: HttpSpec | KeywordSpec): readonly ContentRule[] {
  const { assertions = [] } = spec;
  if (assertions.length === 0 && spec.type === 'HTTP') return NONE;
  return [
    ...(spec.type === 'KEYWORD' ? [new KeywordRule(spec)] : []),
    ...(assertions.length > 0 ? [new AssertionRule(assertions)] : []),
  ];
}
