/** A JSON Schema, limited to what the OpenAPI document uses. */
export type Schema = { readonly [keyword: string]: unknown };

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

export interface DeclaredResponse {
  /** Possible error codes for this status. */
  codes: string[];
  /** By content type. */
  content: Record<string, Schema>;
}

export interface Operation {
  /** Such as `GET /api/monitors/{id}`. */
  name: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: { types: string[]; schema: Schema } | null;
  responses: Record<string, DeclaredResponse>;
  isPublic: boolean;
  takesKeys: boolean;
}

export interface Contract {
  operations: Operation[];
  /** Targets of `#/components/schemas/…`. */
  named: Record<string, Schema>;
}

interface RawDocument {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, RawResponse> };
}

interface RawResponse {
  description: string;
  content?: Record<string, { schema: Schema }>;
}

interface RawOperation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, RawResponse | { $ref: string }>;
  security: Record<string, unknown>[];
}

/** Reads the OpenAPI document of a running installation, without upgrades to WebSockets, for which no request suffices. */
export async function readContract(url: string): Promise<Contract> {
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as RawDocument;
  const { responses } = document.components;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, raw]) =>
      toOperation(method.toUpperCase(), path, raw, responses)));
  return {
    operations: operations.filter(({ responses: { 101: upgrade } }) => upgrade === undefined),
    named: document.components.schemas,
  };
}

function toOperation(
  method: string, path: string, raw: RawOperation, shared: RawDocument['components']['responses'],
): Operation {
  const content = raw.requestBody?.content;
  const first = Object.values(content ?? {})[0];
  return {
    name: `${method} ${path}`,
    method,
    path,
    parameters: raw.parameters ?? [],
    body: content === undefined || first === undefined
      ? null
      : { types: Object.keys(content), schema: first.schema },
    responses: Object.fromEntries(Object.entries(raw.responses).map(([status, own]) => {
      const response = '$ref' in own ? shared[own.$ref.split('/').at(-1) as string] as RawResponse : own;
      return [status, {
      codes: [...response.description.matchAll(/`([A-Z_]+)`/g)].map((match) => match[1] as string),
      content: Object.fromEntries(
        Object.entries(response.content ?? {}).map(([type, { schema }]) => [type, schema]),
      ),
    }];
    })),
    isPublic: raw.security.length === 0,
    takesKeys: raw.security.some((one) => 'apiKey' in one),
  };
}

/** The operation of a request line, or null. Fixed segments take precedence, whatever their methods. */
export function operationOf(contract: Contract, method: string, target: string): Operation | null {
  const segments = (target.split('?')[0] as string).replace(/(?<=.)\/$/, '').split('/');
  const found = contract.operations.filter((operation) => {
    const declared = operation.path.split('/');
    return declared.length === segments.length &&
      declared.every((part, at) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]));
  });
  const parameters = ({ path }: Operation): number => path.split('{').length;
  const [best] = found.sort((one, other) => parameters(one) - parameters(other));
  return found.find(({ path, method: own }) => path === best?.path && own === method) ?? null;
}
