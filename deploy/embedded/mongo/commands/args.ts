import {
  BsonType, elementsOf, fieldOf, Fields, fromByteString, isNumber, isTruthy, stringOf, toDouble, type Value,
} from '../bson/value.ts';
import { COMMANDS, ENVELOPE_FIELDS, type CommandName } from '../supported-features.ts';
import { badValue, ErrorCode, MongoFailure } from '../errors.ts';
import { EVERYTHING, parseFilter, type Filter } from '../query/filter.ts';
import type { Request } from '../wire/message.ts';

/** The fields of a command, validated against the closed list. */
export class Args {
  readonly name: CommandName;
  private readonly request: Request;

  constructor(request: Request) {
    this.request = request;
    const name = request.name.toLowerCase();
    if (!isCommand(name)) {
      throw new MongoFailure(ErrorCode.commandNotFound, `no such command: '${fromByteString(request.name)}'`);
    }
    this.name = name;
    const allowed = COMMANDS[name];
    for (const field of [...request.fields.keys(), ...request.sequences.keys()]) {
      if (field === request.name || allowed.has(field) || ENVELOPE_FIELDS.has(field)) continue;
      throw unknownField(request.name, field);
    }
    checkWriteConcern(this.document('writeConcern'));
  }

  value(name: string): Value | undefined {
    return this.request.fields.get(name);
  }

  /** The namespace of the collection named by the command's first field. */
  get ns(): string {
    return this.nsOf(this.request.name);
  }

  get database(): string {
    const db = this.string('$db');
    if (db === '' || /[\0 "$./\\]/.test(db) || Buffer.byteLength(db) > 63) {
      throw new MongoFailure(ErrorCode.invalidNamespace, `Invalid database name: '${db}'`);
    }
    return db;
  }

  /** The namespace of the collection named by `field`. */
  nsOf(field: string): string {
    const db = this.database;
    const collection = this.string(field);
    if (collection === '' || /[\0$]|^\./.test(collection)) {
      throw new MongoFailure(ErrorCode.invalidNamespace, `Invalid collection name: '${collection}'`);
    }
    return `${db}.${collection}`;
  }

  private string(name: string): string {
    const value = this.value(name);
    if (value?.type !== BsonType.string) throw this.wrongType(name, 'string');
    return stringOf(value);
  }

  document(name: string): Value | undefined {
    const value = this.value(name);
    if (value !== undefined && value.type !== BsonType.object) throw this.wrongType(name, 'object');
    return value;
  }

  /** The filter in that field; if absent, one that matches everything. */
  filter(name: string): Filter {
    const doc = this.document(name);
    return doc === undefined ? EVERYTHING : parseFilter(doc);
  }

  /** A non-negative integer. */
  count(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const number = isNumber(value) ? toDouble(value) : NaN;
    if (!Number.isInteger(number) || number < 0) throw badValue(`'${name}' must be a whole number from 0 up`);
    return number;
  }

  flag(name: string): boolean {
    return flagOf(this.value(name));
  }

  /** The `ordered` field; true by default. */
  get isOrdered(): boolean {
    const value = this.value('ordered');
    return value === undefined || isTruthy(value);
  }

  /** The documents of an array field, or of the document sequence with that name. */
  documents(name: string): readonly Value[] {
    const sequence = this.request.sequences.get(name);
    if (sequence !== undefined) return sequence;
    const value = this.value(name);
    const out = value?.type === BsonType.array ? elementsOf(value) : null;
    if (out === null || out.some((element) => element.type !== BsonType.object)) {
      throw this.wrongType(name, 'array of objects');
    }
    return out;
  }

  wrongType(name: string, wanted: string): MongoFailure {
    const field = `${fromByteString(this.request.name)}.${fromByteString(name)}`;
    const message = `BSON field '${field}' is missing or the wrong type, expected type '${wanted}'`;
    return new MongoFailure(ErrorCode.typeMismatch, message);
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

export function flagOf(value: Value | undefined): boolean {
  return value !== undefined && isTruthy(value);
}

/** Throws if a document within a command has a field outside `allowed`. */
export function rejectUnknownFields(doc: Value, allowed: ReadonlySet<string>, owner: string): void {
  const fields = new Fields(doc);
  while (fields.advance()) if (!allowed.has(fields.name)) throw unknownField(owner, fields.name);
}

function unknownField(owner: string, name: string): MongoFailure {
  const path = `${fromByteString(owner)}.${fromByteString(name)}`;
  const message = `BSON field '${path}' is unknown, or the embedded store does not support it`;
  return new MongoFailure(ErrorCode.unknownField, message);
}

function checkWriteConcern(doc: Value | undefined): void {
  const w = doc === undefined ? undefined : fieldOf(doc, 'w');
  if (w === undefined || (w.type === BsonType.string && stringOf(w) === 'majority')) return;
  if (!isNumber(w) || toDouble(w) > 1) throw badValue("the write concern must be 0, 1 or 'majority'");
}
