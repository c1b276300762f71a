import type { z } from 'zod';
import type { AppError, ErrorCode } from '../../shared/errors.ts';
import type { EventStream } from './event-stream.ts';
import type { BodyFormat } from './body/body.ts';
import type { AuditFacts } from './audit.ts';
import { validate } from './validation.ts';

export type OrganizationRole = 'owner' | 'admin' | 'member' | 'viewer';
export type ProjectRole = 'admin' | 'editor' | 'viewer';
export type KeyScope = 'read' | 'read_write';

export type SessionActor = { kind: 'session'; userId: string; email: string; name: string; isOperator: boolean; sessionId: string };
export type KeyActor = { kind: 'key'; keyId: string; name: string; scope: KeyScope; createdBy: string };
export type Actor = SessionActor | KeyActor | { kind: 'none' };

/**
 * What a route needs of its caller; a route without it does not start.
 * `account`: a session (`keys: true` lets API keys in too); with `organization` the caller needs that role or a higher one.
 * `project`: also a role in the project of the request; API keys are let in unless `keys: false`.
 * `verified: false` also lets an account in whose e-mail is not verified yet.
 */
export type Auth =
  | { access: 'public' }
  | { access: 'account'; keys?: boolean; verified?: boolean; organization?: OrganizationRole }
  | { access: 'project'; role: ProjectRole; keys?: boolean }
  | { access: 'operator' };

/** Facts about the request that every handler gets. */
export interface PublicContext {
  requestId: string;
  actor: Actor;
  /** Unix ms at which the request was taken. */
  now: number;
  /** Where a client of server-sent events wants to go on. */
  lastEventId?: string;
}

export interface AccountContext extends PublicContext {
  actor: SessionActor | KeyActor;
}

export interface OperatorContext extends PublicContext {
  actor: SessionActor;
}

export interface OrganizationContext extends AccountContext {
  tenant: { organizationId: string };
  role: OrganizationRole;
}

export interface ProjectContext extends AccountContext {
  tenant: { organizationId: string; projectId: string };
  role: ProjectRole;
}

/** The context of a project route: what most verbs take. */
export type RequestContext = ProjectContext;

export type ContextOf<A extends Auth> = A extends { access: 'project' }
  ? ProjectContext
  : A extends { access: 'account'; organization: OrganizationRole }
    ? OrganizationContext
    : A extends { access: 'account'; keys: true }
      ? AccountContext
      : A extends { access: 'account' } | { access: 'operator' }
        ? OperatorContext
        : PublicContext;

/** An answer that is not JSON in the envelope: its content type, for the OpenAPI document. */
export interface RawAnswer {
  contentType: string;
  /** Set when it may as well be JSON in the envelope, with this `data`. */
  data?: z.ZodType;
}

/** An answer that goes on until one side ends it, or the caller's credential or role does. */
export interface StreamAnswer extends RawAnswer {
  isStream: true;
}

/** Per success status: the schema of `data`, or the content type of a raw answer. */
export type Answers = Record<number, z.ZodType | RawAnswer | StreamAnswer>;

interface ReplyFacts {
  headers?: Record<string, string>;
  /** What the audit log cannot see from outside. */
  audit?: AuditFacts;
}

type RawReply<S> = { status: S; raw: string | Uint8Array } & ReplyFacts;
type DataReply<S, X> = { status: S; data: z.input<X> } & ReplyFacts;
type EitherReply<S, X> = X extends { data: infer D extends z.ZodType } ? DataReply<S, D> | RawReply<S> : RawReply<S>;
type ReplyOf<S, X> = X extends z.ZodType ? DataReply<S, X> : X extends StreamAnswer ? { status: S; stream: EventStream } & ReplyFacts : EitherReply<S, X>;

export type Reply<R extends Answers> = { [S in keyof R & number]: ReplyOf<S, R[S]> }[keyof R & number];

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined;

export interface Input<P, Q, B> {
  params: Parsed<P>;
  query: Parsed<Q>;
  body: Parsed<B>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A page in place of the error envelope. */
export interface ErrorPage {
  html: string;
  headers: Record<string, string>;
}

interface RouteFacts {
  method: Method;
  /** Koa router path, parameters as `:name`. */
  path: string;
  summary: string;
  tag: string;
  description?: string;
  /** Codes beyond those that follow from `auth` and from the schemas, for the OpenAPI document. */
  errors?: readonly ErrorCode[];
  /** What an unexpected failure of this route is told as, instead of INTERNAL_ERROR. */
  failure?: { code: ErrorCode; message: string };
  /**
   * What the audit log calls a success of this route: noun and past participle, as `monitor.created`. `false`: it is called
   * with another method than GET and yet changes nothing.
   */
  audit?: string | false;
  /** How the body is written. `form`: as HTML forms are sent; every field is a string. `document`: JSON or YAML. JSON when absent. */
  bodyFormat?: BodyFormat;
  /** For pages that people open: what goes wrong is shown by this instead of the JSON envelope. */
  errorPage?(error: AppError): ErrorPage;
  /** Takes whatever query string there is and looks at none of it. */
  ignoresQuery?: boolean;
  /** Answers even when the caller's rate limit is used up, and does not count (liveness, metrics). */
  isUnlimited?: boolean;
}

export interface RouteSpec<A extends Auth, P, Q, B, R extends Answers> extends RouteFacts {
  auth: A;
  params?: P;
  query?: Q;
  body?: B;
  /** What `body` would say of what was sent, where one go over it would hold others up. */
  parseBody?(sent: unknown): Promise<Parsed<NoInfer<B>>>;
  answers: R;
  handle(ctx: ContextOf<A>, input: Input<P, Q, B>): Promise<Reply<NoInfer<R>>>;
}

/** A reply as the edge sees it: `data` goes into the envelope, `raw` is sent as it is, `stream` as long as it lasts. */
export interface AnyReply {
  status: number;
  data?: unknown;
  raw?: string | Uint8Array;
  stream?: EventStream;
  headers?: Record<string, string>;
  audit?: AuditFacts;
}

/** A route whose types are forgotten: what the edge registers. */
export interface Route extends RouteFacts {
  auth: Auth;
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  /** The parsed body. Throws VALIDATION_ERROR. */
  parseBody(sent: unknown): unknown;
  answers: Answers;
  handle(ctx: PublicContext, input: Input<z.ZodType, z.ZodType, z.ZodType>): Promise<AnyReply>;
}

/** The only way to make a route. The edge calls `handle` with the context that `auth` earns and with parsed input only. */
export function defineRoute<
  const A extends Auth,
  R extends Answers,
  P extends z.ZodType | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: RouteSpec<A, P, Q, B, R>): Route {
  if (spec.auth?.access === undefined) throw new Error(`${spec.method} ${spec.path}: a route without auth does not start`);
  const { params, query, body, handle, parseBody = (sent: unknown) => (body === undefined ? undefined : validate(body, sent)), ...rest } = spec;
  return { ...rest, params, query, body, parseBody, handle: handle as unknown as Route['handle'] };
}

export function isStreamAnswer(answer: z.ZodType | RawAnswer): answer is StreamAnswer {
  return 'isStream' in answer;
}

export function isRawAnswer(answer: z.ZodType | RawAnswer): answer is RawAnswer {
  return 'contentType' in answer;
}
