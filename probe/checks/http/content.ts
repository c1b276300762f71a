import type { ErrorType } from '../../../shared/contracts/result.ts';
import type { ErrorLayer } from '../check.ts';
import { BodyText } from './body-text.ts';
import type { BodyDecoder } from './decode-body.ts';
import type { ExchangeResult } from './exchange.ts';
import { headerValue, type ResponseHead } from './response-head.ts';

const NOTHING = Buffer.alloc(0);

/** An answer as rules see it. */
export interface Content {
  head: ResponseHead;
  /** The body; empty when no rule wants it. Not to be used later. */
  text: BodyText;
  /** How much of the body that is; null when it is all of it. */
  part: string | null;
}

/** What a check expects of an answer with the right status. */
export interface ContentRule {
  readonly wantsBody: boolean;
  /** What was expected and what came instead, or null. */
  problem(content: Content): string | null;
}

/** What is wrong with an answer. */
export interface ContentFault {
  type: ErrorType;
  layer: ErrorLayer;
  message: string;
}

/** Decodes what was kept of an answer's body and asks the rules in turn; null if nothing is wrong. */
export function faultOfContent(
  response: ExchangeResult, rules: readonly ContentRule[], decoder: BodyDecoder,
): Promise<ContentFault | null> {
  const head = response.head as ResponseHead;
  const wantsBody = rules.some((rule) => rule.wantsBody);
  const { hasBody, body } = response.holding;
  const encodings = wantsBody || hasBody ? head.encodings : [];
  return decoder.decode({ pieces: body, encodings, isCut: response.isCut }, (decoded) => {
    if (!decoded.ok) return { type: 'connection_error', layer: 'content', message: decoded.problem };
    const bytes = wantsBody ? decoded.bytes : NOTHING;
    const text = new BodyText(bytes, headerValue(head.text, 'content-type'));
    const part = decoded.isWhole ? null : `the first ${Math.floor(decoded.bytes.length / 1024)} kB`;
    for (const rule of rules) {
      const message = rule.problem({ head, text, part });
      if (message !== null) return { type: 'keyword_missing', layer: 'content', message };
    }
    return null;
  });
}
