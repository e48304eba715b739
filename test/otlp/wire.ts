/**
 * Decodes OTLP's protobuf encoding to the form of its JSON encoding, using the field numbers of the definition.
 * @see https://github.com/open-telemetry/opentelemetry-proto/tree/v1.9.0/opentelemetry/proto
 */
type Scalar =
  | "string"
  | "hex"
  | "bool"
  | "varint"
  | "fixed64"
  | "fixed32"
  | "double"
  | "doubles"
  | "fixed64s"

interface Field {
  readonly name: string
  readonly type: Scalar | Message
  readonly isList?: true
}

interface Message {
  readonly [number: number]: Field
}

export type Decoded = Record<string, unknown>

const one = (name: string, type: Scalar | Message): Field => ({ name, type })
const many = (name: string, type: Message): Field => ({ name, type, isList: true })

const ANY_VALUE: Record<number, Field> = {
  1: one("stringValue", "string"),
  2: one("boolValue", "bool"),
  3: one("intValue", "varint"),
  4: one("doubleValue", "double"),
}
ANY_VALUE[5] = one("arrayValue", { 1: many("values", ANY_VALUE) })

const KEY_VALUE: Message = { 1: one("key", "string"), 2: one("value", ANY_VALUE) }
const RESOURCE: Message = { 1: many("attributes", KEY_VALUE) }
const SCOPE: Message = { 1: one("name", "string"), 2: one("version", "string") }

const SPAN: Message = {
  1: one("traceId", "hex"),
  2: one("spanId", "hex"),
  3: one("traceState", "string"),
  4: one("parentSpanId", "hex"),
  5: one("name", "string"),
  6: one("kind", "varint"),
  7: one("startTimeUnixNano", "fixed64"),
  8: one("endTimeUnixNano", "fixed64"),
  9: many("attributes", KEY_VALUE),
  15: one("status", { 2: one("message", "string"), 3: one("code", "varint") }),
  16: one("flags", "fixed32"),
}

/** The definition of `ExportTraceServiceRequest`. */
export const TRACES: Message = {
  1: many("resourceSpans", {
    1: one("resource", RESOURCE),
    2: many("scopeSpans", { 1: one("scope", SCOPE), 2: many("spans", SPAN) }),
  }),
}

const NUMBER_POINT: Message = {
  2: one("startTimeUnixNano", "fixed64"),
  3: one("timeUnixNano", "fixed64"),
  4: one("asDouble", "double"),
  6: one("asInt", "fixed64"),
  7: many("attributes", KEY_VALUE),
}

const HISTOGRAM_POINT: Message = {
  2: one("startTimeUnixNano", "fixed64"),
  3: one("timeUnixNano", "fixed64"),
  4: one("count", "fixed64"),
  5: one("sum", "double"),
  6: one("bucketCounts", "fixed64s"),
  7: one("explicitBounds", "doubles"),
  9: many("attributes", KEY_VALUE),
}

const METRIC: Message = {
  1: one("name", "string"),
  2: one("description", "string"),
  3: one("unit", "string"),
  5: one("gauge", { 1: many("dataPoints", NUMBER_POINT) }),
  7: one("sum", {
    1: many("dataPoints", NUMBER_POINT),
    2: one("aggregationTemporality", "varint"),
    3: one("isMonotonic", "bool"),
  }),
  9: one("histogram", {
    1: many("dataPoints", HISTOGRAM_POINT),
    2: one("aggregationTemporality", "varint"),
  }),
}

/** The definition of `ExportMetricsServiceRequest`. */
export const METRICS: Message = {
  1: many("resourceMetrics", {
    1: one("resource", RESOURCE),
    2: many("scopeMetrics", { 1: one("scope", SCOPE), 2: many("metrics", METRIC) }),
  }),
}

/**
 * Decodes a message. Fields that are not in the definition are skipped.
 * @throws Error for invalid protobuf.
 */
export function decodeMessage(bytes: Uint8Array, message: Message): Decoded {
  const reader = new Reader(bytes)
  const decoded: Decoded = {}
  while (!reader.isOver) {
    const tag = reader.varint()
    const field = message[Number(tag >> 3n)]
    const raw = reader.raw(Number(tag & 7n))
    if (field === undefined) continue
    const value = valueOf(raw, field.type)
    if (field.isList) ((decoded[field.name] ??= []) as unknown[]).push(value)
    else decoded[field.name] = value
  }
  return decoded
}

function valueOf(raw: bigint | Uint8Array, type: Scalar | Message): unknown {
  if (typeof raw === "bigint") {
    if (type === "bool") return raw !== 0n
    return Number(BigInt.asIntN(64, raw))
  }
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  switch (type) {
    case "string":
      return new TextDecoder("utf-8", { fatal: true }).decode(raw)
    case "hex":
      return Buffer.from(raw).toString("hex")
    case "fixed64":
      return view.getBigUint64(0, true).toString()
    case "fixed32":
      return view.getUint32(0, true)
    case "double":
      return view.getFloat64(0, true)
    case "doubles":
      return Array.from({ length: raw.length / 8 }, (_, index) => view.getFloat64(8 * index, true))
    case "fixed64s":
      return Array.from({ length: raw.length / 8 }, (_, index) =>
        view.getBigUint64(8 * index, true).toString(),
      )
    case "bool":
    case "varint":
      throw new Error("a number was expected")
    default:
      return decodeMessage(raw, type)
  }
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isOver(): boolean {
    return this.#at >= this.#bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined || shift > 63n) throw new Error("a number without end")
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }

  raw(wireType: number): bigint | Uint8Array {
    if (wireType === 0) return this.varint()
    const lengths: Record<number, () => number> = {
      1: () => 8,
      5: () => 4,
      2: () => Number(this.varint()),
    }
    const length = lengths[wireType]?.()
    if (length === undefined) throw new Error(`wire type ${wireType}`)
    const taken = this.#bytes.subarray(this.#at, this.#at + length)
    if (taken.length !== length) throw new Error("a message that is cut off")
    this.#at += length
    return taken
  }
}
