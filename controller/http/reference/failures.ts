import { ERROR_STATUS, type ErrorCode } from '../../errors/app-error.ts';
import { acceptsKeys } from '../routing/authorize.ts';
import type { Auth, PathProjectAuth, Route } from '../routing/route.ts';
import type { Content, Json } from './openapi.ts';

/** The error response of an operation for one status. */
export interface Refusal {
  description: string;
  headers: Json;
  content: Content;
}

const SESSION_ERRORS: ErrorCode[] = ['MISSING_AUTH', 'INVALID_TOKEN', 'TOKEN_EXPIRED'];
const KEY_ERRORS: ErrorCode[] = ['MISSING_API_KEY', 'INVALID_API_KEY'];
export const RATE_HEADERS = [
  'X-Request-ID', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset',
];
/** Statuses that carry a `Retry-After` header. */
const RETRY_AFTER_STATUSES = [429, 503];

/**
 * Maps each status to a shared response in `refusals`. Operations share them because written out they would
 * be half of the document. A response's description lists the error codes of its status.
 */
export function failures(route: Route, refusals: Record<string, Refusal>): Record<string, { $ref: string }> {
  const codes = errorsOf(route);
  const isPage = route.errorPage !== undefined;
  return Object.fromEntries([...new Set(codes.flatMap((code) => statusesOf(route, code)))].map((status) => {
    const own = codes.filter((code) => statusesOf(route, code).includes(status)).sort();
    const name = [...(isPage ? ['page'] : []), ...own].join('.');
    refusals[name] ??= refusal(status, own, isPage);
    return [status, { $ref: `#/components/responses/${name}` }];
  }));
}

/** The statuses that an error of this code can have: 413 besides the code's for a file. */
export function statusesOf({ bodyFormat }: Route, code: ErrorCode): number[] {
  return bodyFormat === 'file' && code === 'BAD_REQUEST' ? [400, 413] : [ERROR_STATUS[code]];
}

function refusal(status: number, codes: ErrorCode[], isPage: boolean): Refusal {
  const content: Content = isPage
    ? { 'text/html': { schema: { type: 'string' } } }
    : { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: headerReferences([...RATE_HEADERS, ...(RETRY_AFTER_STATUSES.includes(status) ? ['Retry-After'] : [])]),
    content,
  };
}

/** All error codes of the route: its own, and those implied by its auth and its schemas. */
export function errorsOf(route: Route): ErrorCode[] {
  const { auth, body, errors = [], failure, method } = route;
  const codes: ErrorCode[] = [
    'VALIDATION_ERROR', ...errors,
    'RATE_LIMIT_EXCEEDED', failure?.code ?? 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE',
  ];
  if (body !== undefined && route.bodyFormat !== 'excerpt') codes.push('INVALID_INPUT', 'BAD_REQUEST', 'JSON_PARSE_ERROR');
  if (route.bearer !== undefined) codes.push('MISSING_AUTH', 'INVALID_TOKEN');
  if (auth.access === 'public') return [...new Set(codes)];
  if (auth.access === 'path-project') return [...new Set([...codes, ...pathErrors(auth, method)])];
  codes.push(...SESSION_ERRORS, 'INVALID_PROJECT_ID');
  if (auth.access !== 'account' || auth.verified !== false) codes.push('EMAIL_NOT_VERIFIED');
  if (!acceptsKeys(auth)) codes.push('JWT_REQUIRED');
  codes.push(...KEY_ERRORS);
  if (acceptsKeys(auth) && method !== 'GET') codes.push('READ_ONLY_API_KEY');
  if (auth.access === 'operator') codes.push('INSUFFICIENT_PERMISSIONS');
  if (auth.access === 'project') codes.push('PROJECT_NOT_FOUND', 'PROJECT_ORGANIZATION_MISMATCH');
  if (auth.access === 'project' && acceptsKeys(auth)) codes.push('ACCESS_DENIED');
  if (namesOrganization(auth)) {
    codes.push('ORGANIZATION_NOT_FOUND', 'ORGANIZATION_MISMATCH', 'INSUFFICIENT_PERMISSIONS');
  }
  return [...new Set(codes)];
}

function pathErrors(auth: PathProjectAuth, method: string): ErrorCode[] {
  return [
    'AUTHENTICATION_REQUIRED', 'EMAIL_NOT_VERIFIED', ...(method === 'GET' ? [] : ['READ_ONLY_API_KEY'] as const),
    'INVALID_PROJECT_ID', ...(auth.header === true ? ['PROJECT_ID_REQUIRED'] as const : []),
    'PROJECT_NOT_FOUND', 'API_KEY_ORGANIZATION_MISMATCH', 'ACCESS_DENIED', 'INSUFFICIENT_PERMISSIONS',
  ];
}

export function namesOrganization(auth: Auth): boolean {
  return auth.access === 'project' || (auth.access === 'account' && auth.organization !== undefined);
}

export function headerReferences(names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
