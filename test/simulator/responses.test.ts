import { expect, test } from "bun:test"
import { echoBody, lastRequest, post, withSimulator } from "./support.ts"

const PNG_12_BY_34 =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAwAAAAiCAYAAACnm2TlAAAAAElFTkSuQmCC"

test("the simulator answers with the exact text of the last user message", async () => {
  await using simulator = withSimulator()
  const text = "  Grüße, 世界 😀\n\ttwo  spaces "
  const result = await simulator.client.chat.completions.create({
    model: "echo",
    messages: [
      { role: "system", content: "be kind" },
      { role: "user", content: "first" },
      { role: "assistant", content: "answer" },
      { role: "user", content: text },
    ],
  })
  expect(result.choices[0]?.message.content).toBe(text)
  expect(result.choices[0]?.finish_reason).toBe("stop")
  expect(result.model).toBe("echo-2026-11-01")
  expect(result.id).toMatch(/^chatcmpl-[0-9A-Za-z]{29}$/)
  const usage = result.usage!
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
})

test("the simulator describes parts other than text in its response", async () => {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create({
    model: "echo",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: PNG_12_BY_34 } },
          { type: "image_url", image_url: { url: "https://example.com/a.png" } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          {
            type: "file",
            file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA" },
          },
        ],
      },
    ],
  })
  const content = result.choices[0]?.message.content
  expect(content).toBe("look\n[image 12x34 png]\n[image url]\n[audio]\n[file]")
  expect(result.usage!.prompt_tokens_details!.audio_tokens).toBe(1)
  // The small image has 85 + 170 tokens, and the image of unknown size has 85 + 4 x 170 tokens.
  expect(result.usage!.prompt_tokens).toBeGreaterThan(255 + 765)
})

test("the simulator answers with the requested number of tokens", async () => {
  await using simulator = withSimulator()
  const create = () => simulator.client.chat.completions.create(echoed("/tokens 321"))
  const [first, second] = [await create(), await create()]
  expect(first.usage!.completion_tokens).toBe(321)
  expect(first.choices[0]?.message.content).toBe(second.choices[0]!.message.content)
})

for (const field of ["max_tokens", "max_completion_tokens"]) {
  test(`the simulator limits a response to ${field}`, async () => {
    await using simulator = withSimulator()
    const result = await simulator.client.chat.completions.create({
      ...echoed("one two six ten"),
      [field]: 2,
    })
    expect(result.choices[0]?.message.content).toBe("one two")
    expect(result.choices[0]?.finish_reason).toBe("length")
    expect(result.usage!.completion_tokens).toBe(2)
  })
}

test("a simulated response with exactly the maximum length ends with stop", async () => {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create({
    ...echoed("one two"),
    max_tokens: 2,
  })
  expect(result.choices[0]?.finish_reason).toBe("stop")
})

test("a simulated response stops before the first stop sequence", async () => {
  await using simulator = withSimulator()
  const create = (stop: string | string[]) =>
    simulator.client.chat.completions.create({ ...echoed("alpha END beta STOP"), stop })
  const one = await create("END")
  expect(one.choices[0]?.message.content).toBe("alpha ")
  expect(one.choices[0]?.finish_reason).toBe("stop")
  const many = await create(["STOP", "beta"])
  expect(many.choices[0]?.message.content).toBe("alpha END ")
})

test("the simulator returns n different choices", async () => {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create({ ...echoed("hi"), n: 3 })
  expect(result.choices.map((choice) => choice.message.content)).toEqual(["hi", "hi (1)", "hi (2)"])
  expect(result.choices.map((choice) => choice.index)).toEqual([0, 1, 2])
})

test("simulated reasoning counts as completion tokens and counts toward the output limit", async () => {
  await using simulator = withSimulator()
  const ask = (effort: "minimal" | "medium", more: object = {}) =>
    simulator.client.chat.completions.create({
      ...echoed("one two"),
      reasoning_effort: effort,
      ...more,
    })
  const thought = await ask("medium")
  const reasoning = thought.usage!.completion_tokens_details!.reasoning_tokens!
  expect(reasoning).toBeGreaterThan(0)
  expect(thought.usage!.completion_tokens).toBe(reasoning + 2)
  const quick = await ask("minimal")
  expect(quick.usage!.completion_tokens_details!.reasoning_tokens).toBe(0)
  const short = await ask("medium", { max_completion_tokens: 3 })
  expect(short.choices[0]?.message.content).toBe("")
  expect(short.choices[0]?.finish_reason).toBe("length")
  expect(short.usage!.completion_tokens).toBe(3)
})

test("the simulator returns log probabilities on request", async () => {
  await using simulator = withSimulator()
  const result = await simulator.client.chat.completions.create({
    ...echoed("one two"),
    logprobs: true,
    top_logprobs: 2,
  })
  const content = result.choices[0]!.logprobs!.content!
  expect(content.map((entry) => entry.token)).toEqual(["one", " two"])
  expect(content[1]!.bytes).toEqual([...Buffer.from(" two")])
  expect(content[0]!.top_logprobs).toHaveLength(2)
})

test("the simulator reports a repeated long prefix as cached tokens", async () => {
  await using simulator = withSimulator()
  const ask = async (question: string) => {
    const result = await simulator.client.chat.completions.create({
      model: "echo",
      messages: [
        { role: "system", content: "rule ".repeat(2500) },
        { role: "user", content: question },
      ],
    })
    return result.usage!
  }
  const first = await ask("one")
  expect(first.prompt_tokens_details!.cached_tokens).toBe(0)
  const second = await ask("something else")
  expect(second.prompt_tokens_details!.cached_tokens).toBe(2048)
  expect(second.prompt_tokens).toBeGreaterThan(2048)
})

test("the simulator sends OpenAI's headers, and also headers that the gateway must not forward", async () => {
  await using simulator = withSimulator()
  const response = await post(simulator, echoBody("hi"))
  expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/)
  expect(response.headers.get("openai-version")).toBe("2020-10-01")
  expect(response.headers.get("x-ratelimit-remaining-tokens")).not.toBeNull()
  expect(response.headers.get("set-cookie")).toContain("__cf_bm")
  expect(response.headers.get("x-vendor-secret")).toBe("canary")
  await response.text()
  const next = await post(simulator, echoBody("hi"))
  expect(next.headers.get("x-request-id")).not.toBe(response.headers.get("x-request-id"))
  await next.text()
})

test("the simulator records the requests that it receives", async () => {
  await using simulator = withSimulator()
  const body = echoBody("hi", { user: "someone" })
  await (await post(simulator, body, { "x-own": "1" })).text()
  const request = lastRequest(simulator)
  expect(request.method).toBe("POST")
  expect(request.path).toBe("/v1/chat/completions")
  expect(request.headers["x-own"]).toBe("1")
  expect(request.body).toEqual(body)
  expect(request.finished).toBe(true)
  expect(request.aborted).toBe(false)
  expect(simulator.open).toBe(0)
})

test("the simulator keeps only the last thousand requests", async () => {
  await using simulator = withSimulator()
  for (let round = 0; round < 11; round++) {
    await Promise.all(
      Array.from({ length: 100 }, async () => (await post(simulator, echoBody("hi"))).text()),
    )
  }
  expect(simulator.requests).toHaveLength(1000)
})

test("the simulator lists its models", async () => {
  await using simulator = withSimulator()
  const models = await Array.fromAsync(simulator.client.models.list())
  const names = models.map((model) => model.id)
  expect(names).toContain("echo")
  expect(names).toContain("fault-429")
  expect(Object.keys(models[0]!).toSorted()).toEqual(["created", "id", "object", "owned_by"])
  expect((await simulator.client.models.retrieve("echo")).id).toBe("echo")
})

function echoed(text: string) {
  return { model: "echo", messages: [{ role: "user" as const, content: text }] }
}
