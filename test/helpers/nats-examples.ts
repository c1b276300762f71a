import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A configuration for operators, from `deploy/examples`. */
export function natsExample(name: 'nats.conf' | 'nats-leaf.conf'): string {
  return readFileSync(join(import.meta.dirname, '../../deploy/examples', name), 'utf8');
}

/** The example with those of its commented sections enabled that start with one of these texts. */
export function withSections(example: string, ...starts: string[]): string {
  let depth = 0;
  return example.split('\n').map((line) => {
    const [, indent = '', text = ''] = /^( *)# (.*)$/.exec(line) ?? [];
    if (depth === 0 && !starts.some((start) => text.startsWith(start))) return line;
    depth += text.split(/[[{]/).length - text.split(/[\]}]/).length;
    return `${indent}${text}`;
  }).join('\n');
}

/** Replaces texts that must be there, everywhere. */
export function filled(example: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`);
    return text.replaceAll(from, to);
  }, example);
}
