import { expect, test } from "bun:test"
import { type GatewayOptions, provider, simulated, startGateway } from "../../support/gateway.ts"
import { DONE, frame, startVendor, streamed, usageFrame } from "../scripted-vendor.ts"
import { CHAT, contentOf, creditsOf, dataOf, HELLO, onlyReceipt } from "../support.ts"
import { until } from "../../support/until.ts"

/** More sequences than OpenAI takes, so that the relay searches for them. */
const STOP = ["a1", "b2", "c3", "d4", "STOP"]

function gatewayAt(url: string, vendor = "openai-compatible"): GatewayOptions {
  return {
    providers: { vendor: provider(url, vendor) },
    models: { "vendor/model": simulated() },
  }
}

function chunk(choices: readonly object[]): string {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "x" }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}

test("a call is cancelled at a stop sequence, and the gateway charges by its own count of the delivered text", async () => {
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
  const response = await caller.post(CHAT, {
    model: "vendor/model",
    messages: HELLO,
    stop: STOP,
    stream: true,
    stream_options: { include_usage: true },
  })
  const text = await response.text()
  expect(contentOf(text)).toBe("Hello there ")
  expect(text).toContain('"finish_reason":"stop"')
  expect(text).toEndWith(DONE)
  expect(vendor.bodies[0]).toMatchObject({ stop: STOP.slice(0, 4) })

  const receipt = await onlyReceipt(gateway, caller)
  expect(receipt).toMatchObject({ status: "settled", estimated: true })
  expect(receipt.attempts).toMatchObject([{ outcome: "ok" }])
  // The vendor's output so far is charged, including the sequence and the rest of its frame.
  expect(receipt.usage).toMatchObject({ output: 5 })
  const { usage } = JSON.parse(dataOf(text).at(-2) ?? "{}") as { usage: object }
  expect(usage).toMatchObject({ completion_tokens: 5, prompt_tokens: receipt.usage?.["input"] })
  expect((await creditsOf(caller)).held).toBe("0")
  await until(() => isCancelled)
})

/** The endpoints that accept stop sequences, with a pattern for the output tokens in their last frames. */
const CALLER_FORMATS: Readonly<Record<string, readonly [body: object, told: RegExp]>> = {
  [CHAT]: [
    { messages: HELLO, stop: STOP, stream_options: { include_usage: true } },
    /"prompt_tokens":10,"completion_tokens":4\b/,
  ],
  "/v1/messages": [
    { messages: HELLO, stop_sequences: STOP, max_tokens: 100 },
    /"type":"message_delta".*"output_tokens":4\b/,
  ],
  "/v1beta/models/vendor/model:streamGenerateContent?alt=sse": [
    {
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { stopSequences: STOP },
    },
    /"promptTokenCount":10,"candidatesTokenCount":4\b/,
  ],
}

for (const [path, [body, told]] of Object.entries(CALLER_FORMATS)) {
  test(`usage after the stop sequence in the same chunk is reported at ${path}`, async () => {
    const end = frame("Hello STOP") + frame("", "stop") + usageFrame(10, 4) + DONE
    using vendor = startVendor(() => streamed([end]))
    await using gateway = await startGateway(gatewayAt(vendor.url))
    const caller = await gateway.caller("1")
    const isGoogle = path.startsWith("/v1beta")
    const asked = isGoogle ? body : { ...body, model: "vendor/model", stream: true }
    const text = await (await caller.post(path, asked)).text()
    expect(text).toContain("Hello ")
    expect(text).toMatch(told)
  })
}

test("usage in the same frame as a stop sequence is charged", async () => {
  const end = frame("Hello STOP") + frame("", "stop") + usageFrame(10, 4) + DONE
  using vendor = startVendor(() => streamed([end]))
  await using gateway = await startGateway(gatewayAt(vendor.url))
  const caller = await gateway.caller("1")
  const body = { model: "vendor/model", messages: HELLO, stop: STOP, stream: true }
  expect(contentOf(await (await caller.post(CHAT, body)).text())).toBe("Hello ")
  const { estimated, usage } = await onlyReceipt(gateway, caller)
  expect({ estimated, usage }).toMatchObject({ estimated: false, usage: { input: 10, output: 4 } })
})

test("a call that is read to its end is charged by its usage, including hidden reasoning", async () => {
  const chunks = [frame("Hello STOP"), frame(" and on"), frame("", "stop"), usageFrame(10, 400)]
  for (const last of [DONE, "", 'data: {"error":{"message":"Too late."}}\n\n']) {
    using vendor = startVendor(() => streamed([...chunks, last]))
    const models = { "vendor/model": simulated({ disconnect: "drain" }) }
    await using gateway = await startGateway({ ...gatewayAt(vendor.url), models })
    const caller = await gateway.caller("1")
    const body = { model: "vendor/model", messages: HELLO, stop: STOP, stream: true }
    const text = await (await caller.post(CHAT, body)).text()
    expect(contentOf(text)).toBe("Hello ")
    expect(text).toEndWith(DONE)
    const { estimated, usage } = await onlyReceipt(gateway, caller)
    expect({ estimated, usage }).toMatchObject({ estimated: false, usage: { output: 400 } })
  }
})

test("a call that takes too long is cancelled, and the gateway charges by its own count of the delivered text", async () => {
  const hasGone = Promise.withResolvers<void>()
  function* endless(): Generator<string | number> {
    yield frame("Hello STOP")
    for (;;) {
      yield 10
      yield frame(" and on")
    }
  }
  using vendor = startVendor(() => streamed(endless(), "text/event-stream", hasGone.resolve))
  const models = { "vendor/model": simulated({ disconnect: "drain" }) }
  const settings = { disconnectLimit: 200 }
  await using gateway = await startGateway({ ...gatewayAt(vendor.url), models, settings })
  const caller = await gateway.caller("1")
  const body = { model: "vendor/model", messages: HELLO, stop: STOP, stream: true }
  const text = await (await caller.post(CHAT, body)).text()
  expect(contentOf(text)).toBe("Hello ")
  expect(text).toEndWith(DONE)
  const receipt = await onlyReceipt(gateway, caller)
  expect(receipt).toMatchObject({ status: "settled", estimated: true })
  expect(receipt.attempts).toMatchObject([{ outcome: "ok" }])
  await hasGone.promise
})

test("a call is read to its end while another choice is still being written", async () => {
  const said = (index: number, content: string, finish: string | null = null) => ({
    index,
    delta: { content },
    finish_reason: finish,
  })
  const chunks = [
    chunk([said(0, "one STOP two"), said(1, "uno ")]),
    chunk([said(0, " three"), said(1, "dos")]),
    chunk([said(0, "", "length"), said(1, "", "stop")]),
    usageFrame(10, 8) + DONE,
  ]
  using vendor = startVendor(() => streamed(chunks))
  await using gateway = await startGateway(gatewayAt(vendor.url, "vllm"))
  const caller = await gateway.caller("1")
  const body = { model: "vendor/model", messages: HELLO, stop: STOP, stream: true, n: 2 }
  const text = await (await caller.post(CHAT, body)).text()
  const choices = dataOf(text)
    .filter((data) => data !== "[DONE]")
    .flatMap((data) => (JSON.parse(data) as { choices: ReturnType<typeof said>[] }).choices)
  const told = [0, 1].map((index) => {
    const own = choices.filter((choice) => choice.index === index)
    return [
      own.map(({ delta }) => delta.content ?? "").join(""),
      own.flatMap(({ finish_reason: reason }) => reason ?? []),
    ]
  })
  expect(told).toEqual([
    ["one ", ["stop"]],
    ["uno dos", ["stop"]],
  ])
  const { estimated, usage } = await onlyReceipt(gateway, caller)
  expect({ estimated, usage }).toMatchObject({ estimated: false, usage: { input: 10, output: 8 } })
})

test("text that was held back is sent when the vendor disconnects", async () => {
  using vendor = startVendor(() => streamed([frame("Hello STO")]))
  await using gateway = await startGateway(gatewayAt(vendor.url))
  const caller = await gateway.caller("1")
  const body = { model: "vendor/model", messages: HELLO, stop: STOP, stream: true }
  const text = await (await caller.post(CHAT, body)).text()
  const said = text.slice(0, text.indexOf('data: {"error"'))
  expect(contentOf(said)).toBe("Hello STO")
  expect(text).not.toContain("[DONE]")
})

test("a whole response is cut at a stop sequence, but charged by the vendor's count", async () => {
  const response = {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "x",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Hello STOP and on" },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }
  using vendor = startVendor(() => Response.json(response))
  await using gateway = await startGateway(gatewayAt(vendor.url))
  const caller = await gateway.caller("1")
  const body = { model: "vendor/model", messages: HELLO, stop: STOP }
  const told = (await (await caller.post(CHAT, body)).json()) as typeof response
  expect(told.choices).toMatchObject([{ message: { content: "Hello " }, finish_reason: "stop" }])
  expect(told.usage).toMatchObject({ completion_tokens: 5 })
  expect(await onlyReceipt(gateway, caller)).toMatchObject({ usage: { input: 10, output: 5 } })
})

test("a request within the vendor's limits passes unchanged in both directions", async () => {
  const whole = frame("Hello STOP") + frame("", "stop") + usageFrame(10, 4) + DONE
  using vendor = startVendor(() => streamed([whole]))
  await using gateway = await startGateway(gatewayAt(vendor.url, "vllm"))
  const caller = await gateway.caller("1")
  const body = { model: "vendor/model", messages: HELLO, stop: ["STOP"], stream: true, odd: 1 }
  expect(contentOf(await (await caller.post(CHAT, body)).text())).toBe("Hello STOP")
  expect(vendor.bodies[0]).toMatchObject({ stop: ["STOP"], odd: 1 })
})

test("the hold covers the minimum output limit of Responses models", async () => {
  await using gateway = await startGateway({
    models: { "sim/model": simulated({ dialects: ["openai-responses"] }), "sim/echo": simulated() },
  })
  const caller = await gateway.caller("1")
  const holdOf = async (model: string, max: number) => {
    const body = { model, messages: HELLO, max_tokens: max }
    const response = await caller.post(CHAT, body)
    const { hold } = (await (
      await caller.get(`/v1/receipts/${response.headers.get("x-request-id")}`)
    ).json()) as { hold: string }
    return hold
  }
  const length = (model: string) =>
    JSON.stringify({ model, messages: HELLO, max_tokens: 10 }).length
  expect(length("sim/model")).toBe(length("sim/echo") + 1)
  // An input token costs a millionth of a credit, and an output token two millionths.
  const more = Number(await holdOf("sim/model", 10)) - Number(await holdOf("sim/echo", 10))
  expect(Math.round(more * 1e6)).toBe(1 + 2 * (16 - 10))
})
