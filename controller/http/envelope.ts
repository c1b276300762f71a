import { AppError, ERROR_STATUS, type ErrorCode } from '../../shared/errors.ts';

export interface ErrorBody {
  success: false;
  error: { code: string; message: string; details?: unknown; retryAfter?: number };
}

/** The body of every success that is JSON. */
export function successBody(data: unknown): { success: true; data: unknown } {
  return { success: true, data };
}

/** Status and body of a failure. Empty details are left out. */
export function errorAnswer(error: AppError, retryAfter?: number): { status: number; body: ErrorBody } {
  const details = error.details !== undefined && Object.keys(error.details).length > 0 ? { details: error.details } : {};
  const retry = retryAfter === undefined ? {} : { retryAfter };
  return {
    status: ERROR_STATUS[error.code],
    body: { success: false, error: { code: error.code, message: error.message, ...details, ...retry } },
  };
}

/** Longest path that an answer repeats. */
const LONGEST_ECHO = 256;

/** The body for a path that does not exist, which the specification keeps out of the envelope. */
export function notFoundBody(path: string): { error: string; path: string } {
  return { error: 'Not Found', path: path.slice(0, LONGEST_ECHO) };
}

export interface Failure {
  code: ErrorCode;
  message: string;
}

const UNEXPECTED: Failure = { code: 'INTERNAL_ERROR', message: 'An unexpected error occurred' };

export interface ErrorMapper {
  /** Whether an error of a driver means that the database is not to be had now. */
  isUnavailable(error: unknown): boolean;
  /** Told of each error that is nobody's answer: a bug or a failure of ours. */
  onUnexpected(error: unknown): void;
}

/** The failure that the caller is told of. An unexpected one is told as `failure`, and says nothing of its cause. */
export function toAppError(error: unknown, mapper: ErrorMapper, failure: Failure = UNEXPECTED): AppError {
  if (error instanceof AppError) {
    if (ERROR_STATUS[error.code] === 500) mapper.onUnexpected(error);
    return error;
  }
  if (mapper.isUnavailable(error)) {
    return new AppError('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable, please try again', { cause: error });
  }
  mapper.onUnexpected(error);
  return new AppError(failure.code, failure.message, { cause: error });
}
