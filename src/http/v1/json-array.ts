import { SseParser } from "../../wire/sse.ts"

const encoder = new TextEncoder()
/** White space between elements, which keeps the stream alive. */
const STILL_ALIVE = encoder.encode("\n")

/**
 * Whether a caller of `streamGenerateContent` requests server-sent events. Otherwise the response is one long array.
 */
export function wantsEvents(url: string): boolean {
  const { searchParams } = new URL(url)
  const form = searchParams.get("alt") ?? searchParams.get("$alt")
  return form?.toLowerCase() === "sse"
}

/** Converts an event stream to a JSON array, chunk by chunk. Other responses are returned unchanged. */
export function asJsonArray(response: Response): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
  if (!isStream || response.body === null) return response
  const headers = new Headers(response.headers)
  headers.set("content-type", "application/json; charset=utf-8")
  return new Response(new ReadableStream(new ArraySource(response.body.getReader())), { headers })
}

/** The methods of a stream reader that are used here. */
type Chunks = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">

class ArraySource {
  readonly #events: Chunks
  readonly #parser = new SseParser()
  #hasStarted = false

  constructor(events: Chunks) {
    this.#events = events
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { value, done } = await this.#events.read()
    if (done) {
      controller.enqueue(encoder.encode(this.#hasStarted ? "]" : "[]"))
      controller.close()
      return
    }
    const elements = this.#parser.push(value).map(({ data }) => this.#element(data))
    controller.enqueue(elements.length === 0 ? STILL_ALIVE : encoder.encode(elements.join("")))
  }

  cancel(reason: unknown): Promise<void> {
    return this.#events.cancel(reason)
  }

  #element(data: string): string {
    const before = this.#hasStarted ? ",\r\n" : "["
    this.#hasStarted = true
    return before + data
  }
}
