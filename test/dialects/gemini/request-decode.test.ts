import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { JsonObject } from "../../../src/canon/json.ts"
import { GEMINI } from "../../../src/dialects/gemini/index.ts"
import { withAddress } from "../../../src/dialects/gemini/request/decode.ts"

function decode(body: JsonObject) {
  return GEMINI.decodeRequest(withAddress(body, { model: "any/model", stream: false }))
}

function contents(...turns: JsonObject[]): JsonObject {
  return { contents: turns }
}

describe("the Gemini request decoder", () => {
  test("accepts fields in camel case and snake case, and keeps names that the caller chose", () => {
    const schema = { type: "OBJECT", properties: { user_name: { type: "STRING", nullable: true } } }
    const request = decode({
      contents: [{ parts: [{ inline_data: { mime_type: "image/png", data: "iVBORw0KGgo=" } }] }],
      system_instruction: { parts: [{ text: "Be brief." }] },
      generation_config: { max_output_tokens: 7, stop_sequences: ["END"], top_p: 0.5 },
      tools: [{ function_declarations: [{ name: "find_it", parameters: schema }] }],
      tool_config: { function_calling_config: { mode: "ANY" } },
    })
    expect(request).toEqual({
      model: "any/model",
      stream: false,
      streamUsage: false,
      choices: 1,
      messages: [
        { role: "system", parts: [{ type: "text", text: "Be brief." }] },
        {
          role: "user",
          parts: [
            {
              type: "image",
              source: { type: "base64", data: "iVBORw0KGgo=", mediaType: "image/png" },
            },
          ],
        },
      ],
      maxTokens: 7,
      stop: ["END"],
      topP: 0.5,
      tools: [
        {
          name: "find_it",
          parameters: { type: "object", properties: { user_name: { type: ["string", "null"] } } },
        },
      ],
      toolChoice: { type: "required" },
    })
  })

  test("matches results without ids to calls by name, in order", () => {
    const call = (city: string) => ({ functionCall: { name: "weather", args: { city } } })
    const response = (output: string) => ({
      functionResponse: { name: "weather", response: { output } },
    })
    const { messages } = decode(
      contents(
        { role: "user", parts: [{ text: "Where is it warm?" }] },
        { role: "model", parts: [call("Rome"), call("Oslo")] },
        { role: "user", parts: [response("warm"), response("cold"), { text: "And?" }] },
      ),
    )
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"])
    const ids = messages[1]?.parts.map((part) => part.type === "tool-call" && part.id)
    expect(new Set(ids).size).toBe(2)
    expect(messages[2]?.parts).toMatchObject([
      { id: ids?.[0], content: [{ text: "warm" }] },
      { id: ids?.[1], content: [{ text: "cold" }] },
    ])
  })

  test("joins the chunks of a streamed turn", () => {
    const chunk = (part: JsonObject) => ({ role: "model", parts: [part] })
    const { messages } = decode(
      contents(
        chunk({ text: "Hm", thought: true }),
        chunk({ text: "m", thought: true }),
        chunk({ text: "", thought: true, thoughtSignature: "c2ln" }),
        chunk({ text: "Hel" }),
        chunk({ text: "lo" }),
        chunk({ text: "" }),
      ),
    )
    expect(messages).toEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Hmm", signature: "c2ln", signedBy: "gemini" },
          { type: "text", text: "Hello" },
        ],
      },
    ])
  })

  test("recognizes the gateway's signature envelope in either base64 alphabet", () => {
    const envelope = "tg1:proof:anthropic-messages:a:::??>>"
    for (const alphabet of ["base64", "base64url"] as const) {
      const thoughtSignature = Buffer.from(envelope).toString(alphabet)
      const part = { text: "Hm", thought: true, thoughtSignature }
      const [message] = decode(contents({ role: "model", parts: [part] })).messages
      expect(message?.parts).toMatchObject([{ signature: envelope }])
    }
  })

  test.each([
    ["contents", {}],
    ["generationConfig.temperature", { contents: "Hi", generationConfig: { temperature: "x" } }],
    ["contents[0].role", { contents: [{ role: "system", parts: [] }] }],
    ["contents[0].parts[0]", { contents: [{ parts: [7] }] }],
    ["tools[0]", { contents: "Hi", tools: ["x"] }],
    [
      "toolConfig.functionCallingConfig.allowedFunctionNames",
      {
        contents: "Hi",
        toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["none"] } },
      },
    ],
  ])("reports the invalid parameter %s", (parameter, body) => {
    expect(() => decode(body as unknown as JsonObject)).toThrow(GatewayError)
    try {
      decode(body as unknown as JsonObject)
    } catch (error) {
      expect((error as GatewayError).details.parameter).toBe(parameter)
    }
  })
})

test("the Gemini format keeps Gemini-only fields in requests to Gemini", () => {
  const request = decode({
    contents: "Hi",
    tools: [{ functionDeclarations: [{ name: "one" }], googleSearch: {} }],
    generationConfig: { temperature: 1, mediaResolution: "LOW", candidateCount: 2 },
  })
  const { body, losses } = GEMINI.encodeRequest({ ...request, model: "gemini-3-flash" })
  expect(losses).toEqual([])
  expect(body).toMatchObject({
    tools: [{ functionDeclarations: [{ name: "one" }] }, { googleSearch: {} }],
    generationConfig: { temperature: 1, mediaResolution: "LOW", candidateCount: 2 },
  })
})
