import { FieldErrors } from './field-errors.ts';

/** An error response of the API, or a failure to reach it. */
export class ApiError extends Error {
  /** The API's error code; `OFFLINE` without a response. */
  readonly code: string;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  readonly requestId: string | null;
  readonly details: unknown;
  /** Seconds until a retry may succeed; null if unknown. */
  readonly retryAfter: number | null;
  /** Validation messages by field. */
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

/** The validation messages of an API error; empty for any other error. */
export function fieldErrorsOf(error: unknown): FieldErrors {
  return error instanceof ApiError ? error.fieldErrors : NO_FIELD_ERRORS;
}

/** Messages by the field's path, such as `config.to.0`. */
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

/** Accepts any error response, whatever its body. */
export function toApiError(response: Response, body: unknown): ApiError {
  const { code, message, details, retryAfter } = (body as ErrorBody | null)?.error ?? {};
  return new ApiError({
    code: code ?? `HTTP_${response.status}`, message: message ?? response.statusText, details,
    status: response.status, requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfter ?? null,
  });
}
