import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { framesOf, message } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { nanocredits, onlyReceipt, readUntil } from "../support.ts"

/**
 * The responses in these tests end before their vendor has reported the number of searches, although the text uses the
 * results.
 */

type Json = Record<string, unknown>

const TEXT = "Owls eat mice END and more "
const SEARCHED = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }
const FOUND = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }

function anthropicFrames(): { early: string[]; late: string[] } {
  const whole = message([SEARCHED, FOUND], { server_tool_use: { web_search_requests: 1 } })
  Object.assign((whole["content"] as Json[]).at(-1) ?? {}, { text: TEXT })
  const frames = framesOf("/v1/messages", whole)
  return { early: frames.slice(0, -3), late: frames.slice(-3) }
}

function geminiFrames(): { early: string[]; late: string[] } {
  const frame = (candidate: Json): string => {
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 }
    return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata })}\n\n`
  }
  const content = { role: "model", parts: [{ text: TEXT }] }
  const groundingMetadata = { webSearchQueries: ["owls", "mice"] }
  return {
    early: [frame({ content })],
    late: [frame({ finishReason: "STOP", groundingMetadata })],
  }
}

/** Maximum time for which the gateway reads a response after its caller has disconnected. */
const DRAIN_LIMIT_MS = 500

let gateway: TestGateway
let vendor: ScriptedVendor
/** Resolving it lets the vendor finish. */
let gate: PromiseWithResolvers<void>

beforeAll(async () => {
  vendor = startVendor((request) => {
    const { early, late } = request.url.includes("/messages") ? anthropicFrames() : geminiFrames()
    return heldBack(early, late)
  })
  const bare = vendor.url.replace(/\/v1$/, "")
  const at = (id: string, model: string) =>
    simulated({ deployments: [{ provider: id, model, weight: 1 }] })
  gateway = await startGateway({
    providers: {
      anthropic: { ...provider(bare, "anthropic"), prices: { search: "10000" } },
      google: { ...provider(bare, "google"), prices: { search: "10000" } },
    },
    models: {
      "claude/m": at("anthropic", "claude-sonnet-4-5"),
      "gemini/m": at("google", "gemini-3-pro-preview"),
    },
    settings: { disconnectLimit: DRAIN_LIMIT_MS },
  })
})

afterAll(async () => {
  gate.resolve()
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

function heldBack(early: readonly string[], late: readonly string[]): Response {
  const encoder = new TextEncoder()
  let isOpen = true
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(encoder.encode(early.join("")))
      await gate.promise
      if (isOpen) controller.enqueue(encoder.encode(late.join("")))
      if (isOpen) controller.close()
    },
    cancel() {
      isOpen = false
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

const MESSAGES = [{ role: "user", content: "Owls?" }]
const SEARCH = { type: "web_search_20250305", name: "web_search" }
const ONE_SEARCH = 10_000_000n
/** More sequences than Gemini takes, and Claude takes none of them: the gateway searches for them. */
const STOPS = ["\n\n\n", "END", "five", "six", "seven", "eight"]

function bodyFor(path: string, model: string): Json {
  const common = { model, messages: MESSAGES, max_tokens: 50, stream: true }
  return path === "/v1/messages"
    ? { ...common, tools: [SEARCH] }
    : { ...common, web_search_options: {} }
}

const WAYS = [
  ["/v1/chat/completions", "gemini/m"],
  ["/v1/chat/completions", "claude/m"],
  ["/v1/messages", "gemini/m"],
  ["/v1/messages", "claude/m"],
] as const

describe.each(WAYS)("a search requested at %s of %s", (path, model) => {
  test("costs its price if the caller disconnects before the vendor reports the search", async () => {
    gate = Promise.withResolvers()
    const caller = await gateway.caller("1")
    const controller = new AbortController()
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
      body: JSON.stringify(bodyFor(path, model)),
      signal: controller.signal,
    })
    const reader = response.body?.getReader()
    if (!reader) throw new Error("no body")
    await readUntil(reader, (text) => text.includes("mice"))
    controller.abort()
    await expectPaid(caller)
  })

  test("costs its price if a stop sequence ends the response before the vendor reports the search", async () => {
    gate = Promise.withResolvers()
    const caller = await gateway.caller("1")
    const stop = path === "/v1/messages" ? { stop_sequences: STOPS } : { stop: STOPS.slice(0, 4) }
    const response = await caller.post(path, { ...bodyFor(path, model), ...stop })
    const isCut = path === "/v1/messages" || model === "claude/m"
    // Gemini accepts as many stop sequences as a chat may have, so its response is read to the end.
    if (!isCut) gate.resolve()
    expect(await response.text()).toContain("mice")
    await expectPaid(caller, isCut ? 1 : 2)
  })

  test("costs the price of the searches that the vendor counts if the response is complete", async () => {
    gate = Promise.withResolvers()
    gate.resolve()
    const caller = await gateway.caller("1")
    await (await caller.post(path, bodyFor(path, model))).text()
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ estimated: false })
    expect(receipt.usage?.["search"]).toBe(model === "claude/m" ? 1 : 2)
  })

  async function expectPaid(
    caller: Awaited<ReturnType<TestGateway["caller"]>>,
    searches = 1,
  ): Promise<void> {
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: searches === 1 })
    expect(receipt.usage?.["search"]).toBe(searches)
    expect(nanocredits(receipt.cost)).toBeGreaterThanOrEqual(BigInt(searches) * ONE_SEARCH)
  }
})
