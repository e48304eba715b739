const OPENING_BRACE = 0x7b
/** Space, tab, line feed, carriage return. */
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * The same request with a model as the first member of its JSON body: what the body says itself comes later and counts.
 * @param url where it goes.
 */
export function withModel(request: Request, url: string, model: string): Request {
  const { method, signal } = request
  const headers = new Headers(request.headers)
  headers.delete("content-length")
  const body = request.body?.pipeThrough(memberFirst(`{"model":${JSON.stringify(model)},`)) ?? null
  return new Request(url, { method, headers, body, signal })
}

function memberFirst(opening: string): TransformStream<Uint8Array, Uint8Array> {
  let isBegun = false
  return new TransformStream({
    transform(piece: Uint8Array, controller) {
      const start = isBegun ? 0 : piece.findIndex((byte) => !WHITE_SPACE.has(byte))
      if (start === -1) return
      const isObject = !isBegun && piece[start] === OPENING_BRACE
      isBegun = true
      if (isObject) controller.enqueue(new TextEncoder().encode(opening))
      controller.enqueue(isObject ? piece.subarray(start + 1) : piece)
    },
  })
}
