import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { ProviderSettings } from "../../../src/config/settings.ts"
import { type GatewayOptions, provider, simulated, startGateway } from "../../support/gateway.ts"
import { equalLimits } from "../../support/settings.ts"
import {
  DONE,
  frame,
  startVendor,
  streamed,
  usageFrame,
  wholeResponse,
} from "../scripted-vendor.ts"
import { CHAT, creditsOf, errorOf, HELLO, onlyReceipt, receiptOf } from "../support.ts"
import { until } from "../../support/until.ts"
import { sampleRuns } from "../../support/exhaustive.ts"

/** More sequences than OpenAI takes, so that the relay searches for them. */
const STOP = ["a1", "b2", "c3", "d4", "STOP"]
const ASKED = { model: "vendor/model", messages: HELLO, stop: STOP }

function gatewayAt(url: string): GatewayOptions {
  return {
    providers: { vendor: provider(url) },
    models: { "vendor/model": simulated({ disconnect: "cancel" }) },
  }
}

interface Whole {
  readonly choices: readonly { message: { content: string }; finish_reason: string }[]
  readonly usage: { readonly completion_tokens: number; readonly prompt_tokens: number }
}

describe("whole responses that the relay ends", () => {
  test("have their call cancelled at the stop sequence, and are charged by the gateway's count", async () => {
    let isCancelled = false
    function* endless(): Generator<string | number> {
      yield frame("Hello ")
      yield frame("there ST")
      yield frame("OP and on")
      for (;;) yield 1
    }
    using vendor = startVendor(() =>
      streamed(endless(), "text/event-stream", () => {
        isCancelled = true
      }),
    )
    await using gateway = await startGateway(gatewayAt(vendor.url))
    const caller = await gateway.caller("1")
    const response = await caller.post(CHAT, ASKED)
    const told = (await response.json()) as Whole
    expect(told).toMatchObject({
      object: "chat.completion",
      model: "vendor/model",
      choices: [{ message: { content: "Hello there " }, finish_reason: "stop" }],
      usage: { completion_tokens: 5 },
    })
    expect(vendor.bodies[0]).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true, usage: { output: 5 } })
    expect(receipt.usage?.["input"]).toBe(told.usage.prompt_tokens)
    expect(receipt.attempts).toMatchObject([{ outcome: "ok" }])
    expect((await creditsOf(caller)).held).toBe("0")
    await until(() => isCancelled)
  })

  test("arrive promptly, even if the vendor does not close the connection", async () => {
    function* waiting(): Generator<string | number> {
      yield frame("Hello there") + frame("", "stop") + usageFrame(10, 2) + DONE
      for (;;) {
        yield 50
        yield ": still here\n\n"
      }
    }
    using vendor = startVendor(() => streamed(waiting()))
    await using gateway = await startGateway(gatewayAt(vendor.url))
    const caller = await gateway.caller("1")
    const response = await caller.post(CHAT, ASKED)
    const told = (await response.json()) as Whole
    expect(told.choices).toMatchObject([
      { message: { content: "Hello there" }, finish_reason: "stop" },
    ])
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", usage: { input: 10, output: 2 } })
    expect(receipt.attempts).toMatchObject([{ outcome: "ok" }])
  })

  test("report usage that arrives with the stop sequence", async () => {
    const end = frame("Hello STOP") + frame("", "stop") + usageFrame(10, 4) + DONE
    using vendor = startVendor(() => streamed([end]))
    await using gateway = await startGateway(gatewayAt(vendor.url))
    const caller = await gateway.caller("1")
    const told = (await (await caller.post(CHAT, ASKED)).json()) as Whole
    expect(told.choices).toMatchObject([{ message: { content: "Hello " }, finish_reason: "stop" }])
    expect(told.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 4 })
    const { estimated, usage } = await onlyReceipt(gateway, caller)
    expect({ estimated, usage }).toMatchObject({ estimated: false, usage: { output: 4 } })
  })

  test("use a call without streaming if the caller requests images", async () => {
    using vendor = startVendor(() => Response.json(wholeResponse("Hello STOP and on")))
    await using gateway = await startGateway(gatewayAt(vendor.url))
    const caller = await gateway.caller("1")
    const response = await caller.post(CHAT, { ...ASKED, modalities: ["text", "image"] })
    const told = (await response.json()) as Whole
    expect(told.choices).toMatchObject([{ message: { content: "Hello " }, finish_reason: "stop" }])
    expect(vendor.bodies[0]?.["stream"]).not.toBe(true)
  })

  test("use a call without streaming if the vendor rejects streaming", async () => {
    const rejection = {
      error: {
        message: "Your organization must be verified to stream this model.",
        type: "invalid_request_error",
        param: "stream",
        code: "unsupported_value",
      },
    }
    using vendor = startVendor((_request, number) =>
      number % 2 === 1
        ? Response.json(rejection, { status: 400 })
        : Response.json(wholeResponse("Hello STOP and on")),
    )
    await using gateway = await startGateway(gatewayAt(vendor.url))
    const caller = await gateway.caller("1")
    const response = await caller.post(CHAT, ASKED)
    const told = (await response.json()) as Whole
    expect(told.choices).toMatchObject([{ message: { content: "Hello " }, finish_reason: "stop" }])
    expect(vendor.bodies.map(({ stream }) => stream === true)).toEqual([true, false])
    expect(vendor.bodies[1]).not.toHaveProperty("stream_options")
    expect(await onlyReceipt(gateway, caller)).toMatchObject({
      status: "settled",
      usage: { input: 10, output: 1 },
      attempts: [{ status: 400, outcome: "upstream_error" }, { outcome: "ok" }],
    })
    const asked = await caller.post(CHAT, { ...ASKED, stream: true })
    expect([asked.status, vendor.bodies.length]).toEqual([502, 3])
  })

  const BROKEN: readonly [string, () => Response][] = [
    ["breaks off", () => streamed([frame("Hello STO")])],
    ["fails", () => streamed([frame("Hello STO"), 'data: {"error":{"message":"No."}}\n\n'])],
    ["is empty", () => streamed([DONE])],
    ["cannot be read", () => streamed([frame("Hello"), "data: {\n\n"])],
  ]
  for (const [what, answer] of BROKEN) {
    test(`count as a failed attempt without a charge if the response ${what} before the stop sequence`, async () => {
      let isBroken = true
      using vendor = startVendor((_request, number) => {
        isBroken = number !== 2
        const good = frame("Good STOP") + frame("", "stop") + usageFrame(10, 2) + DONE
        return isBroken ? answer() : streamed([good])
      })
      const deployments = [
        { provider: "vendor", model: "one", weight: 1 },
        { provider: "vendor", model: "two", weight: 0 },
      ]
      const models = { "vendor/model": simulated({ deployments }) }
      await using gateway = await startGateway({ ...gatewayAt(vendor.url), models })
      const caller = await gateway.caller("1")
      const response = await caller.post(CHAT, ASKED)
      expect(((await response.json()) as Whole).choices[0]?.message.content).toBe("Good ")
      expect(await receiptOf(caller, response)).toMatchObject({
        usage: { input: 10, output: 2 },
        attempts: [{ outcome: "upstream_error" }, { outcome: "ok" }],
      })
      const failed = await caller.post(CHAT, ASKED)
      expect(failed.status).toBe(502)
      expect((await receiptOf(caller, failed)).status).toBe("released")
    })
  }

  test("have the same maximum size as all other whole responses", async () => {
    const chunk = frame("x".repeat(100_000))
    using vendor = startVendor(() => streamed(Array.from({ length: 100 }, () => chunk)))
    await using gateway = await startGateway({
      ...gatewayAt(vendor.url),
      settings: { limits: equalLimits(1 << 20) },
    })
    const caller = await gateway.caller("1000")
    const response = await caller.post(CHAT, ASKED)
    expect(response.status).toBe(502)
    expect((await errorOf(response)).message).toContain("more than 1 MB")
    const receipt = await onlyReceipt(gateway, caller)
    expect(receipt).toMatchObject({ status: "settled", estimated: true })
    expect(receipt.usage?.["output"]).toBeGreaterThan(0)
  })
})

/**
 * Members that are not compared. Ids and times differ between responses. Only responses of OpenAI that are not streamed
 * have empty annotations. In a stream, Gemini's signature comes after the text.
 */
const DIFFERENT: ReadonlySet<string> = new Set([
  "id",
  "created",
  "annotations",
  "reasoning_details",
])

function comparable(body: object): unknown {
  const text = JSON.stringify(body, (name, value: unknown) => {
    return DIFFERENT.has(name) ? undefined : value
  })
  return JSON.parse(text)
}

test("a response that reaches no limit is the same as a response without limits", async () => {
  const rest = { apiKey: "key", headers: {}, knownModels: false, origin: "file" } as const
  await using gateway = await startGateway({
    providersAt: (url): Record<string, ProviderSettings> => ({
      claude: { vendor: "anthropic", baseUrl: url, ...rest },
      google: { vendor: "google", baseUrl: url, ...rest },
      cohere: { vendor: "cohere", baseUrl: url, ...rest },
    }),
    models: {
      "sim/echo": simulated(),
      "sim/responses": simulated({ dialects: ["openai-responses"] }),
      "claude/claude-sonnet-4-5": simulated(),
      "google/gemini-2.5-flash": simulated(),
      "cohere/command-a-03-2025": simulated(),
    },
  })
  const caller = await gateway.caller("10")
  const models = [
    "sim/echo",
    "sim/responses",
    "claude/claude-sonnet-4-5",
    "google/gemini-2.5-flash",
    "cohere/command-a-03-2025",
  ]
  const parameters = { type: "object", properties: { place: { type: "string" } } }
  const tool = { type: "function", function: { name: "weather", parameters } }
  const asked = [
    { messages: HELLO },
    { messages: HELLO, n: 3 },
    { messages: [{ role: "user", content: "Call weather." }], tools: [tool] },
    { messages: HELLO, reasoning_effort: "high", max_completion_tokens: 4_000 },
    { messages: HELLO, response_format: { type: "json_object" } },
  ]
  const never = ["never 1", "\n\n\n", "never 2", "never 3", "never 4", "never 5"]
  for (const model of models) {
    for (const body of asked) {
      const plain = await caller.post(CHAT, { model, ...body })
      const limited = await caller.post(CHAT, { model, ...body, stop: never })
      const name = `${model} ${JSON.stringify(body).slice(0, 80)}`
      const [one, other] = [await plain.json(), await limited.json()]
      expect([name, comparable(other as object)]).toEqual([name, comparable(one as object)])
      expect(limited.headers.get("x-tollgate-losses")).toBe(plain.headers.get("x-tollgate-losses"))
    }
  }
})

test("whole and streamed responses have the same end and the same cost for any split into frames", async () => {
  const LETTERS = ["a", "b", "S", "T", "O", "P", "😀"]
  let chunks: string[] = []
  using vendor = startVendor(() => streamed(chunks))
  await using gateway = await startGateway(gatewayAt(vendor.url))
  const caller = await gateway.caller("1000")
  const texts = fc.array(
    fc.oneof(
      fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 6 }),
      fc.constant("STOP"),
    ),
    { minLength: 1, maxLength: 6 },
  )
  const merges = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(texts, merges, fc.boolean(), async (said, merged, isStreamed) => {
      const frames = [...said.map((text) => frame(text)), frame("", "stop"), usageFrame(10, 50)]
      chunks = [""]
      for (const [index, one] of [...frames, DONE].entries()) {
        if (merged[index] === true) chunks.push(chunks.pop() + one)
        else chunks.push(one)
      }
      chunks = chunks.filter((chunk) => chunk !== "")
      const text = said.join("")
      const found = STOP.map((stop) => [text.indexOf(stop), stop] as const)
        .filter(([place]) => place >= 0)
        .toSorted(([one], [other]) => one - other)[0]
      const response = await caller.post("/v1/messages", {
        model: "vendor/model",
        messages: HELLO,
        stop_sequences: STOP,
        max_tokens: 100,
        stream: isStreamed,
      })
      const answer = await response.text()
      const told = isStreamed ? fromStream(answer) : fromWhole(answer)
      expect(told).toEqual({
        text: found === undefined ? text : text.slice(0, found[0]),
        reason: found === undefined ? "end_turn" : "stop_sequence",
        sequence: found?.[1] ?? null,
      })
      const { status, usage } = await receiptOf(caller, response)
      expect(status).toBe("settled")
      expect(usage?.["output"]).toBeGreaterThan(0)
      expect(usage?.["output"]).toBeLessThanOrEqual(50)
    }),
    { numRuns: sampleRuns(60) },
  )
})

interface Ended {
  readonly text: string
  readonly reason: unknown
  readonly sequence: unknown
}

function fromWhole(answer: string): Ended {
  const {
    content,
    stop_reason: reason,
    stop_sequence: sequence,
  } = JSON.parse(answer) as {
    content: { text: string }[]
    stop_reason: string
    stop_sequence: string | null
  }
  return { text: content.map((block) => block.text).join(""), reason, sequence }
}

function fromStream(answer: string): Ended {
  const frames = answer
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)) as { delta?: Record<string, unknown> })
  const last = frames.findLast(({ delta }) => delta?.["stop_reason"] !== undefined)?.delta
  const text = frames.map(({ delta }) => String(delta?.["text"] ?? "")).join("")
  return { text, reason: last?.["stop_reason"], sequence: last?.["stop_sequence"] }
}
