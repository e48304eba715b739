const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
/** The white space of JSON: space, tab, line feed and carriage return. */
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Adds a model as the first member of a request's JSON body. If the body already names a model, the model in the body
 * takes precedence because it comes later.
 * @param url URL of the new request.
 */
export function withModel(request: Request, url: string, model: string): Request {
  const { method, signal } = request
  const headers = new Headers(request.headers)
  headers.delete("content-length")
  const body = request.body?.pipeThrough(memberFirst(`"model":${JSON.stringify(model)}`)) ?? null
  return new Request(url, { method, headers, body, signal })
}

function memberFirst(member: string): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder()
  let place: "before" | "opened" | "behind" = "before"
  return new TransformStream({
    transform(chunk: Uint8Array, controller) {
      let rest = chunk
      while (place !== "behind") {
        const start = rest.findIndex((byte) => !WHITE_SPACE.has(byte))
        if (start === -1) return
        rest = rest.subarray(start)
        if (place === "before" && rest[0] === OPENING_BRACE) {
          place = "opened"
          controller.enqueue(encoder.encode(`{${member}`))
          rest = rest.subarray(1)
          continue
        }
        if (place === "opened" && rest[0] !== CLOSING_BRACE) controller.enqueue(encoder.encode(","))
        place = "behind"
      }
      controller.enqueue(rest)
    },
  })
}
