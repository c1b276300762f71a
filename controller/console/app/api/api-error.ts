import { FieldErrors } from './field-errors.ts';

/** What the API, or the way to it, has against a request. */
export class ApiError extends Error {
  /** A code of the API; `OFFLINE` when no answer came. */
  readonly code: string;
  /** Of the answer; 0 without one. */
  readonly status: number;
  readonly requestId: string | null;
  readonly details: unknown;
  /** Seconds until it may be tried again, if the API said so. */
  readonly retryAfter: number | null;
  /** What the API has against single fields. */
  readonly fieldErrors: FieldErrors;

  constructor(
    { code, message, status = 0, requestId = null, details = null, retryAfter = null }: {
      code: string; message: string; status?: number; requestId?: string | null; details?: unknown;
      retryAfter?: number | null;
    },
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.details = details;
    this.retryAfter = retryAfter;
    this.fieldErrors = new FieldErrors(issuesIn(details));
  }
}

const NO_FIELD_ERRORS = new FieldErrors();

/** What the API has against single fields, if the error is one of its errors. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  return error instanceof ApiError ? error.fieldErrors : NO_FIELD_ERRORS;
}

/** Messages by the field's path, as `config.to.0`. */
function issuesIn(details: unknown): [string, string][] {
  if (Array.isArray(details)) {
    return (details as Issue[]).map(({ path = [], message }) => [path.join('.'), message]);
  }
  const errors = (details as { errors?: unknown } | null)?.errors;
  return typeof errors === 'object' && errors !== null ? Object.entries(errors as Record<string, string>) : [];
}

interface Issue {
  path?: (string | number)[];
  message: string;
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: unknown; retryAfter?: number };
}

/** From an answer other than a success, whatever stands in its body. */
export function toApiError(response: Response, body: unknown): ApiError {
  const { code, message, details, retryAfter } = (body as ErrorBody | null)?.error ?? {};
  return new ApiError({
    code: code ?? `HTTP_${response.status}`, message: message ?? response.statusText, details,
    status: response.status, requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfter ?? null,
  });
}
