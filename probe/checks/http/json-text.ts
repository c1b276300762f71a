/** For deep nesting the parser takes quadratic time: a megabyte of brackets would stop the probe for long. */
const MAX_DEPTH = 1000;

const QUOTE = 34;
const BACKSLASH = 92;
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

export type JsonOutcome =
  | { kind: 'json'; root: unknown }
  /** `what` came instead. */
  | { kind: 'other'; what: 'nothing' | 'deep' | 'text' };

/** Parses the text of a body, with or without a byte order mark, up to MAX_DEPTH levels. */
export function parseJsonText(text: string): JsonOutcome {
  if (text.trim() === '') return { kind: 'other', what: 'nothing' };
  if (isDeep(text)) return { kind: 'other', what: 'deep' };
  try {
    return { kind: 'json', root: JSON.parse(text.replace(/^\ufeff/, '')) as unknown };
  } catch {
    return { kind: 'other', what: 'text' };
  }
}

function isDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length && depth <= MAX_DEPTH; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    else if (OPENING.has(code)) depth += 1;
    else if (CLOSING.has(code)) depth -= 1;
  }
  return depth > MAX_DEPTH;
}
