import { describe, expect, test } from "bun:test"
import {
  ask,
  type Asking,
  calling,
  CLOCK,
  configured,
  pathOf,
  rejectionOf,
  WEATHER,
  withGemini,
} from "./gemini-support.ts"

describe("Gemini simulator validation", () => {
  const user = { role: "user", parts: [{ text: "hi" }] }
  const response = { functionResponse: { name: "get_time", response: {} } }
  const CASES: [string, object, string][] = [
    [
      "an unknown field",
      ask("hi", { temperature: 1 }),
      'Invalid JSON payload received. Unknown name "temperature": Cannot find field.',
    ],
    [
      "an unknown nested field",
      ask("hi", {
        tools: [
          {
            functionDeclarations: [
              { ...WEATHER, parameters: { ...WEATHER.parameters, additionalProperties: false } },
            ],
          },
        ],
      }),
      'Invalid JSON payload received. Unknown name "additionalProperties" at ' +
        "'tools[0].function_declarations[0].parameters': Cannot find field.",
    ],
    [
      "an invalid number",
      configured("hi", { maxOutputTokens: "many" }),
      "Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), \"many\"",
    ],
    [
      "an unknown mode",
      ask("hi", calling("SOMETIMES")),
      "Invalid value at 'tool_config.function_calling_config.mode' (type.googleapis.com/google.ai." +
        'generativelanguage.v1beta.FunctionCallingConfig.Mode), "SOMETIMES"',
    ],
    [
      "an answer other than an object",
      { contents: [{ parts: [{ functionResponse: { name: "a", response: "noon" } }] }] },
      "Invalid value at 'contents[0].parts[0].function_response.response' " +
        '(type.googleapis.com/google.protobuf.Struct), "noon"',
    ],
    [
      "invalid base64",
      { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: "!!" } }] }] },
      "Invalid value at 'contents[0].parts[0].inline_data.data' (TYPE_BYTES), " +
        'Base64 decoding failed for "!!"',
    ],
    [
      "an invalid image",
      { contents: [{ parts: [{ inlineData: { mimeType: "image/png", data: "AAAA" } }] }] },
      "Unable to process input image",
    ],
    ["no contents", {}, "* GenerateContentRequest.contents: contents is not specified\n"],
    [
      "no parts",
      { contents: [{ role: "user", parts: [] }] },
      "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.\n",
    ],
    [
      "an empty part",
      { contents: [{ role: "user", parts: [{}] }] },
      "required oneof field 'data' must have one initialized field",
    ],
    [
      "a part with two kinds of content",
      { contents: [{ parts: [{ text: "a", ...response }] }] },
      "oneof field 'data' is already set. Cannot set 'functionResponse'",
    ],
    [
      "another role",
      { contents: [{ ...user, role: "assistant" }] },
      "Please use a valid role: user, model.",
    ],
    [
      "a result without a call",
      { contents: [user, { role: "user", parts: [response] }] },
      "Please ensure that function response turn comes immediately after a function call turn.",
    ],
    [
      "a call without a question",
      { contents: [{ role: "model", parts: [{ functionCall: { name: "a" } }] }] },
      "Please ensure that function call turn comes immediately after a user turn or after a",
    ],
    [
      "a call without a name",
      { contents: [user, { role: "model", parts: [{ functionCall: {} }] }] },
      "function_call.name: Name cannot be empty.",
    ],
    ["heat", configured("hi", { temperature: 3 }), "temperature must be in the range [0, 2]."],
    [
      "an output limit of zero",
      configured("hi", { maxOutputTokens: 0 }),
      "max_output_tokens must be positive.",
    ],
    [
      "an excessive number of choices",
      configured("hi", { candidateCount: 9 }),
      "candidate_count must be in",
    ],
    ["many stops", configured("hi", { stopSequences: [..."abcdef"] }), "at most 5 stop_sequences"],
    [
      "an unsupported answer type",
      configured("hi", { responseMimeType: "image/png" }),
      "allowed mimetypes are",
    ],
    [
      "a schema without a JSON answer",
      configured("hi", { responseSchema: {} }),
      "only allowed with response_mime",
    ],
    [
      "two thinking options",
      configured("hi", { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } }),
      "You can only set only one of thinking budget and thinking level.",
    ],
    [
      "a name with a space",
      ask("hi", { tools: [{ functionDeclarations: [{ name: "get time" }] }] }),
      "Invalid function name.",
    ],
    [
      "two functions with the same name",
      ask("hi", { tools: [{ functionDeclarations: [CLOCK, CLOCK] }] }),
      "Duplicate function declaration found: get_time",
    ],
    [
      "a choice of an unknown function",
      ask("hi", calling("ANY", ["nobody"])),
      "should be a subset of the",
    ],
    [
      "function names in a mode that does not allow them",
      ask("hi", calling("AUTO", ["get_time"])),
      "must be ANY",
    ],
  ]
  for (const [name, body, words] of CASES) {
    test(`rejects ${name}`, async () => {
      const { status, word, message } = await rejectionOf(body)
      expect(message).toContain(words)
      expect([status, word]).toEqual([400, "INVALID_ARGUMENT"])
    })
  }

  test("reports each of several invalid fields in the error details", async () => {
    const { message, details } = await rejectionOf(ask("hi", { n: 2, user: "u" }))
    expect(message.split("\n")).toHaveLength(2)
    expect(details).toMatchObject([
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ description: message.split("\n")[0] }, {}],
      },
    ])
  })

  test("rejects an unknown cache", async () => {
    expect(await rejectionOf(ask("hi", { cachedContent: "cachedContents/a" }))).toEqual({
      status: 403,
      word: "PERMISSION_DENIED",
      message: "CachedContent not found (or permission denied)",
    })
  })

  test("rejects invalid credentials with the status of Gemini or of Vertex", async () => {
    const none = { authorization: "" }
    const wrong = { authorization: "", "x-goog-api-key": "wrong" }
    const words = async (asking: Asking) => {
      const { status, word } = await rejectionOf(ask("hi"), asking)
      return `${status} ${word}`
    }
    expect(await words({ headers: none })).toBe("403 PERMISSION_DENIED")
    expect(await words({ headers: wrong })).toBe("400 INVALID_ARGUMENT")
    expect(await words({ headers: none, isVertex: true })).toBe("401 UNAUTHENTICATED")
    const bearer = { authorization: "Bearer wrong" }
    expect(await words({ headers: bearer, isVertex: true })).toBe("401 UNAUTHENTICATED")
    expect((await rejectionOf(ask("hi"), { headers: wrong })).details).toMatchObject([
      { reason: "API_KEY_INVALID" },
      {},
    ])
    await using server = withGemini()
    const keyed = `${pathOf({})}?key=any`
    const response = await server.post(keyed, ask("hi"), { headers: none })
    expect(response.status).toBe(200)
  })

  test("rejects unknown models and invalid JSON", async () => {
    expect(await rejectionOf(ask("hi"), { model: "nobody" })).toMatchObject({
      status: 404,
      word: "NOT_FOUND",
      message: expect.stringContaining(
        "models/nobody is not found for API version v1beta",
      ) as string,
    })
    const vertex = await rejectionOf(ask("hi"), { model: "nobody", isVertex: true })
    expect(vertex.message).toBe(
      "Publisher Model `projects/p/locations/global/publishers/google/models/nobody` not found.",
    )
    expect((await rejectionOf("{")).message).toStartWith("Invalid JSON payload received.")
    await using server = withGemini()
    expect((await server.post("/v1beta/models/echo:explode", {})).status).toBe(404)
  })
})
