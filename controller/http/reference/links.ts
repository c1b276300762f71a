import type { Json, OpenApiDocument, Operation, Success } from './openapi.ts';

/** OpenAPI links from a 201 response to operations on the created resource. */
type Links = Record<string, { operationId: string; parameters: Record<string, string> }>;

/**
 * Adds links to each 201 response: to the operations whose path is the creation's path plus one parameter.
 * Client generators read there which response field goes into which path parameter.
 */
export function addLinks({ paths, components }: Pick<OpenApiDocument, 'paths' | 'components'>): void {
  for (const [path, { post }] of Object.entries(paths)) {
    const created = post?.responses['201'] as Success | undefined;
    const id = created && pointerToId(created.content['application/json']?.schema, components.schemas);
    if (created === undefined || id === undefined) continue;
    const links = linksFrom(path, id, paths);
    if (Object.keys(links).length > 0) created.links = links;
  }
}

function linksFrom(path: string, id: string, paths: OpenApiDocument['paths']): Links {
  const links: Links = {};
  const ownParameters = parametersIn(path).map((name) => [name, `$request.path.${name}`] as const);
  for (const [other, operations] of Object.entries(paths)) {
    const [own = '', ...more] = other.startsWith(`${path}/`) ? parametersIn(other.slice(path.length)) : [];
    if (other !== `${path}/{${own}}` || more.length > 0) continue;
    for (const { operationId } of Object.values<Operation>(operations)) {
      links[operationId] = {
        operationId, parameters: { ...Object.fromEntries(ownParameters), [own]: `$response.body#${id}` },
      };
    }
  }
  return links;
}

function parametersIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
}

/**
 * JSON pointer to the id of the created resource: in `data`, or in the first object of `data` that has one.
 */
function pointerToId(schema: Json | undefined, named: Record<string, Json>): string | undefined {
  const data = propertiesOf(propertiesOf(schema, named)['data'], named);
  if ('id' in data) return '/data/id';
  const part = Object.entries(data).find(([, value]) => 'id' in propertiesOf(value, named));
  return part && `/data/${part[0]}/id`;
}

function propertiesOf(schema: Json | undefined, named: Record<string, Json>): Record<string, Json> {
  const reference = schema?.['$ref'];
  const own = typeof reference === 'string' ? named[reference.split('/').at(-1) as string] : schema;
  // If one variant has an id, all of them have.
  const [kind] = (own?.['anyOf'] ?? own?.['oneOf'] ?? []) as Json[];
  return kind ? propertiesOf(kind, named) : ((own?.['properties'] ?? {}) as Record<string, Json>);
}
