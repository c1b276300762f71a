import type { AlertContent } from './alert-content.ts';

export interface Fit {
  /** In UTF-16 units, or as `size` counts. */
  max: number;
  /** Escapes one character between two others, which are empty at the ends. */
  escape?(character: string, before: string, after: string): string;
  size?(text: string): number;
}

const same = (character: string): string => character;
const length = (text: string): number => text.length;
const ELLIPSIS = '…';

/** Size in the UTF-8 bytes of a JSON document, without the quotes. */
export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Escapes `text` and cuts it to `max` without splitting an escape or a surrogate pair. */
export function fit(text: string, { max, escape = same, size = length }: Fit): string {
  const characters = [...text];
  const all = characters.map((one, index) => escape(one, characters[index - 1] ?? '', characters[index + 1] ?? ''));
  if (size(all.join('')) <= max) return all.join('');
  let fitted = '';
  let left = max - size(ELLIPSIS);
  for (const escaped of all) {
    left -= size(escaped);
    if (left < 0) break;
    fitted += escaped;
  }
  return fitted + ELLIPSIS;
}

/** How a channel writes the parts of an alert. Texts are escaped already. */
export interface Markup extends Fit {
  label(text: string): string;
  link(label: string, url: string): string;
  /** Between two lines. */
  newline?: string;
  /** Before the headline, by tone. */
  marks?: Record<AlertContent['tone'], string>;
}

/**
 * The alert in lines that fit into `max`: first the headline, last the links, which survive, and between
 * them the facts that have room, whole.
 */
export function fittedMessage({ headline, facts, links, tone }: AlertContent, markup: Markup): string {
  const { max, size = length, newline = '\n', label, link, marks = MARKS } = markup;
  const linkLine = links.map(({ label: text, url }) => link(text, url)).join(' · ');
  const shown = size(linkLine) <= max / 2 ? [linkLine].filter(Boolean) : [];
  const first = `${marks[tone]} `;
  const room = (lines: string[]) => max - size([...lines, ''].join(newline));
  const lines = [first + fit(headline, { ...markup, max: Math.min(max / 2, room(shown) - size(first)) })];
  for (const { label: name, text } of facts) {
    const start = `${label(`${name}:`)} `;
    const line = start + fit(text, { ...markup, max: Math.max(0, max / 2 - size(start)) });
    if (size(line) <= room([...lines, ...shown])) lines.push(line);
  }
  return [...lines, ...shown].join(newline);
}

export const MARKS: Record<AlertContent['tone'], string> = { bad: '🔴', warning: '🟡', good: '🟢' };

/** `#rrggbb`. */
export const COLORS: Record<AlertContent['tone'], string> = { bad: '#b42318', warning: '#b54708', good: '#067647' };

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** For HTML between tags, and for Slack, where these characters begin mentions and links. */
export const escapeEntity = (character: string): string => ENTITIES[character] ?? character;
export const escapeEntities = (text: string): string => text.replace(/[&<>]/g, escapeEntity).replaceAll('"', '&quot;');

/** A zero-width space, after which `@all` is not a mention. */
const BREAK = '\u200b';
export const breakMention = (character: string): string => (character === '@' ? `@${BREAK}` : character);

/**
 * A function that puts a backslash before each of `special`, and breaks mentions. An underscore within a word
 * is no markup, and a backslash would break the link of a URL.
 */
export function escapeMarkdown(special: string): NonNullable<Fit['escape']> {
  return (character, before, after) => {
    const isPlain = character === '_' && WORD.test(before) && WORD.test(after);
    return special.includes(character) && !isPlain ? `\\${character}` : breakMention(character);
  };
}

const WORD = /[\p{L}\p{N}]/u;

/** The lines of an alert as plain text. */
export const PLAIN = { label: same, link: (label: string, url: string) => `${label}: ${url}` } as const;
