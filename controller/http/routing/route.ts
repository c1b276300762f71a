import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { AppError, ErrorCode } from '../../../shared/errors.ts';
import type { KeyScope, OrganizationRole, ProjectRole } from '../../accounts/roles.ts';
import type { Tenant } from '../../accounts/tenant.ts';
import type { Page, PageReader } from '../../pages/layout.ts';
import type { BodyFormat } from '../body/body.ts';
import type { EventStream } from '../responses/event-stream.ts';
import type { Compressed } from '../responses/compressed-response.ts';
import type { SessionCookie } from './session-cookie.ts';
import { validate } from '../input/validation.ts';

export interface SessionActor {
  kind: 'session';
  sessionId: string;
  userId: string;
  email: string;
  name: string;
  isOperator: boolean;
  /** Whether the e-mail address is verified. */
  isVerified: boolean;
}

export interface KeyActor {
  kind: 'key';
  keyId: string;
  name: string;
  scope: KeyScope;
  organizationId: string;
  createdBy: string;
}

/** Who sent a request. */
export type Caller = SessionActor | KeyActor;
export type Actor = Caller | { kind: 'none' };

/** The id of the user who sent the request, or who created the API key that did. */
export function authorOf(caller: Caller): string {
  return caller.kind === 'session' ? caller.userId : caller.createdBy;
}

/**
 * What a route requires of its caller. `account`: a session; with `organization` that role or a higher one,
 * and with `keys: true` also an API key. `project`: that role in the request's project; keys are accepted
 * unless `keys: false`. `verified: false` also accepts accounts whose e-mail address is not verified.
 * `path-project`: that role in the project that the path names as `:projectId`, by session or key;
 * `header: true`: X-Project-ID must name it too.
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
  /** Members without the role get the answer of somebody without credentials, as the API documents it. */
  hidesRole?: boolean;
}

/** What every handler knows of its request. */
export interface PublicContext {
  requestId: string;
  actor: Actor;
  /** The client's address, or the /64 of an IPv6 address: what belongs to one customer. */
  address: string;
  /** When the request arrived, Unix ms. */
  now: number;
  /** Accept-Language as sent. */
  languages?: string;
  /** The last event that a client of server-sent events has seen. */
  lastEventId?: string;
  /** For a browser that keeps its session there. */
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

/** An answer that is not JSON in the envelope. */
interface RawDeclaration {
  contentType: string;
  /** The schema of `data` if the answer may also be JSON in the envelope. */
  data?: z.ZodType;
}

/** An answer that lasts until either side ends it, or until the caller loses the right to it. */
interface StreamDeclaration extends RawDeclaration {
  isStream: true;
}

/** By status: the schema of `data`, or a raw answer. */
type ResponseDeclarations = Record<number, z.ZodType | RawDeclaration | StreamDeclaration>;

/** Who the audit log names for a change. */
export interface AuditActor {
  type: 'user' | 'api_key' | 'none';
  id: string | null;
  name: string | null;
}

interface ResponseExtras {
  headers?: Record<string, string>;
  /** What only the handler knows: who sent a public request, and whose organization it changed. */
  /** Null: nothing was changed, so nothing is logged. */
  audit?: { actor?: AuditActor; organizationId?: string } | null;
}

type RawResponse<S> = { status: S; raw: string | Uint8Array | Readable } & ResponseExtras;
type DataResponse<S, X> = { status: S; data: z.input<X> } & ResponseExtras;
type StreamResponse<S> = { status: S; stream: EventStream } & ResponseExtras;
/** Ready bytes of what the answer declares, with all headers; a caller may get 304 in its place. */
type PrecompressedResponse<S> = { status: S; compressed: Compressed } & ResponseExtras;
type RawOrDataResponse<S, X> =
  RawResponse<S> | PrecompressedResponse<S> | (X extends { data: infer D } ? DataResponse<S, D> : never);
type ResponseOf<S, X> = X extends z.ZodType
  ? DataResponse<S, X> | PrecompressedResponse<S>
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
  /** For the OpenAPI document: codes beyond those that follow from `auth` and from the schemas. */
  errors?: readonly ErrorCode[];
  /** Replaces INTERNAL_ERROR when this route fails unexpectedly. */
  failure?: { code: ErrorCode; message: string };
  /**
   * The audit log's name for a success of this route: noun and past participle, as `monitor.created`. Reads
   * have one if they hand out a secret or whole lists.
   * `false`: the route changes nothing although its method is not GET.
   */
  audit?: string | false;
  /** JSON by default. */
  bodyFormat?: BodyFormat;
  /** For pages that people open: shows an error instead of the JSON envelope. */
  errorPage?(error: AppError, reader: PageReader): Page;
  /** Accepts any query string, and ignores what `query` does not name. */
  ignoresQuery?: boolean;
  /** Removes the session's cookie, also when it fails: the session may have ended before. */
  endsSession?: boolean;
  /** Exempt from the rate limit (liveness, metrics). */
  isUnlimited?: boolean;
  /** The bearer token that a public route requires. */
  bearer?: string;
  /** Needs much memory: requests of one organization run one by one, and few at once over all. */
  takesTurns?: boolean;
}

interface RouteSpec<A extends Auth, P, Q, B, R extends ResponseDeclarations> extends RouteFacts {
  auth: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Replaces parsing by `body` where doing that in one go would block other requests. */
  parseBody?(sent: unknown): Promise<Parsed<NoInfer<B>>>;
  responses: R;
  handle(ctx: ContextOf<A>, input: Input<P, Q, B>): Promise<TypedResponse<NoInfer<R>>>;
}

/** A reply without its types: `data` goes into the envelope, `raw` and `stream` are sent as they are. */
export interface RouteResponse extends ResponseExtras {
  status: number;
  data?: unknown;
  raw?: string | Uint8Array | Readable;
  stream?: EventStream;
  compressed?: Compressed;
}

/** A route without its types: what the edge registers. */
export interface Route extends RouteFacts {
  auth: Auth;
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  /** The parsed body. Throws VALIDATION_ERROR. */
  parseBody(sent: unknown): unknown;
  responses: ResponseDeclarations;
  handle(ctx: PublicContext, input: Input<z.ZodType, z.ZodType, z.ZodType>): Promise<RouteResponse>;
}

/** The only way to make a route. `handle` gets the context that `auth` promises, and parsed input. */
export function defineRoute<
  const A extends Auth,
  R extends ResponseDeclarations,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: RouteSpec<A, P, Q, B, R>): Route {
  const { params, query, body, handle, ...rest } = spec;
  const parseBody = (sent: unknown) => (body === undefined ? undefined : validate(body, sent));
  return { params, query, body, parseBody, ...rest, handle: handle as unknown as Route['handle'] };
}

export function ok<T>(data: T) {
  return { status: 200, data } as const;
}

export function created<T>(data: T) {
  return { status: 201, data } as const;
}

/** The reply to a change that returns nothing. */
export async function okMessage(change: Promise<void>, message: string) {
  await change;
  return ok({ message });
}

export function isStreamDeclaration(
  declaration: z.ZodType | RawDeclaration,
): declaration is StreamDeclaration {
  return 'isStream' in declaration;
}

export function isRawDeclaration(declaration: z.ZodType | RawDeclaration): declaration is RawDeclaration {
  return 'contentType' in declaration;
}
