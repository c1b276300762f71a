import type { FuzzRequest } from './make-request.ts';
import {
  ODD_BODIES, ODD_HEADERS, ODD_METHODS, ODD_QUERIES, ODD_SEGMENTS, ODD_TEXTS, oddValue,
} from './odd-values.ts';
import type { FuzzContext } from './values.ts';

/** Ids of an organization that no caller belongs to. */
export type ForeignIds = string[];

type Change = (request: FuzzRequest, context: FuzzContext, foreign: ForeignIds) => string | null;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each mutates a request and returns a description, or null if it does not apply. */
const CHANGES: Change[] = [
  changeField, changeField, changeField,
  function dropField(request, { random }) {
    if (!isObject(request.body) || Object.keys(request.body).length === 0) return null;
    const name = random.pick(Object.keys(request.body));
    delete request.body[name];
    return `without ${name}`;
  },
  function addField(request, { random }) {
    if (!isObject(request.body)) return null;
    const owned = [
      'organization_id', 'project_id', 'created_by', 'role', 'is_verified', 'is_operator', '_id',
      'deleted_at', '$set', 'a.b', '', 'constructor', 'toString', 'id', 'status', random.pick(ODD_TEXTS),
    ];
    const name = random.pick(owned);
    Object.defineProperty(
      request.body, name, { value: oddValue(random), enumerable: true, configurable: true, writable: true },
    );
    return `with ${name.slice(0, 40)}`;
  },
  foreignId, foreignId,
  function wrongMethod(request, { random }) {
    request.method = random.pick(ODD_METHODS);
    return `as ${request.method}`;
  },
  function oddSegment(request, { random }) {
    const parts = request.path.split('/');
    parts[random.int(1, parts.length - 1)] = random.pick(ODD_SEGMENTS);
    request.path = parts.join('/');
    return 'odd path';
  },
  function oddQuery(request, { random }) {
    request.query = [request.query, random.pick(ODD_QUERIES)].filter(Boolean).join('&');
    return 'odd query';
  },
  function oddQueryValue(request, { random }) {
    const named = request.operation.parameters.filter((one) => one.in === 'query');
    if (named.length === 0) return null;
    request.query = `${random.pick(named).name}=${encodeURIComponent(Buffer.from(random.pick(ODD_TEXTS))
      .toString()
      .slice(0, 3000))}`;
    return 'odd query value';
  },
  function oddHeader(request, { random }) {
    const header = random.pick(ODD_HEADERS);
    Object.assign(request.headers, header);
    return `header ${JSON.stringify(header).slice(0, 60)}`;
  },
  function oddBody(request, { random }) {
    request.rawBody = random.pick(ODD_BODIES);
    return 'odd body';
  },
  function truncated(request, { random }) {
    const text = JSON.stringify(request.body) ?? '';
    if (text.length < 3) return null;
    request.rawBody = text.slice(0, random.int(1, text.length - 1));
    return 'truncated';
  },
  function cutOff(request) {
    if (request.body === undefined) return null;
    request.isCutOff = true;
    return 'cut off';
  },
];

/** Mutates a valid request one to three times; the product must handle the result safely. */
export function mutate(request: FuzzRequest, context: FuzzContext, foreign: ForeignIds): void {
  const times = context.random.pick([1, 1, 1, 2, 3]);
  for (let time = 0; time < times; time += 1) {
    const description = context.random.pick(CHANGES)(request, context, foreign);
    if (description !== null) request.changes.push(description);
  }
}

function changeField(request: FuzzRequest, { random }: FuzzContext): string | null {
  const fields = isObject(request.body) ? fieldsIn(request.body) : [];
  if (fields.length === 0) return null;
  const { owner, name } = random.pick(fields);
  owner[name] = oddValue(random);
  return `${name} = ${JSON.stringify(owner[name])?.slice(0, 60)}`;
}

function foreignId(request: FuzzRequest, { random }: FuzzContext, foreign: ForeignIds): string | null {
  const id = random.pick(foreign);
  const names = Object.keys(request.params);
  const fields =
    isObject(request.body) ? fieldsIn(request.body).filter(({ name }) => /_ids?$|^id$|^\d+$/.test(name)) : [];
  const field = fields.length === 0 || (names.length > 0 && random.chance(0.5)) ? null : random.pick(fields);
  if (field !== null) {
    field.owner[field.name] = field.name.endsWith('_ids') ? [id] : id;
    return `foreign ${field.name}`;
  }
  if (names.length === 0) return null;
  const name = random.pick(names);
  request.path = request.path.replace(encodeURIComponent(request.params[name] as string), id);
  request.params[name] = id;
  return `foreign {${name}}`;
}

interface FieldRef {
  owner: Record<string, unknown>;
  name: string;
}

/** Every field of a body, at any depth. */
function fieldsIn(body: unknown): FieldRef[] {
  if (typeof body !== 'object' || body === null) return [];
  const owner = body as Record<string, unknown>;
  return Object.keys(owner).slice(0, 50).flatMap((name) => [{ owner, name }, ...fieldsIn(owner[name])]);
}
