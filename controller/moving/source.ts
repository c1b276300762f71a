import { parseAllDocuments } from 'yaml';
import { FileRefused, type Source } from './converter.ts';
import { isDatabase, readTables } from './sqlite.ts';

const MEGABYTE = 1024 * 1024;
const MAX_FILE_BYTES = 64 * MEGABYTE;
/** A parsed document takes hundreds of times as much memory. */
const MAX_YAML_BYTES = 8 * MEGABYTE;
/** Each takes about 50 bytes once parsed. */
const MAX_JSON_VALUES = 5_000_000;
/** Counts each alias as often as it is repeated by others, so a few lines cannot describe gigabytes. */
const MAX_ALIASES = 10_000;

/** What the first bytes of other kinds of files are. */
const SIGNATURES: readonly [start: string, kind: string][] = [
  ['\x1f\x8b', 'gzip data; unpack it first'], ['PK\x03\x04', 'a ZIP archive; unpack it first'],
  ['BZh', 'bzip2 data; unpack it first'], ['\x28\xb5\x2f\xfd', 'Zstandard data; unpack it first'],
  ['%PDF', 'a PDF document'], ['\x89PNG', 'an image'], ['\xff\xd8\xff', 'an image'],
  ['\xff\xfe', 'UTF-16 text; save it as UTF-8'], ['\xfe\xff', 'UTF-16 text; save it as UTF-8'],
];

/**
 * `tables` are those of a database to read. Throws FileRefused for a file that is damaged, too large or of a
 * kind that no tool writes.
 */
export async function readSource(bytes: Uint8Array, tables: readonly string[]): Promise<Source> {
  if (bytes.length > MAX_FILE_BYTES) throw new FileRefused('The file is larger than 64 MB');
  if (isDatabase(bytes)) return { kind: 'database', tables: await readTables(bytes, tables) };
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known !== undefined) throw new FileRefused(`The file looks like ${known[1]}`);
  const text = decode(bytes);
  const content = text.trimStart();
  if (content === '') throw new FileRefused('The file is empty');
  if (content.startsWith('<')) throw new FileRefused('The file looks like HTML or XML');
  if (/^[{[]/.test(content)) return { kind: 'json', value: parseJson(bytes, text) };
  if (isTable(content)) return { kind: 'text', text };
  const documents = parseYaml(bytes, text);
  const isStructured = documents.some((document) => typeof document === 'object' && document !== null);
  return isStructured ? { kind: 'yaml', documents } : { kind: 'text', text };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileRefused('The file is neither text in UTF-8 nor a SQLite database');
  }
}

function parseJson(bytes: Uint8Array, text: string): unknown {
  let values = 0;
  for (const byte of bytes) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) values += 1;
  if (values > MAX_JSON_VALUES) throw new FileRefused(`The file has more than ${MAX_JSON_VALUES} values`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FileRefused(`The file is not valid JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

/** Whether the first line has a column `name`, as a table has. */
function isTable(content: string): boolean {
  const [header = ''] = content.split(/\r?\n/, 1);
  return /[,;]/.test(header) && header.split(/[,;]/).some((cell) => /^"?\s*name\s*"?$/i.test(cell.trim()));
}

function parseYaml(bytes: Uint8Array, text: string): unknown[] {
  if (bytes.length > MAX_YAML_BYTES) throw new FileRefused('The file is YAML, and larger than 8 MB');
  const parsed = parseAllDocuments(text, { schema: 'core', merge: true, uniqueKeys: true, prettyErrors: false });
  return [...parsed].map((document) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw new FileRefused(`The file is not valid YAML: ${fault.message.slice(0, 200)}`);
    try {
      return document.toJS({ maxAliasCount: MAX_ALIASES }) as unknown;
    } catch (error) {
      throw new FileRefused(`The file is not valid YAML: ${(error as Error).message.slice(0, 200)}`);
    }
  });
}
