import { expect, test } from "bun:test"
import { echoBody, framesOf, lastRequest, post, readUntilEnd, withSimulator } from "./support.ts"

interface Frame {
  choices: {
    index: number
    delta: { role?: string; content?: string }
    finish_reason: string | null
  }[]
  usage?: object | null
}

async function framesFor(more: Record<string, unknown>, text = "one two six") {
  await using simulator = withSimulator()
  const response = await post(simulator, echoBody(text, { stream: true, ...more }))
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  const raw = await response.text()
  return { raw, frames: framesOf(raw) as unknown as Frame[] }
}

test("the simulator streams the role, one frame per token, the finish reason and the end mark", async () => {
  const { raw, frames } = await framesFor({})
  expect(frames.map((frame) => frame.choices[0]?.delta)).toEqual([
    { role: "assistant", content: "", refusal: null } as never,
    { content: "one" },
    { content: " two" },
    { content: " six" },
    {},
  ])
  expect(frames.map((frame) => frame.choices[0]?.finish_reason)).toEqual([
    null,
    null,
    null,
    null,
    "stop",
  ])
  expect(raw.endsWith("\n\ndata: [DONE]\n\n")).toBe(true)
})

test("the simulator reports no usage unless requested", async () => {
  const { frames } = await framesFor({})
  for (const frame of frames) expect(frame).not.toHaveProperty("usage")
})

test("include_usage adds usage to each simulated frame, with null in all frames but the last", async () => {
  const { frames } = await framesFor({ stream_options: { include_usage: true } })
  const last = frames.at(-1)!
  for (const frame of frames.slice(0, -1)) expect(frame.usage).toBeNull()
  expect(last.choices).toEqual([])
  expect(last.usage).toMatchObject({ completion_tokens: 3 })
})

test("the simulator pads stream frames unless the request turns obfuscation off", async () => {
  const padded = await framesFor({})
  expect(padded.frames.every((frame) => "obfuscation" in frame)).toBe(true)
  const bare = await framesFor({ stream_options: { include_obfuscation: false } })
  expect(bare.raw).not.toContain("obfuscation")
})

test("all frames of a simulated stream have the same id, time and model", async () => {
  const { frames } = await framesFor({})
  const heads = frames.map((frame) => {
    const { id, created, model, object } = frame as unknown as Record<string, unknown>
    return JSON.stringify({ id, created, model, object })
  })
  expect(new Set(heads).size).toBe(1)
})

test("the simulator streams choices one after another", async () => {
  const { frames } = await framesFor({ n: 2 }, "one two")
  const tokens = frames.flatMap((frame) => frame.choices).filter((choice) => choice.delta.content)
  expect(tokens.slice(0, 4).map((choice) => choice.index)).toEqual([0, 1, 0, 1])
  const textOf = (index: number) =>
    tokens
      .filter((choice) => choice.index === index)
      .map((choice) => choice.delta.content)
      .join("")
  expect([textOf(0), textOf(1)]).toEqual(["one two", "one two (1)"])
  const ends = frames.flatMap((frame) => frame.choices).filter((choice) => choice.finish_reason)
  expect(ends.map((choice) => choice.index).toSorted()).toEqual([0, 1])
})

test("the client's stream helper collects text, choices and usage from the simulator", async () => {
  await using simulator = withSimulator()
  const stream = simulator.client.chat.completions.stream({
    model: "echo",
    messages: [{ role: "user", content: "hällo wörld" }],
    n: 2,
    logprobs: true,
    stream_options: { include_usage: true },
  })
  const result = await stream.finalChatCompletion()
  expect(result.choices.map((choice) => choice.message.content)).toEqual([
    "hällo wörld",
    "hällo wörld (1)",
  ])
  const tokens = result.choices[0]!.logprobs!.content!.map((entry) => entry.token)
  expect(tokens.join("")).toBe("hällo wörld")
  expect(result.usage!.total_tokens).toBeGreaterThan(0)
})

test("simulated responses with and without streaming have the same text, finish reason and usage", async () => {
  await using simulator = withSimulator()
  const request = {
    model: "echo",
    messages: [{ role: "user" as const, content: "/tokens 50" }],
    max_tokens: 40,
    reasoning_effort: "low" as const,
  }
  const whole = await simulator.client.chat.completions.create(request)
  const streamed = await simulator.client.chat.completions
    .stream({ ...request, stream_options: { include_usage: true } })
    .finalChatCompletion()
  expect(streamed.choices[0]!.message.content).toBe(whole.choices[0]!.message.content)
  expect(streamed.choices[0]!.finish_reason).toBe(whole.choices[0]!.finish_reason)
  expect(streamed.usage).toEqual(whole.usage!)
})

test("a cadence in the request delays each token of the simulator", async () => {
  await using simulator = withSimulator()
  const started = performance.now()
  const body = echoBody("one two six ten", { stream: true })
  const response = await post(simulator, body, { "x-simulate-cadence": "20" })
  const { chunks } = await readUntilEnd(response)
  expect(performance.now() - started).toBeGreaterThanOrEqual(4 * 19)
  expect(chunks).toBeGreaterThanOrEqual(4)
})

test("the simulator stops a stream when the client disconnects", async () => {
  await using simulator = withSimulator(5)
  const leaving = new AbortController()
  const body = echoBody("/tokens 100000", { stream: true })
  const response = await post(simulator, body, {}, { signal: leaving.signal })
  await response.body!.getReader().read()
  const request = lastRequest(simulator)
  expect(simulator.open).toBe(1)
  expect(request.finished).toBe(false)
  leaving.abort()
  await request.settled()
  expect(request.aborted).toBe(true)
  expect(request.finished).toBe(false)
  expect(simulator.open).toBe(0)
})

test("the simulator pauses a stream while the client does not read, and detects when the client disconnects", async () => {
  await using simulator = withSimulator()
  const leaving = new AbortController()
  const body = echoBody("/tokens 1000000", { stream: true })
  const before = process.memoryUsage().rss
  const response = await post(simulator, body, {}, { signal: leaving.signal })
  const reader = response.body!.getReader()
  await reader.read()
  const request = lastRequest(simulator)
  // The complete response would have 200 MB. It cannot be finished without a reader.
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(request).toMatchObject({ finished: false, aborted: false })
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  leaving.abort()
  await request.settled()
  expect(request.aborted).toBe(true)
  // The response is referenced until here, because the connection of a garbage-collected response is closed.
  await expect(reader.read()).rejects.toThrow()
})

test("the simulator can run many streams simultaneously", async () => {
  await using simulator = withSimulator(1)
  const texts = Array.from({ length: 100 }, (_, index) => `stream number ${index}`)
  const responses = await Promise.all(
    texts.map(async (text) => {
      const response = await post(simulator, echoBody(text, { stream: true }))
      const frames = framesOf(await response.text()) as unknown as Frame[]
      return frames.map((frame) => frame.choices[0]?.delta.content ?? "").join("")
    }),
  )
  expect(responses).toEqual(texts)
  expect(simulator.requests.every((request) => request.finished)).toBe(true)
})

test("the simulator aborts open streams when it stops", async () => {
  const simulator = withSimulator(1000)
  const response = await post(simulator, echoBody("one two six", { stream: true }))
  const request = lastRequest(simulator)
  await simulator.stop()
  await readUntilEnd(response)
  expect(request.aborted).toBe(true)
  expect(simulator.open).toBe(0)
})
