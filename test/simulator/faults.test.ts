import { expect, test } from "bun:test"
import { connect } from "node:net"
import { APIConnectionError, APIError } from "openai"
import { FAULT_NAMES, parseFault } from "../../simulator/faults.ts"
import type { Simulator } from "../../simulator/server.ts"
import {
  echoBody,
  failureOf,
  framesOf,
  lastRequest,
  post,
  readUntilEnd,
  withSimulator,
} from "./support.ts"

const TEXT = "one two six ten"

function fault(name: string, more: Record<string, unknown> = {}) {
  return { ...echoBody(TEXT, more), model: `fault-${name}` }
}

function streamed(name: string, more: Record<string, unknown> = {}) {
  return fault(name, { stream: true, ...more })
}

const STATUSES: [string, number, string | null, string | null][] = [
  ["429", 429, "tokens", "rate_limit_exceeded"],
  ["500", 500, "server_error", null],
  ["503", 503, "server_error", null],
  ["401", 401, "invalid_request_error", "invalid_api_key"],
  ["402", 402, "invalid_request_error", "invalid_request_error"],
  ["400-context", 400, "invalid_request_error", "context_length_exceeded"],
  ["400-policy", 400, "invalid_request_error", "invalid_prompt"],
  ["404", 404, "invalid_request_error", "model_not_found"],
]

for (const [name, status, type, code] of STATUSES) {
  test(`the simulator simulates ${name} if the model or a header names the fault`, async () => {
    await using simulator = withSimulator()
    const responses = await Promise.all([
      post(simulator, fault(name)),
      post(simulator, streamed(name)),
      post(simulator, echoBody("hi"), { "x-simulate-fault": name }),
    ])
    for (const response of responses) {
      expect(response.status).toBe(status)
      expect(await response.json()).toMatchObject({ error: { type, code } })
      expect(response.headers.get("retry-after")).toBe(name === "429" ? "2" : null)
    }
  })
}

test("the fault slow-headers delays the complete response", async () => {
  await using simulator = withSimulator()
  const started = performance.now()
  const response = await post(simulator, fault("slow-headers-60"))
  expect(performance.now() - started).toBeGreaterThanOrEqual(59)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain(TEXT)
})

test("the simulator detects a client that disconnects during the fault slow-headers", async () => {
  await using simulator = withSimulator()
  const leaving = new AbortController()
  const asked = post(simulator, fault("slow-headers"), {}, { signal: leaving.signal })
  asked.catch(() => undefined)
  while (simulator.open === 0) await new Promise((resolve) => setImmediate(resolve))
  const request = lastRequest(simulator)
  leaving.abort()
  await request.settled()
  expect(request.aborted).toBe(true)
  await expect(asked).rejects.toThrow()
})

for (const stream of [true, false]) {
  test(`the fault slow-first-byte sends headers immediately (stream: ${stream})`, async () => {
    await using simulator = withSimulator()
    const leaving = new AbortController()
    const body = fault("slow-first-byte", { stream })
    const response = await post(simulator, body, {}, { signal: leaving.signal })
    expect(response.status).toBe(200)
    expect(simulator.open).toBe(1)
    leaving.abort()
    await lastRequest(simulator).settled()
    expect(lastRequest(simulator).aborted).toBe(true)
  })

  test(`the fault slow-first-byte sends the response after the given time (stream: ${stream})`, async () => {
    await using simulator = withSimulator()
    const started = performance.now()
    const response = await post(simulator, fault("slow-first-byte-60", { stream }))
    const text = await response.text()
    expect(performance.now() - started).toBeGreaterThanOrEqual(59)
    if (stream) expect(framesOf(text.trimStart()).length).toBe(6)
    else expect(JSON.parse(text)).toHaveProperty("choices")
  })

  test(`the fault stall pauses within the response until the client disconnects (stream: ${stream})`, async () => {
    await using simulator = withSimulator()
    const leaving = new AbortController()
    const body = fault("stall", { stream })
    const response = await post(simulator, body, {}, { signal: leaving.signal })
    await response.body!.getReader().read()
    const request = lastRequest(simulator)
    expect(request.finished).toBe(false)
    leaving.abort()
    await request.settled()
    expect(request.aborted).toBe(true)
  })

  test(`the fault stall continues the response after the given time (stream: ${stream})`, async () => {
    await using simulator = withSimulator()
    const started = performance.now()
    const response = await post(simulator, fault("stall-60", { stream }))
    const { error } = await readUntilEnd(response)
    expect(error).toBeUndefined()
    expect(performance.now() - started).toBeGreaterThanOrEqual(59)
    expect(lastRequest(simulator).finished).toBe(true)
  })

  test(`the fault cut breaks the connection within the response (stream: ${stream})`, async () => {
    await using simulator = withSimulator()
    const { text, error } = await readUntilEnd(await post(simulator, fault("cut", { stream })))
    expect(error).toBeInstanceOf(Error)
    expect(text.length).toBeGreaterThan(0)
    expect(text).not.toContain("[DONE]")
    expect(lastRequest(simulator)).toMatchObject({ finished: false, aborted: false })
    expect(simulator.open).toBe(0)
  })

  test(`the fault cut leaves an incomplete chunked body (stream: ${stream})`, async () => {
    await using simulator = withSimulator()
    const raw = await rawExchange(simulator.url, JSON.stringify(fault("cut", { stream })))
    expect(raw).toContain("HTTP/1.1 200 OK\r\n")
    expect(raw.toLowerCase()).toContain("transfer-encoding: chunked\r\n")
    expect(raw).toContain("chatcmpl-")
    expect(raw).not.toContain("\r\n0\r\n\r\n")
  })
}

test("a simulated response that is shorter than its content-length fails in the client", async () => {
  await using simulator = withSimulator()
  const response = await fetch(`${simulator.shortUrl}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify(echoBody("hi")),
  })
  expect(response.status).toBe(200)
  const length = Number(response.headers.get("content-length"))
  const { text, error } = await readUntilEnd(response)
  expect(text.length).toBeLessThan(length)
  expect(error).toBeInstanceOf(Error)
})

test("the fault malformed causes invalid JSON", async () => {
  await using simulator = withSimulator()
  const whole = await post(simulator, fault("malformed"))
  expect(whole.status).toBe(200)
  await expect(whole.json()).rejects.toThrow()
  const text = await (await post(simulator, streamed("malformed"))).text()
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: {"))
  const broken = frames.filter((frame) => !isJson(frame.slice("data: ".length)))
  expect(broken).toHaveLength(1)
  expect(frames.indexOf(broken[0]!)).toBe(3)
  expect(text).toContain("[DONE]")
})

test("the simulator simulates the faults html, empty and redirect", async () => {
  await using simulator = withSimulator()
  const html = await post(simulator, fault("html"))
  expect([html.status, html.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  expect(await html.text()).toContain("<html>")
  const empty = await post(simulator, fault("empty"))
  expect([empty.status, await empty.text()]).toEqual([200, ""])
  const moved = await post(simulator, fault("redirect"))
  expect([moved.status, moved.headers.get("location")]).toEqual([302, "/v1/elsewhere"])
})

test("simulated usage can be missing, zero or huge", async () => {
  await using simulator = withSimulator()
  const include = { stream_options: { include_usage: true } }
  const none = await (await post(simulator, fault("no-usage"))).json()
  expect(none).not.toHaveProperty("usage")
  const noneStreamed = await (await post(simulator, streamed("no-usage", include))).text()
  expect(noneStreamed).not.toContain('"usage"')
  expect(noneStreamed).toContain("[DONE]")
  const zero = await (await post(simulator, fault("wrong-usage"))).json()
  expect(zero).toMatchObject({ usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } })
  const zeroStreamed = framesOf(
    await (await post(simulator, streamed("wrong-usage", include))).text(),
  )
  expect(zeroStreamed.at(-1)).toMatchObject({ usage: { total_tokens: 0 } })
  const huge = (await (await post(simulator, fault("huge-usage", { max_tokens: 2 }))).json()) as {
    usage: { completion_tokens: number }
  }
  expect(huge.usage.completion_tokens).toBeGreaterThan(1_000_000)
})

test("the fault stream-error sends an error within the stream, and the official client throws the error", async () => {
  await using simulator = withSimulator()
  const frames = framesOf(await (await post(simulator, streamed("stream-error"))).text())
  expect(frames.at(-1)).toMatchObject({ error: { type: "server_error", code: null } })
  expect(frames.length).toBe(4)
  const stream = await simulator.client.chat.completions.create({
    model: "fault-stream-error",
    messages: [{ role: "user", content: TEXT }],
    stream: true,
  })
  await expect(Array.fromAsync(stream)).rejects.toBeInstanceOf(APIError)
})

test("the fault no-done omits [DONE] in a stream, and the fault no-finish omits the finish reason", async () => {
  await using simulator = withSimulator()
  const noDone = await (await post(simulator, streamed("no-done"))).text()
  expect(noDone).toContain('"finish_reason":"stop"')
  expect(noDone).not.toContain("[DONE]")
  const noFinish = await (await post(simulator, streamed("no-finish"))).text()
  expect(noFinish).toContain(" ten")
  expect(noFinish).not.toContain('"finish_reason":"stop"')
  expect(noFinish).not.toContain("[DONE]")
})

test("the official client reads simulated streams with CRLF, comments and keep-alive frames", async () => {
  await using simulator = withSimulator()
  const crlf = await (await post(simulator, streamed("crlf"))).text()
  expect(crlf.replaceAll("\r\n", "")).not.toContain("\n")
  const comments = await (await post(simulator, streamed("comments"))).text()
  expect(comments).toContain(": PROCESSING\n\n")
  expect(comments).toContain('data: {"type":"keepalive"}\n\n')
  for (const name of ["crlf", "comments"]) {
    const stream = await simulator.client.chat.completions.create({
      model: `fault-${name}`,
      messages: [{ role: "user", content: TEXT }],
      stream: true,
    })
    let text = ""
    for await (const frame of stream) text += frame.choices?.[0]?.delta.content ?? ""
    expect(text).toBe(TEXT)
  }
})

test("the fault echo-headers returns the received headers", async () => {
  await using simulator = withSimulator()
  const response = await post(simulator, fault("echo-headers"), { "x-own": "yes" })
  const result = (await response.json()) as { choices: [{ message: { content: string } }] }
  expect(JSON.parse(result.choices[0].message.content)).toMatchObject({
    "x-own": "yes",
    authorization: "Bearer sk-any",
  })
})

test("the fault flaky fails as often as requested for each user before a response", async () => {
  await using simulator = withSimulator()
  const statuses = async (user: string) => {
    const list: number[] = []
    for (let round = 0; round < 4; round++) {
      const response = await post(simulator, { ...echoBody("hi", { user }), model: "flaky-2" })
      list.push(response.status)
      await response.text()
    }
    return list
  }
  expect(await statuses("a")).toEqual([500, 500, 200, 200])
  expect(await statuses("b")).toEqual([500, 500, 200, 200])
})

test("the official client retries after the fault flaky", async () => {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create(
    { model: "flaky-1", messages: [{ role: "user", content: "hi" }], user: "retry" },
    { maxRetries: 1 },
  )
  expect(result.choices[0]?.message.content).toBe("hi")
  expect(simulator.requests).toHaveLength(2)
})

test("the official client reports a connection that was cut", async () => {
  await using simulator = withSimulator()
  const asked = simulator.client.chat.completions.create({
    model: "fault-cut",
    messages: [{ role: "user", content: TEXT }],
  })
  expect(await failureOf(asked)).toBeInstanceOf(Error)
  const other = withSimulator()
  await other.stop()
  const rejected = other.client.chat.completions.create({
    model: "echo",
    messages: [{ role: "user", content: TEXT }],
  })
  expect(await failureOf(rejected)).toBeInstanceOf(APIConnectionError)
})

test("the fault parser reads names with and without a number", () => {
  for (const name of FAULT_NAMES) expect(parseFault(name)?.name).toBe(name)
  expect(parseFault("slow-first-byte-250")).toEqual({ name: "slow-first-byte", amount: 250 })
  expect(parseFault("stall")?.amount).toBe(Number.POSITIVE_INFINITY)
  for (const none of ["", "429-5", "cut-1", "unknown"]) expect(parseFault(none)).toBeUndefined()
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the bytes that a plain socket receives before the server closes the connection. */
function rawExchange(url: Simulator["url"], body: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ""
  socket.on("data", (bytes) => (text += bytes.toString()))
  // A cut connection causes a reset error. Only the bytes received before it matter.
  socket.on("error", () => undefined)
  socket.on("close", () => resolve(text))
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer sk-any\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return promise
}
