import { BsonType, elementsOf, fieldOf, Fields, fromByteString, isNumber, stringOf, toDouble, type Value } from '../bson/value.ts';
import { COMMANDS, ENVELOPE_FIELDS, TRANSACTION_FIELDS } from '../closed-list.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { isTruthy } from '../query/parse-filter.ts';
import type { Request } from '../wire/message.ts';

const READ_LEVELS: ReadonlySet<string> = new Set(['local', 'available', 'majority', 'linearizable']);

/** A command's fields, checked against the closed list. */
export class Args {
  readonly name: string;
  readonly db: string;
  /** Whether what is read must be on disk before the answer goes out. */
  readonly isMajorityRead: boolean;
  private readonly request: Request;

  constructor(request: Request) {
    this.request = request;
    this.name = request.name.toLowerCase();
    const allowed = COMMANDS[this.name];
    if (allowed === undefined) throw new MongoFailure(ErrorCode.commandNotFound, `no such command: '${fromByteString(request.name)}'`);
    for (const name of [...request.fields.keys(), ...request.sequences.keys()]) {
      if (name === request.name || allowed.has(name) || ENVELOPE_FIELDS.has(name)) continue;
      if (TRANSACTION_FIELDS.has(name)) {
        throw new MongoFailure(ErrorCode.illegalOperation, 'Transaction numbers are only allowed on a replica set member or mongos');
      }
      throw unknownField(request.name, name);
    }
    this.db = this.string('$db') ?? 'admin';
    this.isMajorityRead = checkReadConcern(this.document('readConcern'));
    checkWriteConcern(this.document('writeConcern'));
  }

  value(name: string): Value | undefined {
    return this.request.fields.get(name);
  }

  /** The namespace that the command's first field names. */
  get ns(): string {
    return `${checkDatabase(this.db)}.${this.collectionName(this.request.name)}`;
  }

  collectionName(field: string): string {
    const name = this.string(field);
    if (name === undefined || name === '' || name.includes('\0') || name.includes('$') || name.startsWith('.')) {
      throw new MongoFailure(ErrorCode.invalidNamespace, `Invalid collection name: ${name ?? ''}`);
    }
    return name;
  }

  string(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (value.type !== BsonType.string) throw typeMismatch(this.request.name, name, 'string');
    return stringOf(value);
  }

  document(name: string): Value | undefined {
    const value = this.value(name);
    if (value === undefined || value.type === BsonType.null) return undefined;
    if (value.type !== BsonType.object) throw typeMismatch(this.request.name, name, 'object');
    return value;
  }

  /** A whole number not below 0. */
  count(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined || value.type === BsonType.null) return undefined;
    if (!isNumber(value)) throw typeMismatch(this.request.name, name, 'number');
    const number = toDouble(value);
    if (!Number.isInteger(number)) throw badValue(`Field '${name}' must be a whole number`);
    if (number < 0) throw badValue(`BSON field '${name}' value must be >= 0, actual value '${number}'`);
    return number;
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (value.type !== BsonType.boolean && !isNumber(value)) throw typeMismatch(this.request.name, name, 'bool');
    return isTruthy(value);
  }

  /** The documents of an array field or of the sequence of that name. */
  documents(name: string): readonly Value[] {
    const sequence = this.request.sequences.get(name);
    if (sequence !== undefined) return sequence;
    const value = this.value(name);
    if (value?.type !== BsonType.array) throw typeMismatch(this.request.name, name, 'array');
    const out = elementsOf(value);
    if (out.some((element) => element.type !== BsonType.object)) throw typeMismatch(this.request.name, name, 'array of objects');
    return out;
  }
}

export function checkDatabase(db: string): string {
  if (db === '' || /[\0 "$./\\]/.test(db) || Buffer.byteLength(db) > 63) {
    throw new MongoFailure(ErrorCode.invalidNamespace, `Invalid database name: '${db}'`);
  }
  return db;
}

export function unknownField(owner: string, name: string): MongoFailure {
  const path = `${fromByteString(owner)}.${fromByteString(name)}`;
  return new MongoFailure(ErrorCode.unknownField, `BSON field '${path}' is an unknown field, or one that the embedded store does not serve.`);
}

export function typeMismatch(owner: string, name: string, wanted: string): MongoFailure {
  return new MongoFailure(ErrorCode.typeMismatch, `BSON field '${owner}.${name}' is missing or the wrong type, expected type '${wanted}'`);
}

/** Throws for fields of a sub-document outside `allowed`. */
export function refuseOthers(doc: Value, allowed: ReadonlySet<string>, owner: string): void {
  const fields = new Fields(doc);
  while (fields.advance()) if (!allowed.has(fields.name)) throw unknownField(owner, fields.name);
}

function checkReadConcern(doc: Value | undefined): boolean {
  const level = doc === undefined ? undefined : fieldOf(doc, 'level');
  if (level === undefined) return false;
  const name = level.type === BsonType.string ? stringOf(level) : '';
  if (!READ_LEVELS.has(name)) throw new MongoFailure(ErrorCode.invalidOptions, `read concern level '${name}' is not served`);
  return name === 'majority' || name === 'linearizable';
}

function checkWriteConcern(doc: Value | undefined): void {
  const w = doc === undefined ? undefined : fieldOf(doc, 'w');
  if (w === undefined) return;
  const isServed = (w.type === BsonType.string && stringOf(w) === 'majority') || (isNumber(w) && toDouble(w) >= 0 && toDouble(w) <= 1);
  if (!isServed) throw badValue("cannot use 'w' > 1 when a host is not replicated");
}
