/** A correct response of a vendor, before a fault changes it. */
export interface SoundResponse {
  readonly status: number
  /** The headers, except those for the length of the body. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly type: string
  readonly body: Buffer
  /** Whether the response is a stream of frames. */
  readonly isStreamed: boolean
}

const EVENTS = "text/event-stream"
const BINARY_EVENTS = "application/vnd.amazon.eventstream"
/** Headers that apply to a single connection, or that state the length of the body. */
const OF_THE_CONNECTION = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
])

/** Reads a complete response of the simulator. */
export async function soundResponse(response: Response): Promise<SoundResponse> {
  const type = response.headers.get("content-type") ?? ""
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !OF_THE_CONNECTION.has(name)),
    type,
    body: Buffer.from(await response.arrayBuffer()),
    isStreamed: type.startsWith(EVENTS) || type.startsWith(BINARY_EVENTS),
  }
}

/** Returns the frames of a streamed response. A response that is not streamed is a single frame. */
export function framesOf({ body, type, isStreamed }: SoundResponse): Buffer[] {
  if (!isStreamed) return [body]
  return type.startsWith(EVENTS) ? eventsIn(body) : binaryEventsIn(body)
}

function eventsIn(body: Buffer): Buffer[] {
  const frames: Buffer[] = []
  let from = 0
  for (let end = body.indexOf("\n\n"); end !== -1; end = body.indexOf("\n\n", from)) {
    frames.push(body.subarray(from, end + 2))
    from = end + 2
  }
  if (from < body.length) frames.push(body.subarray(from))
  return frames
}

/** Splits a body into frames. Each frame begins with its length (docs/contribute/wire/bedrock-converse.md). */
function binaryEventsIn(body: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let from = 0; from < body.length;) {
    const end = from + body.readUInt32BE(from)
    frames.push(body.subarray(from, end))
    from = end
  }
  return frames
}

/** How the end of a body is indicated. */
export type Framing = "length" | "chunked" | { readonly length: number }

/** Returns the status line and the headers, up to and including the empty line. */
export function headOf(
  response: SoundResponse,
  framing: Framing = response.isStreamed ? "chunked" : "length",
  more: Readonly<Record<string, string>> = {},
): string {
  const own = Object.entries(more)
  const replaced = new Set(own.map(([name]) => name))
  const kept = response.headers.filter(([name]) => !replaced.has(name))
  const length =
    framing === "chunked"
      ? (["transfer-encoding", "chunked"] as const)
      : ([
          "content-length",
          String(framing === "length" ? response.body.length : framing.length),
        ] as const)
  const lines = [...kept, ...own, length].map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${response.status} Whatever\r\n${lines.join("")}\r\n`
}

/** Returns bytes as one chunk of a chunked body. */
export function chunk(bytes: string | Buffer): Buffer {
  const body = Buffer.from(bytes as string)
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")])
}

export const LAST_CHUNK = "0\r\n\r\n"

/** Returns all bytes of a response. */
export function wholeOf(response: SoundResponse): Buffer {
  const { isStreamed, body } = response
  const framed = isStreamed
    ? Buffer.concat([...framesOf(response).map((frame) => chunk(frame)), Buffer.from(LAST_CHUNK)])
    : body
  return Buffer.concat([Buffer.from(headOf(response)), framed])
}
