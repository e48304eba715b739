import { describe, expect, test } from "bun:test"
import { LONG_TEXT, SMALL_PNG } from "./format-server.ts"
import {
  type SimulatedResponse,
  responseTo,
  ask,
  calling,
  chunksOf,
  CLOCK,
  configured,
  type Part,
  partsOf,
  pathOf,
  rejectionOf,
  TOOLS,
  withGemini,
} from "./gemini-support.ts"

const TEXT = "one two six ten"
const THINKING = { generationConfig: { thinkingConfig: { includeThoughts: true } } }

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.thought === true ? "" : (part.text ?? ""))).join("")
}

describe("a simulated Gemini response without streaming", () => {
  test("contains the user's text and reports its usage", async () => {
    const response = await responseTo(ask("hello there"))
    expect(response.candidates).toEqual([
      {
        content: { parts: [{ text: "hello there" }], role: "model" },
        finishReason: "STOP",
        index: 0,
      },
    ])
    const { promptTokenCount = 0, candidatesTokenCount, totalTokenCount } = response.usageMetadata
    expect(candidatesTokenCount).toBe(4)
    expect(totalTokenCount).toBe(promptTokenCount + 4)
    expect(response.modelVersion).toBe("echo")
  })

  test("stops at a stop sequence and at the limit", async () => {
    const stopped = configured("red green blue", { stopSequences: ["blue"] })
    expect(await partsOf(stopped)).toEqual([{ text: "red green " }])
    const [candidate] = (await responseTo(configured("/tokens 50", { maxOutputTokens: 3 })))
      .candidates
    expect(candidate?.finishReason).toBe("MAX_TOKENS")
  })

  test("has no parts if thinking uses up the output limit", async () => {
    const thinkingConfig = { thinkingBudget: 1024 }
    const body = configured("hi", { maxOutputTokens: 8, thinkingConfig })
    const { candidates, usageMetadata } = await responseTo(body)
    expect(candidates[0]).toMatchObject({ content: { role: "model" }, finishReason: "MAX_TOKENS" })
    expect(candidates[0]?.content).not.toHaveProperty("parts")
    expect(usageMetadata).toMatchObject({ thoughtsTokenCount: 8 })
    expect(usageMetadata).not.toHaveProperty("candidatesTokenCount")
  })

  test("has the requested number of candidates", async () => {
    const { candidates } = await responseTo(configured("hi", { candidateCount: 3 }))
    expect(candidates.map(({ content }) => content.parts)).toEqual([
      [{ text: "hi" }],
      [{ text: "hi (1)" }],
      [{ text: "hi (2)" }],
    ])
  })

  test("contains JSON for both kinds of schemas", async () => {
    const json = { responseMimeType: "application/json" }
    expect(JSON.parse(textOf(await partsOf(configured("hi", json))))).toEqual({ echo: "hi" })
    const jsonSchema = { type: "object", properties: { age: { type: "integer" } } }
    const byJson = configured("hi", { ...json, responseJsonSchema: jsonSchema })
    expect(JSON.parse(textOf(await partsOf(byJson)))).toEqual({ age: 1 })
    const schema = {
      type: "OBJECT",
      properties: { tags: { type: "ARRAY", items: { type: "STRING" } } },
    }
    const byGoogles = configured("hi", { ...json, responseSchema: schema })
    expect(JSON.parse(textOf(await partsOf(byGoogles)))).toEqual({ tags: ["tags"] })
  })

  test("counts the tokens of images and audio", async () => {
    const parts = [
      { text: "look" },
      { inlineData: { mimeType: "image/png", data: SMALL_PNG } },
      { inline_data: { mime_type: "audio/wav", data: "UklGRg==" } },
    ]
    const { candidates, usageMetadata } = await responseTo({ contents: [{ role: "user", parts }] })
    expect(candidates[0]?.content.parts?.[0]?.text).toBe("look\n[image 8x8 png]\n[audio]")
    expect(usageMetadata.promptTokensDetails as unknown).toEqual([
      { modality: "TEXT", tokenCount: expect.any(Number) },
      { modality: "IMAGE", tokenCount: 258 },
      { modality: "AUDIO", tokenCount: 1 },
    ])
  })

  test("reports a repeated prompt as cached tokens", async () => {
    await using server = withGemini()
    const usageOf = async () => {
      const response = await server.post(pathOf({}), configured(LONG_TEXT, { maxOutputTokens: 1 }))
      return ((await response.json()) as SimulatedResponse).usageMetadata
    }
    expect(await usageOf()).not.toHaveProperty("cachedContentTokenCount")
    const again = await usageOf()
    expect(again.cachedContentTokenCount).toBeGreaterThanOrEqual(1024)
    expect(again.cachedContentTokenCount).toBeLessThanOrEqual(again.promptTokenCount ?? 0)
  })

  test("follows fields in snake case, and single values in place of lists", async () => {
    const body = {
      contents: { parts: { text: "get_time" } },
      system_instruction: { parts: [{ text: "Be kind." }] },
      generation_config: { max_output_tokens: "40", thinking_config: { thinking_level: "low" } },
      tools: { function_declarations: [{ ...CLOCK, parameters_json_schema: { type: "object" } }] },
    }
    expect(await partsOf(body)).toMatchObject([{ functionCall: { name: "get_time", args: {} } }])
  })
})

describe("a simulated Gemini stream", () => {
  test("has chunks that are complete responses, with CRLF line endings", async () => {
    await using server = withGemini()
    const response = await server.post(pathOf({ isStream: true }), ask(TEXT))
    expect(response.headers.get("content-type")).toBe("text/event-stream")
    const text = await response.text()
    expect(text.replaceAll("\r\n", "")).not.toContain("\n")
    expect(text).not.toContain("[DONE]")
    const chunks = await chunksOf(ask(TEXT))
    expect(
      chunks.map(({ candidates }) => textOf(candidates[0]?.content.parts ?? [])).join(""),
    ).toBe(TEXT)
    expect(chunks.map(({ candidates }) => candidates[0]?.finishReason)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "STOP",
    ])
  })

  test("has cumulative usage in each chunk, or only in the last chunk for Vertex", async () => {
    const counts = (chunks: SimulatedResponse[]) =>
      chunks.map(({ usageMetadata }) => usageMetadata.candidatesTokenCount)
    expect(counts(await chunksOf(ask(TEXT)))).toEqual([1, 2, 3, 4, 4])
    const atVertex = await chunksOf(ask(TEXT), { isVertex: true })
    expect(counts(atVertex)).toEqual([undefined, undefined, undefined, undefined, 4])
    expect(atVertex[0]).toMatchObject({ usageMetadata: { trafficType: "ON_DEMAND" } })
  })

  test("has thoughts first, and the signature of a text after that text", async () => {
    const chunks = await chunksOf(ask(TEXT, THINKING))
    const parts = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? [])
    const firstSaid = parts.findIndex((part) => part.thought !== true)
    expect(firstSaid).toBe(32)
    expect(parts.slice(firstSaid).every((part) => part.thought !== true)).toBe(true)
    expect(parts.at(-1)).toEqual({ text: "", thoughtSignature: expect.any(String) })
    expect(chunks.at(-1)?.usageMetadata).toMatchObject({ thoughtsTokenCount: 32 })
  })

  test("has each call in a single chunk", async () => {
    const chunks = await chunksOf(ask("get_time and get_weather", { tools: TOOLS }))
    const parts = chunks.flatMap(({ candidates }) => candidates[0]?.content.parts ?? [])
    expect(parts.map((part) => part.functionCall?.name)).toEqual([
      "get_time",
      "get_weather",
      undefined,
    ])
    expect(chunks.at(-1)?.candidates[0]).toMatchObject({ finishReason: "STOP" })
  })

  test("has a finish reason for each of several candidates", async () => {
    const chunks = await chunksOf(configured("hi", { candidateCount: 2 }))
    const ends = chunks.flatMap(({ candidates }) => candidates).filter((end) => end.finishReason)
    expect(ends.map(({ index }) => index)).toEqual([0, 1])
  })

  test("consists of a single JSON list if the request does not request events", async () => {
    await using server = withGemini()
    const path = pathOf({ isStream: true }).replace("?alt=sse", "")
    const list = (await (await server.post(path, ask(TEXT))).json()) as SimulatedResponse[]
    expect(list).toHaveLength(5)
    const rejection = (await (await server.post(path, {})).json()) as object[]
    expect(rejection).toMatchObject([{ error: { status: "INVALID_ARGUMENT" } }])
  })
})

describe("the Gemini simulator with functions", () => {
  test("calls functions that the text names, without ids, and with a signature only on the first call", async () => {
    const { candidates } = await responseTo(ask("get_time and get_weather", { tools: TOOLS }))
    expect(candidates[0]).toEqual({
      content: {
        parts: [
          {
            functionCall: { name: "get_time", args: {} },
            thoughtSignature: expect.any(String) as unknown as string,
          },
          { functionCall: { name: "get_weather", args: { city: "city", days: [1] } } },
        ],
        role: "model",
      },
      finishReason: "STOP",
      index: 0,
      finishMessage: "Model generated function call(s).",
    })
  })

  test("calls a function if a call is required, and no function if calls are forbidden", async () => {
    const names = async (more: object) =>
      (await partsOf(ask("hello", { ...more }))).map((part) => part.functionCall?.name)
    expect(await names({ tools: TOOLS })).toEqual([undefined])
    expect(await names(calling("ANY"))).toEqual(["get_weather"])
    expect(await names(calling("ANY", ["get_time"]))).toEqual(["get_time"])
    const none = await partsOf(ask("get_time", calling("NONE")))
    expect(none).toEqual([{ text: "get_time" }])
  })

  test("calls no function if the output limit truncates the call", async () => {
    const body = ask("get_weather", { tools: TOOLS, generationConfig: { maxOutputTokens: 4 } })
    const { candidates } = await responseTo(body)
    expect(candidates[0]).toMatchObject({ content: { role: "model" }, finishReason: "MAX_TOKENS" })
  })
})

/** Returns a conversation in which a function was called, with the given part for the call. */
function conversation(part: object, more: object[] = [], response: object = { result: "noon" }) {
  return {
    contents: [
      { role: "user", parts: [{ text: "get_time" }] },
      { role: "model", parts: [part] },
      { role: "user", parts: [{ functionResponse: { name: "get_time", response } }] },
      ...more,
    ],
    tools: TOOLS,
  }
}

describe("a second turn with the Gemini simulator", () => {
  const CALL = { functionCall: { name: "get_time", args: {} } }

  async function signedCall(): Promise<Part> {
    const [part] = await partsOf(ask("get_time", { tools: TOOLS }))
    if (part === undefined) throw new Error("no call")
    return part
  }

  test("quotes the function's result", async () => {
    expect(await partsOf(conversation(await signedCall()))).toEqual([
      { text: "The tools answered: noon" },
    ])
    const whole = conversation(await signedCall(), [], { a: 1, b: 2 })
    expect(textOf(await partsOf(whole))).toBe('The tools answered: {"a":1,"b":2}')
  })

  test("requires the signature of a call unless the model is older", async () => {
    const missing = await rejectionOf(conversation(CALL))
    expect(missing).toMatchObject({ status: 400, word: "INVALID_ARGUMENT" })
    expect(missing.message).toBe(
      "Function call is missing a thought_signature in functionCall parts. This is required for " +
        "tools to work correctly, and missing thought_signature may lead to degraded model " +
        "performance. Additional data, function call `default_api:get_time` , position 2. Please " +
        "refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
    )
    expect(await partsOf(conversation(CALL), { model: "gemini-2.5-flash" })).toHaveLength(1)
    expect((await rejectionOf(conversation(CALL), { model: "gemini-3-pro" })).status).toBe(400)
  })

  test("rejects a signature from elsewhere with the message of Gemini or of Vertex", async () => {
    const { thoughtSignature } = await signedCall()
    const text = JSON.stringify(conversation({ ...CALL, thoughtSignature }))
    const other = JSON.parse(text.replaceAll("get_time", "get_date")) as object
    expect((await rejectionOf(other)).message).toBe("Corrupted thought signature.")
    const vertex = await rejectionOf(other, { isVertex: true })
    expect(vertex.message).toContain("Thought signature is not valid")
    const foreign = { ...CALL, thoughtSignature: "Zm9yZWlnbg==" }
    expect((await rejectionOf(conversation(foreign))).message).toBe("Corrupted thought signature.")
  })

  test("accepts a signed call to which the client has added default arguments", async () => {
    const { thoughtSignature } = await signedCall()
    const added = { functionCall: { name: "get_time", args: { all: false } }, thoughtSignature }
    expect(await partsOf(conversation(added))).toEqual([{ text: "The tools answered: noon" }])
  })

  test("accepts placeholder signatures and both base64 alphabets", async () => {
    for (const thoughtSignature of [
      "skip_thought_signature_validator",
      "context_engineering_is_the_way_to_go",
      (await signedCall()).thoughtSignature?.replaceAll("+", "-").replaceAll("/", "_"),
    ]) {
      expect(await partsOf(conversation({ ...CALL, thoughtSignature }))).toHaveLength(1)
    }
  })

  test("requires no signatures in earlier turns", async () => {
    const over = conversation(CALL, [
      { role: "model", parts: [{ text: "It is noon." }] },
      { role: "user", parts: [{ text: "thanks" }] },
    ])
    expect(await partsOf(over)).toEqual([{ text: "thanks" }])
  })

  test("accepts an earlier text only with the signature that it had", async () => {
    const said = await partsOf(ask("hi", THINKING))
    const again = (part: object) => ({
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [part] },
        { role: "user", parts: [{ text: "bye" }] },
      ],
    })
    expect(said.map((part) => part.thought)).toEqual([true, undefined])
    expect(await partsOf(again(said.at(-1) ?? {}))).toEqual([{ text: "bye" }])
    const touched = { ...said.at(-1), thoughtSignature: "Zm9yZWlnbg==" }
    expect((await rejectionOf(again(touched))).message).toBe("Corrupted thought signature.")
  })

  test("accepts the results of several calls in any order", async () => {
    const parts = await partsOf(ask("get_time and get_weather", { tools: TOOLS }))
    const response = (name: string) => ({ functionResponse: { name, response: { result: name } } })
    const turns = (responses: object[]) => ({
      contents: [
        { role: "user", parts: [{ text: "?" }] },
        { role: "model", parts },
        { role: "user", parts: responses },
      ],
      tools: TOOLS,
    })
    const both = turns([response("get_weather"), response("get_time")])
    expect(textOf(await partsOf(both))).toBe("The tools answered: get_weather; get_time")
    const one = await rejectionOf(turns([response("get_time")]))
    expect(one.message).toStartWith("Please ensure that the number of function response parts")
    const twice = await rejectionOf(turns([response("get_time"), response("get_time")]))
    expect(twice.message).toContain("has the name, and the id, of a function call part")
  })
})

test("the Gemini simulator accepts an earlier response that was split into several turns, and an enum schema", async () => {
  const turn = (role: string, text: string) => ({ role, parts: [{ text }] })
  const contents = [turn("user", "one"), turn("model", "two"), turn("model", " three")]
  expect(
    (await responseTo({ contents: [...contents, turn("user", "four")] })).candidates,
  ).toHaveLength(1)
  const wanted = {
    responseMimeType: "text/x.enum",
    responseSchema: { type: "STRING", enum: ["a"] },
  }
  expect((await responseTo(configured("hi", wanted))).candidates).toHaveLength(1)
})
