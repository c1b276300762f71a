import { factsOf, PATHS, TYPES, type Draft, type MonitorType, type Path } from './fields.ts';

type Tree = Record<string, unknown>;

/** For a new monitor of this type. */
export function newDraft(type: MonitorType): Draft {
  const entries = PATHS.map((path) => [path, factsOf(path).value]);
  return { type, ...Object.fromEntries(entries) as Record<Path, unknown> };
}

/** What the API has read of a monitor, as the form holds it. */
export function draftOf(monitor: Tree): Draft {
  const type = TYPES.find((one) => one === monitor['type']) ?? 'HTTP';
  const fresh = newDraft(type);
  const entries = pathsOf(type).map((path) => [path, at(monitor, path) ?? fresh[path]]);
  return { ...fresh, ...Object.fromEntries(entries) as Partial<Draft> };
}

/** The fields that a monitor of this type has. */
export function pathsOf(type: MonitorType): Path[] {
  return PATHS.filter((path) => factsOf(path).of.includes(type));
}

/** The fields of `draft` that differ from those of `before`. */
export function changedPaths(draft: Draft, before: Draft): Path[] {
  return pathsOf(draft.type).filter((path) => JSON.stringify(sent(draft, path)) !== JSON.stringify(sent(before, path)));
}

/** The body that creates the monitor: what is required, and what differs from the defaults. */
export function creationBody(draft: Draft): Tree {
  const changed = changedPaths(draft, newDraft(draft.type));
  const paths = pathsOf(draft.type).filter((path) => factsOf(path).isRequired === true || changed.includes(path));
  return { type: draft.type, ...bodyOf(draft, paths) };
}

/** The body that changes only these fields: what it leaves out, such as credentials, stays as it is. */
export function bodyOf(draft: Draft, paths: readonly Path[]): Tree {
  const body: Tree = {};
  for (const path of paths) {
    const [name, inner] = path.split('.') as [string, string?];
    if (inner === undefined) body[name] = sent(draft, path);
    else body[name] = { ...body[name] as Tree | undefined, [inner]: sent(draft, path) };
  }
  // The API knows warnings that were never switched on only together with their switch.
  for (const name of ['ssl_monitoring', 'domain_monitoring'] as const) {
    if (body[name] !== undefined) body[name] = { enabled: draft[`${name}.enabled`], ...body[name] as Tree };
  }
  return body;
}

function sent(draft: Draft, path: Path): unknown {
  const [value, { none }] = [draft[path], factsOf(path)];
  const given = value === '' && none !== undefined ? none : value;
  return typeof given === 'string' && path !== 'body' && !path.startsWith('tcp_config') ? given.trim() : given;
}

function at(tree: Tree, path: string): unknown {
  return path.split('.').reduce<unknown>((part, name) => (part as Tree | null | undefined)?.[name], tree);
}
