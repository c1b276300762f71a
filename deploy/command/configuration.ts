import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { CommandError } from './command.ts';

/** Of one document. */
export const MAX_MONITORS = 10_000;

export type ConfigurationDocument = Record<string, unknown>;

/** The documents of a file, or of all YAML and JSON files of a folder, as one. @throws CommandError */
export async function readConfiguration(path: string): Promise<ConfigurationDocument> {
  const merged: ConfigurationDocument = { version: 1 };
  for (const file of await filesOf(path)) {
    for (const [name, value] of Object.entries(await readDocument(file))) {
      // The API knows which lists there are.
      if (name === 'version') merged[name] = value;
      else if (!Array.isArray(value)) throw refused(file, `${name} must be a list`);
      else merged[name] = [...merged[name] as unknown[] ?? [], ...value as unknown[]];
    }
  }
  return merged;
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: Error) => {
    throw refused(path, error.message);
  });
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/i.test(name)).sort();
  if (names.length === 0) throw refused(path, 'no YAML or JSON file in this folder');
  return names.map((name) => join(path, name));
}

async function readDocument(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw refused(file, error.message);
  });
  const document = parseDocument(text, { schema: 'core', merge: false, uniqueKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw refused(file, problem.message.split('\n')[0] ?? '');
  const value: unknown = toValue(document, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused(file, 'not a document with monitors, groups or status_pages');
  }
  // The response of the API, saved as it came.
  return 'success' in value && 'data' in value ? value.data as object : value;
}

/** Like the API, takes no aliases: a few lines of them can describe gigabytes. */
function toValue(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw refused(file, 'anchors and aliases are not supported');
  }
}

function refused(file: string, message: string): CommandError {
  return new CommandError(`${file}: ${message}`);
}
