import { Conversion, type Converted } from './conversion.ts';
import { FileRefused, type Source } from './converter.ts';
import { KUMA_TABLES } from './converters/kuma-file.ts';
import { fieldsOf } from './loose.ts';
import { CONVERTERS } from './registry.ts';
import type { From } from './schema.ts';
import { readSource } from './source.ts';

/** What an import accepts. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

export interface ConversionRequest {
  from: From;
  bytes: Uint8Array;
  /** The shortest interval of monitors in the document. */
  minIntervalSeconds: number;
}

/** Throws FileRefused, also for a file of another tool. */
export async function convertFile(request: ConversionRequest): Promise<Converted> {
  try {
    return await convert(request);
  } catch (error) {
    throw error instanceof RangeError ? new FileRefused('The file is nested too deeply') : error;
  }
}

async function convert({ from, bytes, minIntervalSeconds }: ConversionRequest): Promise<Converted> {
  const source = await readSource(bytes, KUMA_TABLES);
  const converter = CONVERTERS[from];
  if (!converter.recognizes(source)) {
    throw new FileRefused(`The file is not ${converter.title}. It looks like ${looksLike(source)}`);
  }
  const into = new Conversion(minIntervalSeconds);
  converter.convert(source, into);
  const converted = into.finish();
  if (JSON.stringify(converted.document).length > MAX_DOCUMENT_BYTES) {
    throw new FileRefused('Its document would be larger than 32 MB; split the file');
  }
  return converted;
}

function looksLike(source: Source): string {
  const known = Object.entries(CONVERTERS).find(([, converter]) => converter.recognizes(source));
  if (known !== undefined) return `${known[1].title} (from=${known[0]})`;
  switch (source.kind) {
    case 'database': return 'a SQLite database of another program';
    case 'json': return isOwnDocument(source.value) ? 'a document that Farwatch imports as it is' : 'JSON of another kind';
    case 'yaml':
      return source.documents.some(isOwnDocument) ? 'a document that Farwatch imports as it is' : 'YAML of another kind';
    case 'text': return 'text of another kind';
  }
}

function isOwnDocument(value: unknown): boolean {
  const { data, monitors, groups } = fieldsOf(value);
  return Array.isArray(groups) || Array.isArray(monitors) || Array.isArray(fieldsOf(data)['monitors']);
}
