import { AppError } from '../errors/app-error.ts';
import { validationError, type ValidationIssue } from '../http/input/validation.ts';

type Path = (string | number)[];

/** What is wrong with the items of a document. */
export class Faults {
  readonly #issues: ValidationIssue[] = [];
  #limit: AppError | null = null;

  add(path: Path, message: string): void {
    this.#issues.push({ code: 'custom', path, message });
  }

  /** Null if `work` throws an AppError, which is collected under the path of its item. */
  async collect<T>(path: Path, work: () => T | Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message, details } = error;
      if (Array.isArray(details)) {
        const issues = details as ValidationIssue[];
        this.#issues.push(...issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
      } else this.#limit ??= new AppError(code, `${path.join('.')}: ${message}`, { details: { ...details, path } });
      return null;
    }
  }

  /** Throws VALIDATION_ERROR with all invalid items, else the error of the first exceeded limit. */
  throwIfAny(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues);
    if (this.#limit !== null) throw this.#limit;
  }
}
