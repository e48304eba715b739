/**
 * The bare proxy does the minimum that a gateway must do: it parses a request, renames the model and forwards the
 * request. With `pipe` as the third argument, it forwards the body of a stream without parsing it.
 */
const [port, upstream, mode] = process.argv.slice(2)
const JSON_HEADERS = { "content-type": "application/json" }
const STREAM_HEADERS = { "content-type": "text/event-stream" }

async function proxy(request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response("ready")
  const body = (await request.json()) as { model: string; stream?: boolean }
  const { model } = body
  body.model = model.slice(model.indexOf("/") + 1)
  const authorization = "Bearer upstream"
  const path = request.url.slice(request.url.indexOf("/v1/") + "/v1".length)
  const response = await fetch(upstream + path, {
    method: "POST",
    headers: { ...JSON_HEADERS, authorization },
    body: JSON.stringify(body),
  })
  if (body.stream === true && response.body !== null) {
    const stream = mode === "pipe" ? response.body : renamed(response.body, model)
    return new Response(stream, { headers: STREAM_HEADERS })
  }
  const result = (await response.json()) as { model: string }
  result.model = model
  return new Response(JSON.stringify(result), { status: response.status, headers: JSON_HEADERS })
}

function renamed(body: ReadableStream<Uint8Array>, model: string): ReadableStream {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  return new ReadableStream({
    type: "direct",
    async pull(controller) {
      let rest = ""
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const frames = (rest + decoder.decode(read.value, { stream: true })).split("\n\n")
        rest = frames.pop() ?? ""
        for (const frame of frames) await controller.write(rename(frame, model))
        await controller.flush()
      }
      controller.close()
    },
    cancel: () => reader.cancel(),
  })
}

function rename(frame: string, model: string): string {
  if (!frame.startsWith("data: {")) return `${frame}\n\n`
  const data = JSON.parse(frame.slice("data: ".length)) as { model: string }
  data.model = model
  return `data: ${JSON.stringify(data)}\n\n`
}

Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  idleTimeout: 0,
  development: false,
  fetch: proxy,
})
