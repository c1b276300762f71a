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
  readonly fields: FieldErrors;

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
    this.fields = new FieldErrors(messagesIn(details));
  }
}

const NONE = new FieldErrors();

/** What the API has against single fields, if the error is one of its errors. */
export function fieldsOf(error: unknown): FieldErrors {
  return error instanceof ApiError ? error.fields : NONE;
}

/** Messages by the field's path, as `config.to.0`. */
function messagesIn(details: unknown): [string, string][] {
  if (Array.isArray(details)) {
    return (details as Fault[]).map(({ path = [], message }) => [path.join('.'), message]);
  }
  const errors = (details as { errors?: unknown } | null)?.errors;
  return typeof errors === 'object' && errors !== null ? Object.entries(errors as Record<string, string>) : [];
}

interface Fault {
  path?: (string | number)[];
  message: string;
}

interface ErrorBody {
  error?: { code?: string; message?: string; details?: unknown; retryAfter?: number };
}

/** From an answer other than a success, whatever stands in its body. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { code, message, details, retryAfter } = (body as ErrorBody | null)?.error ?? {};
  return new ApiError({
    code: code ?? `HTTP_${response.status}`, message: message ?? response.statusText, details,
    status: response.status, requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfter ?? null,
  });
}
