import { z } from 'zod';
import { fieldError } from '../../http/validation.ts';
import type { CheckType, FieldsOf } from './check-type.ts';
import { chosen } from './chosen.ts';
import { HTTP_DEFAULTS, httpFields, httpTarget, requestSpec, resolveHttpSettings, viewHttp, type HttpInput } from './http.ts';

/** What is looked for in the body of an answer. */
export interface KeywordSettings {
  keywords: { text: string; should_contain: boolean }[];
  match_mode: 'all' | 'any';
  case_sensitive: boolean;
}

const MOST_KEYWORDS = 20;
const LONGEST_KEYWORD = 500;

const keyword = z.strictObject({
  text: z.string().max(LONGEST_KEYWORD, `Keyword must be at most ${LONGEST_KEYWORD} characters`).refine((text) => text.trim() !== '', 'Keyword must not be empty'),
  should_contain: z.boolean().default(true),
});
const flatFields = {
  keywords: z.array(keyword).min(1, 'At least one keyword is required').max(MOST_KEYWORDS, `At most ${MOST_KEYWORDS} keywords are allowed`).optional(),
  match_mode: z.enum(['all', 'any']).optional().describe('Whether all keywords must match, or any of them. Default: `all`.'),
  case_sensitive: z.boolean().optional(),
};

/** KEYWORD in bodies of create and update, beside what it has of HTTP. */
export const keywordFields = { ...flatFields, keyword_config: z.strictObject(flatFields).nullable().optional() };
type KeywordInput = FieldsOf<typeof keywordFields>;

/** KEYWORD in answers. */
export const keywordAnswer = {
  keyword_config: z
    .strictObject({
      keywords: z.array(z.strictObject({ text: z.string(), should_contain: z.boolean() })),
      match_mode: z.enum(['all', 'any']),
      case_sensitive: z.boolean(),
    })
    .optional(),
};

export const keywordType: CheckType<KeywordInput & HttpInput> = {
  fields: [...Object.keys(httpFields), ...Object.keys(keywordFields)],
  resolve: (input, current) => {
    const http = resolveHttpSettings(input, current?.http ?? null);
    if (http.method === 'HEAD') throw fieldError('method', 'The answer to a HEAD request has no body to look for keywords in');
    return { target: httpTarget(input.target, current?.target), http, keyword: resolveKeywords(input, current?.keyword ?? null) };
  },
  view: (doc) => ({ keyword_config: doc.keyword, ...viewHttp(doc.http ?? HTTP_DEFAULTS) }),
  toSpec: (doc) => ({
    type: 'KEYWORD', ...requestSpec(doc.target, doc.http ?? HTTP_DEFAULTS), ...(doc.keyword ?? { keywords: [], match_mode: 'all', case_sensitive: false }),
  }),
};

function resolveKeywords(input: KeywordInput, current: KeywordSettings | null): KeywordSettings {
  const nested = input.keyword_config ?? {};
  const keywords = chosen('keyword_config.keywords', current?.keywords, [input.keywords, nested.keywords]);
  if (keywords === undefined) throw fieldError('keyword_config.keywords', 'Required');
  return {
    keywords,
    match_mode: chosen('keyword_config.match_mode', current?.match_mode, [input.match_mode, nested.match_mode]) ?? 'all',
    case_sensitive: chosen('keyword_config.case_sensitive', current?.case_sensitive, [input.case_sensitive, nested.case_sensitive]) ?? false,
  };
}
