import { z } from 'zod';
import { nonBlankText, fieldError } from '../../http/input/validation.ts';
import { chooseSettings } from './sent-settings.ts';
import type { CheckType, FieldsOf } from './registry.ts';
import { expectationResponseFields, expectationFields, NO_EXPECTATIONS } from './http-expectations.ts';
import {
  httpTarget, httpType, requestSpec, resolveHttpSettings, viewExpectations, type HttpInput, type HttpOwn,
} from './http.ts';

const keywordSettings = z.strictObject({
  keywords: z.array(z.strictObject({ text: z.string(), should_contain: z.boolean() })),
  match_mode: z.enum(['all', 'any']),
  case_sensitive: z.boolean(),
});
export type KeywordSettings = z.infer<typeof keywordSettings>;

export const keywordResponseFields = {
  keyword_config: keywordSettings.extend(expectationResponseFields).optional(),
};

const MAX_KEYWORDS = 20;
const MAX_KEYWORD_LENGTH = 500;

const keyword = z.strictObject({
  text: nonBlankText(
    MAX_KEYWORD_LENGTH, `Keyword must be at most ${MAX_KEYWORD_LENGTH} characters`, 'Keyword must not be empty',
  ),
  should_contain: z.boolean().default(true),
});
const flatFields = {
  keywords: z.array(keyword).min(1, 'At least one keyword is required')
    .max(MAX_KEYWORDS, `At most ${MAX_KEYWORDS} keywords are allowed`).optional(),
  match_mode: z.enum(['all', 'any']).optional()
    .describe('Whether all keywords must match, or any of them. Default: `all`.'),
  case_sensitive: z.boolean().optional(),
};

export const keywordFields = {
  ...flatFields,
  keyword_config: z.strictObject({ ...flatFields, ...expectationFields }).nullable().optional(),
};

type KeywordInput = FieldsOf<typeof keywordFields> & HttpInput;

export const keywordType: CheckType<KeywordInput, HttpOwn & { keyword: KeywordSettings | null }> = {
  fields: [...httpType.fields, ...Object.keys(keywordFields)],
  resolve: (input, current) => {
    const { keywords, match_mode, case_sensitive, ...expectations } = input.keyword_config ?? {};
    const http = resolveHttpSettings(input, current?.http ?? null, expectations);
    if (http.method === 'HEAD') {
      throw fieldError('method', 'The response to a HEAD request has no body to search for keywords');
    }
    const target = httpTarget(input.target, current?.target);
    const keyword = chooseSettings<KeywordSettings>({
      config: 'keyword_config', sent: [input, { keywords, match_mode, case_sensitive }],
      current: current?.keyword ?? null,
      defaults: { keywords: undefined, match_mode: 'all', case_sensitive: false },
    });
    return { target, http, keyword };
  },
  view: (doc, isConcealed) => ({
    keyword_config: doc.keyword && { ...viewExpectations(doc.http ?? NO_EXPECTATIONS), ...doc.keyword },
    ...httpType.view(doc, isConcealed),
  }),
  toSpec: (doc) => ({
    type: 'KEYWORD', ...requestSpec(doc),
    ...(doc.keyword ?? { keywords: [], match_mode: 'all', case_sensitive: false }),
  }),
};
