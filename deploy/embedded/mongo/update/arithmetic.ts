import { BsonType, toDouble, Value } from '../bson/value.ts';
import { BsonWriter, encodeValue } from '../bson/write.ts';
import { badValue } from '../errors.ts';

const INT32_MIN = -2147483648;
const INT32_MAX = 2147483647;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** The sum in the wider type of the two: int32 grows to int64, doubles win; null when an int64 would overflow. */
export function sumOf(a: Value, b: Value): Value | null {
  if (a.type === BsonType.double || b.type === BsonType.double) return doubleValue(toDouble(a) + toDouble(b));
  if (a.type === BsonType.int32 && b.type === BsonType.int32) {
    const sum = toDouble(a) + toDouble(b);
    return sum >= INT32_MIN && sum <= INT32_MAX ? encodeValue(sum) : encodeValue(BigInt(sum));
  }
  const sum = integerOf(a) + integerOf(b);
  return sum < INT64_MIN || sum > INT64_MAX ? null : encodeValue(sum);
}

/** As `sumOf`, for `$inc`: throws BadValue on overflow. */
export function increment(current: Value, by: Value): Value {
  const sum = sumOf(current, by);
  if (sum === null) throw badValue('Failed to apply $inc operations to current value: the result does not fit 64 bits');
  return sum;
}

export function integerOf(value: Value): bigint {
  return value.type === BsonType.int64 ? value.buf.readBigInt64LE(value.at) : BigInt(value.buf.readInt32LE(value.at));
}

/** A double even where the number is whole. */
export function doubleValue(number: number): Value {
  const writer = new BsonWriter();
  writer.double(number);
  return new Value(BsonType.double, writer.finish(), 0, 8);
}
