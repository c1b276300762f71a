import { fieldDefinition, PATHS, TYPES, type Draft, type MonitorType, type Path } from './fields.ts';

type JsonObject = Record<string, unknown>;

export function newDraft(type: MonitorType): Draft {
  const entries = PATHS.map((path) => [path, fieldDefinition(path).value]);
  return { type, ...Object.fromEntries(entries) as Record<Path, unknown> };
}

/** Converts a monitor from the API to the form's values. */
export function draftOf(monitor: JsonObject): Draft {
  const type = TYPES.find((one) => one === monitor['type']) ?? 'HTTP';
  const defaults = newDraft(type);
  const entries = pathsOf(type).map((path) => [path, valueAt(monitor, path) ?? defaults[path]]);
  return { ...defaults, ...Object.fromEntries(entries) as Partial<Draft> };
}

/** The fields that a monitor of this type has. */
export function pathsOf(type: MonitorType): Path[] {
  return PATHS.filter((path) => fieldDefinition(path).types.includes(type));
}

/** The fields of `draft` that differ from those of `before`. */
export function changedPaths(draft: Draft, before: Draft): Path[] {
  return pathsOf(draft.type).filter((path) => JSON.stringify(requestValue(draft, path)) !== JSON.stringify(requestValue(before, path)));
}

/** The body that creates the monitor: required fields, and those that differ from the defaults. */
export function creationBody(draft: Draft): JsonObject {
  const changed = changedPaths(draft, newDraft(draft.type));
  const paths = pathsOf(draft.type).filter((path) => fieldDefinition(path).isRequired === true || changed.includes(path));
  return { type: draft.type, ...bodyOf(draft, paths) };
}

/** The body that changes only these fields. Omitted ones, such as credentials, stay unchanged. */
export function bodyOf(draft: Draft, paths: readonly Path[]): JsonObject {
  const body: JsonObject = {};
  for (const path of paths) {
    const [name, inner] = path.split('.') as [string, string?];
    if (inner === undefined) body[name] = requestValue(draft, path);
    else body[name] = { ...body[name] as JsonObject | undefined, [inner]: requestValue(draft, path) };
  }
  // The API accepts warnings that were never enabled only together with their switch.
  for (const name of ['ssl_monitoring', 'domain_monitoring'] as const) {
    if (body[name] !== undefined) body[name] = { enabled: draft[`${name}.enabled`], ...body[name] as JsonObject };
  }
  return body;
}

/** The value that is sent: null for empty fields, and for those that the others replace. */
export function requestValue(draft: Draft, path: Path): unknown {
  if (path === (draft.heartbeat_schedule === '' ? 'heartbeat_timezone' : 'heartbeat_interval')) return null;
  const [value, { emptyAs }] = [draft[path], fieldDefinition(path)];
  const result = value === '' && emptyAs !== undefined ? emptyAs : value;
  return typeof result === 'string' && path !== 'body' && !path.startsWith('tcp_config') ? result.trim() : result;
}

function valueAt(tree: JsonObject, path: string): unknown {
  return path.split('.').reduce<unknown>((part, name) => (part as JsonObject | null | undefined)?.[name], tree);
}
