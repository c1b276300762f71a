/** Names of the error codes this server answers with, as MongoDB's error_codes.yml has them. */
const CODE_NAMES: Readonly<Record<number, string>> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  15: 'Overflow',
  17: 'ProtocolError',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  50: 'MaxTimeMSExpired',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  91: 'ShutdownInProgress',
  171: 'CannotIndexParallelArrays',
  175: 'QueryPlanKilled',
  197: 'InvalidIndexSpecificationOption',
  238: 'NotImplemented',
  292: 'QueryExceededMemoryLimitNoDiskUseAllowed',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  17280: 'KeyTooLong',
  40415: 'Location40415',
};

/** A refusal as MongoDB words it: its code, message and the extra fields of the reply. */
export class MongoFailure extends Error {
  readonly code: number;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: number, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'MongoFailure';
    this.code = code;
    this.extra = extra;
  }

  get codeName(): string {
    return CODE_NAMES[this.code] ?? `Location${this.code}`;
  }
}

export const ErrorCode = {
  internal: 1,
  badValue: 2,
  failedToParse: 9,
  typeMismatch: 14,
  protocol: 17,
  illegalOperation: 20,
  invalidBson: 22,
  namespaceNotFound: 26,
  indexNotFound: 27,
  pathNotViable: 28,
  conflictingUpdate: 40,
  cursorNotFound: 43,
  namespaceExists: 48,
  maxTimeExpired: 50,
  dollarPrefixed: 52,
  invalidId: 53,
  notSingleValue: 54,
  emptyFieldName: 56,
  commandNotFound: 59,
  immutableField: 66,
  cannotCreateIndex: 67,
  invalidOptions: 72,
  invalidNamespace: 73,
  indexOptionsConflict: 85,
  indexKeySpecsConflict: 86,
  shutdown: 91,
  parallelArrays: 171,
  planKilled: 175,
  invalidIndexOption: 197,
  notImplemented: 238,
  memoryLimit: 292,
  tooLarge: 10334,
  duplicateKey: 11000,
  keyTooLong: 17280,
  unknownField: 40415,
} as const;

export function badValue(message: string): MongoFailure {
  return new MongoFailure(ErrorCode.badValue, message);
}

export function failedToParse(message: string): MongoFailure {
  return new MongoFailure(ErrorCode.failedToParse, message);
}
