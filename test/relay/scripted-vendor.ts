/** A vendor whose responses the test sets, for behavior that the simulator does not have. */
export interface ScriptedVendor extends Disposable {
  /** The address, which ends in `/v1`. */
  readonly url: string
  /** Bodies of the requests, oldest first. */
  readonly bodies: Record<string, unknown>[]
}

export type Handler = (request: Request, number: number) => Response | Promise<Response>

export function startVendor(response: Handler): ScriptedVendor {
  const bodies: Record<string, unknown>[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      bodies.push((await request.json()) as Record<string, unknown>)
      return response(request, bodies.length)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    bodies,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** Returns a stream that sends a word immediately and ends when the promise resolves. */
export function helloUntil(end: Promise<unknown>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encoder.encode(frame("Hello")))
      await end
      controller.enqueue(encoder.encode(frame("", "stop") + usageFrame(10, 1) + DONE))
      controller.close()
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

/** Returns a frame of a stream with a text. If a finish reason is given, the frame ends the choice. */
export function frame(content: string, finish: string | null = null): string {
  const choice = { index: 0, delta: { content }, finish_reason: finish }
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "x", choices: [choice] })}\n\n`
}

/** Returns the frame without choices that reports the usage. */
export function usageFrame(input: number, output: number): string {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "x", choices: [], usage })}\n\n`
}

export const DONE = "data: [DONE]\n\n"
export const WHOLE_STREAM = frame("Hello") + frame("", "stop") + usageFrame(10, 1) + DONE

/** Returns a response that is not streamed. */
export function wholeResponse(content = "Hello"): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "x",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
  }
}

/** Returns a streamed response with the chunks that the generator yields. Numbers are pauses in milliseconds. */
export function streamed(
  steps: Iterable<string | number>,
  type = "text/event-stream",
  onCancel: () => void = () => {},
): Response {
  const encoder = new TextEncoder()
  const iterator = steps[Symbol.iterator]()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      let step = iterator.next()
      while (!step.done && typeof step.value === "number") {
        await Bun.sleep(step.value)
        step = iterator.next()
      }
      if (step.done) controller.close()
      else controller.enqueue(encoder.encode(step.value as string))
    },
    cancel: onCancel,
  })
  return new Response(body, { headers: { "content-type": type } })
}

/** Yields the same step repeatedly, with pauses between the steps. */
export function* repeated(step: string, times: number, pause: number): Generator<string | number> {
  for (let count = 0; count < times; count++) {
    yield step
    yield pause
  }
}
