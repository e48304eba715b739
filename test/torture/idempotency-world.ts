/** Processes that share a ledger, and callers that send requests with an idempotency key. */
import { databaseOf } from "../../src/store/installation-database.ts"
import { DONE, frame, startVendor, usageFrame } from "../relay/scripted-vendor.ts"
import { CHAT, HELLO } from "../relay/support.ts"
import { type Installation, runJson, type ServingProcess } from "../support/process.ts"
import { until } from "../support/until.ts"

export function yamlFor(vendorUrl: string): string {
  return `
server: { host: 127.0.0.1, port: 0 }
providers:
  own: { vendor: openai-compatible, api_key: upstream, base_url: "${vendorUrl}" }
models:
  own/x: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`
}

export async function newKey(
  installation: Installation,
): Promise<{ key: string; account: string }> {
  const { id } = await runJson<{ id: string }>(
    installation,
    "account",
    "create",
    "caller",
    "--credits",
    "100",
  )
  const { key } = await runJson<{ key: string }>(
    installation,
    "key",
    "create",
    "--account",
    "caller",
  )
  return { key, account: id }
}

export interface Order {
  readonly key: string
  readonly idempotencyKey: string
  readonly model?: string
  readonly stream?: boolean
  readonly signal?: AbortSignal
}

export function send({ url }: ServingProcess, order: Order): Promise<Response> {
  const { model = "own/x", stream = false } = order
  return fetch(url + CHAT, {
    method: "POST",
    headers: {
      authorization: `Bearer ${order.key}`,
      "content-type": "application/json",
      "idempotency-key": order.idempotencyKey,
    },
    body: JSON.stringify({ model, messages: HELLO, stream }),
    keepalive: false,
    ...(order.signal && { signal: order.signal }),
  })
}

export async function chargesOf(installation: Installation, account: string): Promise<string[]> {
  await using store = await databaseOf(installation).openStore()
  const entries = await store.entries.list(account, 0, 100_000)
  return entries.filter(({ kind }) => kind === "charge").map(({ request }) => request ?? "")
}

/** Waits until a living process has checked the given number of times which processes are dead. */
export async function beatsOfOthers(installation: Installation, times: number): Promise<void> {
  await using store = await databaseOf(installation).openStore()
  const latest = async (): Promise<number> =>
    Math.max(...(await store.nodes.list()).map(({ beatAt }) => beatAt))
  for (let time = 0; time < times; time++) {
    const before = await latest()
    await until(async () => (await latest()) > before)
  }
}

/** Returns a stream that sends a word, and sends the rest when the test allows it. */
export function startPausing() {
  const gates: PromiseWithResolvers<void>[] = []
  const encoder = new TextEncoder()
  const vendor = startVendor(() => {
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(encoder.encode(frame("one ")))
        await gate.promise
        controller.enqueue(
          encoder.encode(frame("two") + frame("", "stop") + usageFrame(10, 2) + DONE),
        )
        controller.close()
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  return { vendor, gates }
}

/** Reads a response until a text has arrived. */
export async function readPast(response: Response, wanted: string) {
  const reader = response.body?.getReader()
  if (!reader) throw new Error("no body")
  let text = ""
  const next = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    if (value) text += Buffer.from(value).toString()
    return !done
  }
  while (!text.includes(wanted)) await next()
  return {
    text: () => text,
    async rest() {
      while (await next());
      return text
    },
    leave: () => reader.cancel(),
  }
}
