/** The trace context sent with a request. @see https://www.w3.org/TR/trace-context */
export interface TraceContext {
  /** The id of the trace in 32 hexadecimal digits. */
  readonly traceId: string
  /** The id of the sender's span in 16 hexadecimal digits. */
  readonly spanId: string
  /** Data of other tracers, unchanged. */
  readonly state?: string
}

const TRACE_PARENT =
  /^(?<version>[\da-f]{2})-(?<traceId>[\da-f]{32})-(?<spanId>[\da-f]{16})-[\da-f]{2}(?<more>-.*)?$/
const NO_TRACE = "0".repeat(32)
const NO_SPAN = "0".repeat(16)
/** The version that the standard forbids. */
const NO_VERSION = "ff"
const FIRST_VERSION = "00"

const MAX_STATE_LENGTH = 512
const MAX_MEMBERS = 32
const MEMBER =
  /^(?:[a-z][\da-z_*/-]{0,255}|[\da-z][\da-z_*/-]{0,240}@[a-z][\da-z_*/-]{0,13})=[ -+\--<>-~]*$/

/** Reads the trace context from the headers of a request; undefined if it is absent or invalid. */
export function readTraceContext(headers: Headers): TraceContext | undefined {
  const parent = headers.get("traceparent")
  if (parent === null) return undefined
  const { version, traceId, spanId, more } = TRACE_PARENT.exec(parent)?.groups ?? {}
  if (traceId === undefined || spanId === undefined || version === NO_VERSION) return undefined
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined
  if (version === FIRST_VERSION && more !== undefined) return undefined
  const state = headers.get("tracestate")
  return state === null || !isState(state) ? { traceId, spanId } : { traceId, spanId, state }
}

/** Builds the header that assigns a call to its span. */
export function traceParent(traceId: string, spanId: string, isSampled: boolean): string {
  return `${FIRST_VERSION}-${traceId}-${spanId}-${isSampled ? "01" : "00"}`
}

function isState(text: string): boolean {
  if (text.length > MAX_STATE_LENGTH) return false
  const members = text.split(",").map((member) => member.trim())
  return members.length <= MAX_MEMBERS && members.every((one) => one === "" || MEMBER.test(one))
}

const POOL_BYTES = 4096
const SPAN_BYTES = 8
const pool = Buffer.allocUnsafe(POOL_BYTES)
let used = POOL_BYTES

export function newTraceId(): string {
  return randomHex(2 * SPAN_BYTES)
}

export function newSpanId(): string {
  return randomHex(SPAN_BYTES)
}

/** Returns random bytes in hexadecimal. They come from a pool, because generating many at once takes less time. */
function randomHex(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const hex = pool.toString("hex", used, used + bytes)
  used += bytes
  return hex
}
