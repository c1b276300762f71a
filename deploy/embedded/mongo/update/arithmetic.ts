import { BsonType, toDouble, Value } from '../bson/value.ts';
import { encodeValue } from '../bson/write.ts';
import { badValue } from '../errors.ts';

const INT32_MIN = -2147483648;
const INT32_MAX = 2147483647;

/**
 * The sum in the wider type: int32 grows to int64, and doubles win. Throws BadValue if an int64 overflows.
 */
export function increment(current: Value, by: Value): Value {
  if (current.type === BsonType.double || by.type === BsonType.double) {
    return doubleValue(toDouble(current) + toDouble(by));
  }
  const sum = integerOf(current) + integerOf(by);
  if (current.type === BsonType.int32 && by.type === BsonType.int32 && sum >= INT32_MIN && sum <= INT32_MAX) {
    return encodeValue(Number(sum));
  }
  if (BigInt.asIntN(64, sum) !== sum) throw badValue('$inc: the result does not fit into 64 bits');
  return encodeValue(sum);
}

function integerOf(value: Value): bigint {
  const { type, buf, at } = value;
  return type === BsonType.int64 ? buf.readBigInt64LE(at) : BigInt(buf.readInt32LE(at));
}

/** A double even for an integer. */
function doubleValue(number: number): Value {
  const buf = Buffer.allocUnsafe(8);
  buf.writeDoubleLE(number);
  return new Value(BsonType.double, buf, 0, 8);
}
