/** MongoDB error codes (error_codes.yml) used by this server. */
export const ErrorCode = {
  internal: 1,
  badValue: 2,
  failedToParse: 9,
  typeMismatch: 14,
  protocol: 17,
  invalidBson: 22,
  pathNotViable: 28,
  conflictingUpdate: 40,
  cursorNotFound: 43,
  dollarPrefixed: 52,
  invalidId: 53,
  notSingleValue: 54,
  commandNotFound: 59,
  immutableField: 66,
  cannotCreateIndex: 67,
  invalidOptions: 72,
  invalidNamespace: 73,
  indexOptionsConflict: 85,
  indexKeySpecsConflict: 86,
  parallelArrays: 171,
  invalidIndexOption: 197,
  memoryLimit: 292,
  tooLarge: 10334,
  duplicateKey: 11000,
  keyTooLong: 17280,
  missingField: 40414,
  unknownField: 40415,
} as const;

/** A failure reported to the client with MongoDB's code. */
export class MongoFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'MongoFailure';
    this.code = code;
  }
}

export function badValue(message: string): MongoFailure {
  return new MongoFailure(ErrorCode.badValue, message);
}

export function failedToParse(message: string): MongoFailure {
  return new MongoFailure(ErrorCode.failedToParse, message);
}
