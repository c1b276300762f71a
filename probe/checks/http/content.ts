import type { ErrorType } from '../../../shared/contracts/result.ts';
import type { ErrorLayer } from '../check.ts';
import { BodyText } from './body-text.ts';
import type { BodyDecoder } from './decode-body.ts';
import type { ExchangeResult } from './exchange.ts';
import { headerValue, type ResponseHead } from './response-head.ts';

const NOTHING = Buffer.alloc(0);

/** A response as seen by rules. */
export interface Content {
  head: ResponseHead;
  /** The body; empty if no rule needs it. Valid only during the evaluation. */
  text: BodyText;
  /** Describes which part of the body was read; null for all of it. */
  part: string | null;
}

/** A condition on responses with an expected status. */
export interface ContentRule {
  readonly wantsBody: boolean;
  /** What was expected and what was received, or null. */
  problem(content: Content): string | null;
}

/** A violation found in a response. */
export interface ContentFault {
  type: ErrorType;
  layer: ErrorLayer;
  message: string;
}

/** Decodes a captured body and evaluates the rules in turn; null if all are met. */
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
