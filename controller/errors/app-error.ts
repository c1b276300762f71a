/** Every error code of the HTTP API and its status. */
export const ERROR_STATUS = {
  VALIDATION_ERROR: 400,
  VALIDATION_FAILED: 400,
  INVALID_INPUT: 400,
  BAD_REQUEST: 400,
  JSON_PARSE_ERROR: 400,
  PROJECT_ID_REQUIRED: 400,
  INVALID_PROJECT_ID: 400,
  INVALID_PERIOD: 400,
  INVALID_PAGE: 400,
  INVALID_LIMIT: 400,
  CIRCULAR_REFERENCE: 400,
  DUPLICATE_NAME: 400,
  MAX_DEPTH_EXCEEDED: 400,
  CONFIRMATION_REQUIRED: 400,
  MONITORS_FETCH_FAILED: 400,
  MISSING_AUTH: 401,
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  INVALID_TOKEN: 401,
  TOKEN_EXPIRED: 401,
  AUTHENTICATION_REQUIRED: 401,
  INVALID_CREDENTIALS: 401,
  READ_ONLY_API_KEY: 403,
  JWT_REQUIRED: 403,
  EMAIL_NOT_VERIFIED: 403,
  INSUFFICIENT_PERMISSIONS: 403,
  FORBIDDEN: 403,
  ORGANIZATION_MISMATCH: 403,
  PROJECT_ORGANIZATION_MISMATCH: 403,
  API_KEY_ORGANIZATION_MISMATCH: 403,
  ACCESS_DENIED: 403,
  MONITOR_LIMIT_REACHED: 403,
  INTERVAL_TOO_SHORT: 403,
  PLAN_LIMIT_EXCEEDED: 403,
  INSUFFICIENT_PLAN: 403,
  FAIR_USE_LIMIT_REACHED: 403,
  RESOURCE_NOT_FOUND: 404,
  PROJECT_NOT_FOUND: 404,
  ORGANIZATION_NOT_FOUND: 404,
  MONITOR_NOT_FOUND: 404,
  STATS_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  RESOURCE_ALREADY_EXISTS: 409,
  CONFLICT: 409,
  SLUG_ALREADY_TAKEN: 409,
  RATE_LIMIT_EXCEEDED: 429,
  INTERNAL_ERROR: 500,
  DATABASE_ERROR: 500,
  CHECK_FETCH_FAILED: 500,
  MONITOR_PAUSE_FAILED: 500,
  STATS_FETCH_FAILED: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export type ErrorDetails = Record<string, unknown> | readonly unknown[];

interface ErrorOptions {
  details?: ErrorDetails;
  cause?: unknown;
  retryAfterSeconds?: number;
  /** Replaces the status of the code. */
  status?: number;
}

/** A failure with a stable code that is safe to report to the caller. `message` is for people. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  /** When a retry may succeed. */
  readonly retryAfterSeconds: number | undefined;
  readonly status: number;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.status = options.status ?? ERROR_STATUS[code];
  }
}

/** 404 for a resource that is missing or belongs to another tenant: callers must not see a difference. */
export function notFound(resource: string): AppError {
  return new AppError('RESOURCE_NOT_FOUND', `${resource} not found`, { details: { resourceType: resource } });
}

/** For a field whose value must be unique. The details name the field, as validation errors do. */
export function valueTaken(
  code: 'RESOURCE_ALREADY_EXISTS' | 'SLUG_ALREADY_TAKEN' | 'DUPLICATE_NAME', field: string, message: string,
): AppError {
  return new AppError(code, message, { details: { errors: { [field]: message } } });
}
