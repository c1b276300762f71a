import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { KeyScope, OrganizationRole, ProjectRole, Tenant } from '../../access/tenant.ts';
import type { AppError, ErrorCode } from '../../errors/app-error.ts';
import type { Page, PageReader } from '../../pages/layout.ts';
import type { BodyFormat } from '../body/body.ts';
import type { EventStream } from '../responses/event-stream.ts';
import type { Compressed } from '../responses/compressed-response.ts';
import type { SessionCookie } from './authorize.ts';
import type { WebSocketHandler } from '../responses/web-sockets.ts';

export interface SessionActor {
  kind: 'session';
  sessionId: string;
  userId: string;
  email: string;
  name: string;
  isOperator: boolean;
  /** Whether the email address is verified. */
  isVerified: boolean;
}

export interface KeyActor {
  kind: 'key';
  keyId: string;
  name: string;
  scope: KeyScope;
  organizationId: string;
  createdBy: string;
  /** The only projects that it reaches; null: all projects of the organization. */
  projectIds: readonly string[] | null;
}

export type Caller = SessionActor | KeyActor;
export type Actor = Caller | { kind: 'none' };

/**
 * `account`: a session; `organization` requires at least that role, `keys: true` admits API keys. `project`:
 * that role in the request's project; `keys: false` refuses API keys. `path-project`: in the project of
 * `:projectId`; `header: true` requires X-Project-ID to match. `verified: false` admits unverified accounts.
 */
export type Auth =
  | { access: 'public' }
  | { access: 'account'; keys?: boolean; verified?: boolean; organization?: OrganizationRole }
  | { access: 'project'; role: ProjectRole; keys?: boolean }
  | PathProjectAuth
  | { access: 'operator' };

export interface PathProjectAuth {
  access: 'path-project';
  role: ProjectRole;
  header?: boolean;
  /** Members without the role get the same error as unauthenticated callers, as the API documents. */
  hidesRole?: boolean;
}

/** Request context of every handler. */
export interface PublicContext {
  requestId: string;
  actor: Actor;
  /** The client's address, or the /64 of an IPv6 address, which one customer usually has. */
  address: string;
  /** The client's whole address. */
  clientAddress: string;
  /** When the request arrived, Unix ms. */
  now: number;
  /** Accept-Language header as sent. */
  languages?: string;
  /** Last-Event-ID header of a server-sent events client. */
  lastEventId?: string;
  /** True if the request asks for a WebSocket. */
  isUpgrade?: boolean;
  /** Of a route that takes long: whether the client closed the connection. */
  isClientGone?: () => boolean;
  /** What root-relative links of the response begin with; none: the root. */
  basePath?: string;
  /** Present for browsers that store their session there. */
  cookie?: SessionCookie;
}

export interface AccountContext extends PublicContext {
  actor: Caller;
}

export interface OperatorContext extends AccountContext {
  actor: SessionActor;
}

export interface OrganizationContext extends AccountContext {
  tenant: Pick<Tenant, 'organizationId'>;
  role: OrganizationRole;
}

export interface ProjectContext extends AccountContext {
  tenant: Tenant;
  role: ProjectRole;
}

type ContextOf<A extends Auth> = A extends { access: 'project' | 'path-project' }
  ? ProjectContext
  : A extends { access: 'account'; organization: OrganizationRole }
    ? OrganizationContext
    : A extends { access: 'account' } | { access: 'operator' }
      ? OperatorContext
      : PublicContext;

/** A response that isn't JSON in the envelope. */
interface RawDeclaration {
  contentType: string;
  /** Schema of `data` if the response may also be JSON in the envelope. */
  data?: z.ZodType;
}

/** A stream that lasts until either side ends it or the caller loses access. */
interface StreamDeclaration extends RawDeclaration {
  isStream: true;
}

/** The connection becomes a WebSocket with frames of this type. */
interface UpgradeDeclaration extends RawDeclaration {
  isUpgrade: true;
}

/** By status: the schema of `data`, or a raw response. */
type ResponseDeclaration = z.ZodType | RawDeclaration | StreamDeclaration | UpgradeDeclaration;
type ResponseDeclarations = Record<number, ResponseDeclaration>;

/** The actor of an audit log entry. */
export interface AuditActor {
  type: 'user' | 'api_key' | 'none';
  id: string | null;
  name: string | null;
}

/** Audit details that only the handler of a public request knows. */
export interface ResponseAudit {
  actor?: AuditActor;
  organizationId?: string;
  resourceId?: string;
}

interface ResponseExtras {
  headers?: Record<string, string>;
  /** Null: nothing was changed, so nothing is logged. */
  audit?: ResponseAudit | null;
}

type RawResponse<S> = { status: S; raw: string | Uint8Array | Readable } & ResponseExtras;
type DataResponse<S, X> = { status: S; data: z.input<X> } & ResponseExtras;
type StreamResponse<S> = { status: S; stream: EventStream } & ResponseExtras;
type UpgradeResponse<S> = { status: S; webSocket: WebSocketHandler };
/** A prepared response with all headers; needs `isRevalidated` if it can be 304. */
type PrecompressedResponse<S> = { status: S; compressed: Compressed } & ResponseExtras;
type RawOrDataResponse<S, X> =
  RawResponse<S> | PrecompressedResponse<S> | (X extends { data: infer D } ? DataResponse<S, D> : never);
type ResponseOf<S, X> = X extends z.ZodType
  ? DataResponse<S, X> | PrecompressedResponse<S>
  : X extends UpgradeDeclaration ? UpgradeResponse<S>
    : X extends StreamDeclaration ? StreamResponse<S> : RawOrDataResponse<S, X>;

type TypedResponse<R extends ResponseDeclarations> = {
  [S in keyof R & number]: ResponseOf<S, R[S]>;
}[keyof R & number];

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

interface Input<P, Q, B> {
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RouteFacts {
  method: Method;
  /** Koa router path, parameters as `:name`. */
  path: string;
  summary: string;
  tag: string;
  description?: string;
  /** In the OpenAPI document, where the one made from the path is another route's. */
  operationId?: string;
  /** Error codes beyond those implied by `auth` and the schemas, for the OpenAPI document. */
  errors?: readonly ErrorCode[];
  /** Replaces INTERNAL_ERROR when this route fails unexpectedly. */
  failure?: { code: ErrorCode; message: string };
  /**
   * Audit log name of a success: noun and past participle, as in `monitor.created`. Reads have one if they
   * return a secret or whole lists. `false`: the route changes nothing although its method isn't GET.
   */
  audit?: string | false;
  /** JSON by default. */
  bodyFormat?: BodyFormat;
  /** Renders errors as a page instead of the JSON envelope, for routes that people open in a browser. */
  errorPage?(error: AppError, reader: PageReader): Page;
  /** Accepts any query string and ignores parameters that `query` doesn't declare. */
  ignoresQuery?: boolean;
  /** Removes the session cookie, also on failure: the session may have ended before. */
  endsSession?: boolean;
  /** Exempt from the rate limit (liveness, metrics). */
  isUnlimited?: boolean;
  /** Bearer token that a public route requires. */
  bearer?: string;
  /** Accepts an API key as bearer token, for clients that can't send X-API-Key. */
  acceptsBearerKey?: boolean;
  /** Responds to clients with a current copy with 304 and no body. */
  isRevalidated?: boolean;
  /** Takes long: its context tells whether the client is gone. */
  isLong?: boolean;
  /** Memory-intensive: an organization's requests run one at a time, and few run at once overall. */
  takesTurns?: boolean;
}

interface RouteSpec<A extends Auth, P, Q, B, R extends ResponseDeclarations> extends RouteFacts {
  auth: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Replaces parsing with `body` where that would block other requests. */
  parseBody?(sent: unknown): Promise<Parsed<NoInfer<B>>>;
  responses: R;
  handle(ctx: ContextOf<A>, input: Input<P, Q, B>): Promise<TypedResponse<NoInfer<R>>>;
}

/** An untyped response: `data` goes into the envelope; `raw` and `stream` are sent as they are. */
export interface RouteResponse extends ResponseExtras {
  status: number;
  data?: unknown;
  raw?: string | Uint8Array | Readable;
  stream?: EventStream;
  webSocket?: WebSocketHandler;
  compressed?: Compressed;
}

/** An untyped route, as the server registers it. */
export interface Route extends RouteFacts {
  auth: Auth;
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  /** Throws VALIDATION_ERROR. Only `body` parses if absent. */
  parseBody?(sent: unknown): unknown;
  responses: ResponseDeclarations;
  handle(ctx: PublicContext, input: Input<z.ZodType, z.ZodType, z.ZodType>): Promise<RouteResponse>;
}

/** The only way to create a route. `handle` gets the context that `auth` implies, and parsed input. */
export function defineRoute<
  const A extends Auth,
  R extends ResponseDeclarations,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: RouteSpec<A, P, Q, B, R>): Route {
  const { params, query, body, handle, ...rest } = spec;
  return { params, query, body, ...rest, handle: handle as unknown as Route['handle'] };
}

export function ok<T>(data: T) {
  return { status: 200, data } as const;
}

export function created<T>(data: T) {
  return { status: 201, data } as const;
}

export const messageResponse = z.strictObject({ message: z.string() });

/** The response to a change that returns no data. */
export async function okMessage(change: Promise<void>, message: string) {
  await change;
  return ok({ message });
}
