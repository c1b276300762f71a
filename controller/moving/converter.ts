import type { Conversion } from './conversion.ts';
import type { Fields } from './loose.ts';

/** Rows by the name of their table. */
export type Tables = ReadonlyMap<string, readonly Fields[]>;

/** What a file contains, whichever tool wrote it. */
export type Source =
  | { kind: 'database'; tables: Tables }
  | { kind: 'json'; value: unknown }
  | { kind: 'yaml'; documents: readonly unknown[] }
  | { kind: 'text'; text: string };

/** Why a file cannot be converted, as a sentence for its user. */
export class FileRefused extends Error {}

/** Converts the files of one tool. Pure: it neither reads nor stores anything. */
export interface Converter {
  /** What its files are called in messages, with an article. */
  title: string;
  /** Whether the source is a file of this tool. */
  recognizes(source: Source): boolean;
  /** Adds every item of a source that it recognizes to `into`. */
  convert(source: Source, into: Conversion): void;
}
