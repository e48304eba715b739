import type { JsonObject } from "../../src/canon/json.ts"

/** One server-sent event. */
export interface StreamEvent {
  readonly event: string | undefined
  readonly data: string
}

/** Returns all events of a stream, parsed as the standard specifies. Comments are omitted. */
export function eventsOf(text: string): StreamEvent[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((block) => {
      const lines = block.split(/\r?\n/)
      const valuesOf = (field: string): string[] =>
        lines
          .filter((line) => line.startsWith(`${field}:`))
          .map((line) => line.slice(field.length + 1).replace(/^ /, ""))
      return { event: valuesOf("event")[0], data: valuesOf("data").join("\n") }
    })
    .filter(({ data }) => data !== "")
}

/** A stream as a caller received it. */
export interface ReceivedStream {
  readonly status: number
  readonly headers: Headers
  readonly requestId: string
  readonly chunks: readonly JsonObject[]
  readonly error: JsonObject | undefined
  /** Whether the stream ended with `[DONE]`. */
  readonly isDone: boolean
}

/** Reads the gateway's stream to its end. */
export async function readStream(response: Response): Promise<ReceivedStream> {
  const events = eventsOf(await response.text())
  const isDone = events.at(-1)?.data === "[DONE]"
  const bodies = (isDone ? events.slice(0, -1) : events).map(
    ({ data }) => JSON.parse(data) as JsonObject,
  )
  const last = bodies.at(-1)
  const error = last?.error ? (last.error as JsonObject) : undefined
  return {
    status: response.status,
    headers: response.headers,
    requestId: response.headers.get("x-request-id") ?? "",
    chunks: error ? bodies.slice(0, -1) : bodies,
    error,
    isDone,
  }
}
