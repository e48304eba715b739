/**
 * A separate process, started by `load.ts`. It acts as the provider and sends large bodies, so that the measured time
 * and memory belong only to the gateway.
 */
import { brotliCompressSync, constants } from "node:zlib"
import { type LargeBody, largeText } from "./large-body.ts"

/** The request to send. */
export interface LoadOrder {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: LargeBody
  readonly isPacked: boolean
  /** Number of concurrent requests. */
  readonly times: number
}

const CHAT = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}

const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    for await (const _ of request.body ?? []) continue
    return Response.json(CHAT)
  },
})

/** Compressed bodies, which are small, by their description. */
const packed = new Map<string, Uint8Array<ArrayBuffer>>()

function bytesOf({ body, isPacked }: LoadOrder): Uint8Array<ArrayBuffer> {
  if (!isPacked) return new Uint8Array(Buffer.from(largeText(body)))
  const name = JSON.stringify(body)
  const known = packed.get(name)
  if (known !== undefined) return known
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 }
  const bytes = new Uint8Array(brotliCompressSync(Buffer.from(largeText(body)), { params }))
  packed.set(name, bytes)
  return bytes
}

async function answered(
  { url, headers }: LoadOrder,
  body: Uint8Array<ArrayBuffer>,
): Promise<string> {
  try {
    const response = await fetch(url, { method: "POST", headers, body })
    return `${response.status} ${(await response.text()).slice(0, 300)}`
  } catch (error) {
    return String(error)
  }
}

let prepared: { readonly order: LoadOrder; readonly body: Uint8Array<ArrayBuffer> } | undefined

process.on("message", (message: LoadOrder | "send") => {
  if (message !== "send") {
    prepared = { order: message, body: bytesOf(message) }
    return process.send?.("prepared")
  }
  const { order, body } = prepared ?? {}
  if (order === undefined || body === undefined) return
  const sent = Array.from({ length: order.times }, () => answered(order, body))
  void Promise.all(sent).then((responses) => process.send?.(responses))
})

process.send?.(provider.port)
