import { serialize, type Document } from 'bson';
import { parseCommand } from '../../deploy/embedded/mongo/commands/dispatch.ts';
import { frameResponse, OpCode, parseMessage } from '../../deploy/embedded/mongo/wire/message.ts';

/**
 * What a command contains outside the portable dialect: what the embedded store would reject, and what other servers
 * reject or change in written documents.
 */
export function commandViolations(command: Document): string[] {
  return [...refusals(command), ...writtenBy(command).flatMap(documentViolations)];
}

/** The documents and updates in a command. */
function writtenBy(command: Document): Document[] {
  const updates = ((command['updates'] ?? []) as { u: Document }[]).map(({ u }) => u);
  const { documents = [], update } = command as { documents?: Document[]; update?: unknown };
  return [...documents, ...updates, ...(typeof update === 'object' && update !== null ? [update] : [])];
}

function documentViolations(written: Document): string[] {
  const found = nestedArrays(written, '').map((path) => `an array directly in the array ${path}`);
  // FerretDB omits such fields.
  const empty = Object.entries((written['$setOnInsert'] ?? {}) as Document)
    .filter(([, value]) => Array.isArray(value) && value.length === 0)
    .map(([name]) => `$setOnInsert of an empty array: ${name}`);
  return [...found, ...empty];
}

function nestedArrays(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || '_bsontype' in value || ArrayBuffer.isView(value)) return [];
  if (Array.isArray(value) && value.some((element) => Array.isArray(element))) return [path];
  return Object.entries(value).flatMap(([name, inner]) => nestedArrays(inner, path === '' ? name : `${path}.${name}`));
}

function refusals(command: Document): string[] {
  // On a replica set, the driver adds the cluster time.
  const { $clusterTime: _time, ...sent } = command;
  try {
    const message = frameResponse({ requestId: 0, opCode: OpCode.message }, 0, Buffer.from(serialize(sent)));
    parseCommand(parseMessage(message));
    return [];
  } catch (error) {
    return [`${Object.keys(command)[0]}: ${(error as Error).message}`];
  }
}
