/**
 * A text with its escapes decoded. Character `i` starts at `at[i]` of the original; the last entry is its
 * end.
 */
export interface View {
  text: string;
  at: Uint32Array;
}

/** For example, a form within JSON within a page. */
const MAX_NESTED_ENCODINGS = 2;

interface Encoding {
  /** Matches an escape, also one truncated by the end of the text. */
  escape: RegExp;
  /** The decoded character: the input itself if it isn't an escape, empty if truncated. */
  read: (escape: string, isAtEnd: boolean) => string;
}

const url: Encoding = {
  escape: /\+|%[\da-f]{2}|%[\da-f]?$/gi,
  read: (escape) => (escape === '+' ? ' ' : escape.length < 3 ? '' : fromHex(escape.slice(1))),
};

const AFTER_BACKSLASH: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** RFC 8259, 7. An invalid escape stands for the character after the backslash. */
const json: Encoding = {
  escape: /\\u[\da-f]{4}|\\u[\da-f]{0,3}$|\\[^]?/gi,
  read: (escape, isAtEnd) => {
    if (escape.length === 6) return fromHex(escape.slice(2));
    if (isAtEnd && (escape.length !== 2 || escape[1] === 'u')) return '';
    return AFTER_BACKSLASH[escape[1] as string] ?? (escape[1] as string);
  },
};

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0',
};

const html: Encoding = {
  escape: /&(?:[a-z]{2,4}|#\d{1,7}|#x[\da-f]{1,6});|&#?\w{0,8}$/gi,
  read: (escape) => {
    if (!escape.endsWith(';')) return '';
    const name = escape.slice(1, -1);
    if (name[0] !== '#') return ENTITIES[name] ?? escape;
    const isHex = name[1] === 'x' || name[1] === 'X';
    return isHex ? fromHex(name.slice(2)) : String.fromCharCode(Number(name.slice(1)));
  },
};

const ENCODINGS = [url, json, html];

/** The text itself, and decoded as URL encoding, JSON or HTML, including one within another. */
export function viewsOf(text: string): View[] {
  const whole = { text, at: Uint32Array.from({ length: text.length + 1 }, (_, at) => at) };
  const views = new Map<string, View>([[text, whole]]);
  let outer: View[] = [whole];
  for (let depth = 0; depth < MAX_NESTED_ENCODINGS; depth += 1) {
    const inner = outer.flatMap((view) => ENCODINGS.map((encoding) => decoded(view, encoding)));
    // Usually the order of two encodings makes no difference.
    outer = inner.filter((view) => !views.has(view.text));
    for (const view of outer) views.set(view.text, view);
  }
  return [...views.values()];
}

function decoded(view: View, { escape, read }: Encoding): View {
  const { text, at: outerAt } = view;
  if (text.search(escape) < 0) return view;
  const at: number[] = [];
  let shown = '';
  const copy = (from: number, to: number): void => {
    shown += text.slice(from, to);
    for (let index = from; index < to; index += 1) at.push(outerAt[index] as number);
  };
  let done = 0;
  for (const { 0: found, index } of text.matchAll(escape)) {
    copy(done, index);
    done = index + found.length;
    for (const unit of read(found, done === text.length)) {
      shown += unit;
      at.push(outerAt[index] as number);
    }
  }
  copy(done, text.length);
  at.push(outerAt[text.length] as number);
  return { text: shown, at: Uint32Array.from(at) };
}

function fromHex(digits: string): string {
  return String.fromCharCode(parseInt(digits, 16));
}
