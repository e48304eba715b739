import { describe, expect, test } from "bun:test"
import type { ImagePart, Part } from "../../../src/canon/message.ts"
import { gemini } from "../../../src/dialects/gemini/index.ts"
import { answered, asked, at, called, EARLIER_MODEL, encode, encodeWhole } from "./support.ts"

const PNG = "iVBORw0KGgo="

const PDF = "JVBERi0xLjQ="

function partsOf(...parts: Part[]): ReturnType<typeof encode> {
  return encode({ messages: [{ role: "user", parts }] })
}

describe("the Gemini conversation encoder", () => {
  test("uses the roles user and model and joins neighboring turns of one role", () => {
    const { contents } = encodeWhole({
      messages: [
        asked("a"),
        asked("b"),
        { role: "assistant", parts: [{ type: "text", text: "c" }] },
        asked("d"),
      ],
    })
    expect(contents).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
      { role: "model", parts: [{ text: "c" }] },
      { role: "user", parts: [{ text: "d" }] },
    ])
  })

  test("moves system and developer messages into systemInstruction", () => {
    const body = encodeWhole({
      messages: [
        { role: "system", parts: [{ type: "text", text: "a" }] },
        { role: "developer", parts: [{ type: "text", text: "b" }] },
        asked("c"),
      ],
    })
    expect(body).toEqual({
      contents: [{ role: "user", parts: [{ text: "c" }] }],
      systemInstruction: { parts: [{ text: "a" }, { text: "b" }] },
    })
  })

  test("moves later instructions into systemInstruction and reports a loss", () => {
    const { body, losses } = encode({
      messages: [asked("a"), { role: "system", parts: [{ type: "text", text: "b" }] }],
    })
    expect(body.systemInstruction).toEqual({ parts: [{ text: "b" }] })
    expect(losses).toEqual(["system.position:approximated"])
  })

  test("writes an empty text for a required turn without content", () => {
    const empty = [{ role: "user", parts: [{ text: "" }] }]
    expect(encodeWhole({ messages: [asked("")] }).contents).toEqual(empty)
    const onlyInstructions = [
      { role: "system" as const, parts: [{ type: "text" as const, text: "a" }] },
    ]
    expect(encodeWhole({ messages: onlyInstructions }).contents).toEqual(empty)
    const silent = encodeWhole({
      messages: [asked("a"), { role: "assistant", parts: [] }, asked("b")],
    })
    expect(silent.contents).toEqual([{ role: "user", parts: [{ text: "a" }, { text: "b" }] }])
  })
})

describe("the Gemini media encoder", () => {
  test("encodes images, audio and files as base64, even if their type is not given", () => {
    const { body, losses } = partsOf(
      { type: "image", source: { type: "base64", data: PNG, mediaType: "image/webp" } },
      { type: "image", source: { type: "base64", data: PNG } },
      { type: "audio", source: { type: "base64", data: "AAAA" }, format: "mp3" },
      { type: "audio", source: { type: "base64", data: "AAAA" } },
      { type: "file", source: { type: "base64", data: PDF } },
      { type: "file", source: { type: "base64", data: "YWJj" } },
      { type: "file", source: { type: "base64", data: "YWJj" }, name: "table.CSV" },
      {
        type: "file",
        source: { type: "base64", data: "YWJj", mediaType: "text/html" },
        name: "a.csv",
      },
    )
    expect(losses).toEqual([])
    const parts = at(body, "contents", 0, "parts")
    const types = Array.isArray(parts)
      ? parts.map((part) => at(part, "inlineData", "mimeType"))
      : []
    expect(types).toEqual([
      "image/webp",
      "image/png",
      "audio/mp3",
      "audio/wav",
      "application/pdf",
      "text/plain",
      "text/csv",
      "text/html",
    ])
    expect(at(parts, 0)).toEqual({ inlineData: { mimeType: "image/webp", data: PNG } })
  })

  test("keeps references to stored files, and URLs that Gemini can read", () => {
    const kept = "https://generativelanguage.googleapis.com/v1beta/files/abc"
    const { body, losses } = partsOf(
      { type: "image", source: { type: "url", url: "gs://bucket/cat.jpg" } },
      { type: "file", source: { type: "reference", id: kept } },
      { type: "file", source: { type: "url", url: kept }, name: "a.pdf" },
    )
    expect(losses).toEqual([])
    expect(at(body, "contents", 0, "parts")).toEqual([
      { fileData: { mimeType: "image/jpeg", fileUri: "gs://bucket/cat.jpg" } },
      { fileData: { fileUri: kept } },
      { fileData: { mimeType: "application/pdf", fileUri: kept } },
    ])
  })

  test("drops HTTP URLs that the gateway has not fetched", () => {
    const url = { type: "url", url: "https://host/a" } as const
    const { body, losses } = partsOf(
      { type: "text", text: "a" },
      { type: "image", source: url },
      { type: "audio", source: url },
      { type: "file", source: url },
    )
    expect(at(body, "contents", 0, "parts")).toEqual([{ text: "a" }])
    expect(losses).toEqual(["image.url:dropped", "audio:dropped", "file.url:dropped"])
  })

  test("reports a dropped image detail as a loss unless the detail is the default", () => {
    const image: ImagePart = { type: "image", source: { type: "base64", data: PNG } }
    expect(partsOf({ ...image, detail: "auto" }).losses).toEqual([])
    expect(partsOf({ ...image, detail: "high" }).losses).toEqual(["image.detail:dropped"])
  })
})

describe("the Gemini tool encoder", () => {
  const parameters = { type: "object", properties: { a: { type: "string" } }, $defs: {} }

  test("declares tools and does not change their schemas", () => {
    const body = encodeWhole({
      tools: [{ name: "f", description: "d", parameters, strict: false }, { name: "g" }],
      parallelToolCalls: true,
    })
    expect(body.tools).toEqual([
      {
        functionDeclarations: [
          { name: "f", description: "d", parametersJsonSchema: parameters },
          { name: "g" },
        ],
      },
    ])
    expect(body.toolConfig).toBeUndefined()
  })

  test.each([
    [{ type: "auto" } as const, { mode: "AUTO" }],
    [{ type: "none" } as const, { mode: "NONE" }],
    [{ type: "required" } as const, { mode: "ANY" }],
    [{ type: "tool", name: "f" } as const, { mode: "ANY", allowedFunctionNames: ["f"] }],
  ])("encodes the tool choice %j", (toolChoice, functionCallingConfig) => {
    const body = encodeWhole({ tools: [{ name: "f" }], toolChoice })
    expect(body.toolConfig).toEqual({ functionCallingConfig })
  })

  test("omits an empty list of tools and the tool options", () => {
    const body = encodeWhole({ tools: [], toolChoice: { type: "none" }, parallelToolCalls: false })
    expect(Object.keys(body)).toEqual(["contents"])
  })
})

describe("the Gemini encoder of calls and results", () => {
  const twoCalls = {
    role: "assistant" as const,
    parts: [
      { type: "tool-call" as const, id: "1", name: "weather", arguments: '{"city":"Rome"}' },
      { type: "tool-call" as const, id: "2", name: "time", arguments: "" },
    ],
  }

  test("sorts results in the order of the calls and adds the names of the functions", () => {
    const messages = [asked("a"), twoCalls, answered("2", "noon"), answered("1", '{"sky":"blue"}')]
    const { contents } = encodeWhole({ messages, model: EARLIER_MODEL })
    expect(at(contents, 1)).toEqual({
      role: "model",
      parts: [
        { functionCall: { name: "weather", args: { city: "Rome" }, id: "1" } },
        { functionCall: { name: "time", args: {}, id: "2" } },
      ],
    })
    expect(at(contents, 2)).toEqual({
      role: "user",
      parts: [
        { functionResponse: { name: "weather", response: { sky: "blue" }, id: "1" } },
        { functionResponse: { name: "time", response: { output: "noon" }, id: "2" } },
      ],
    })
  })

  test("appends the user's next text to the results", () => {
    const { contents } = encodeWhole({
      messages: [asked("a"), called("1"), answered("1", "x"), asked("b")],
      model: EARLIER_MODEL,
    })
    expect(at(contents, 2, "parts", 1)).toEqual({ text: "b" })
  })

  test("omits ids for Vertex", () => {
    const { contents } = encodeWhole(
      { messages: [asked("a"), called("1"), answered("1", "x")], model: EARLIER_MODEL },
      gemini({ functionCallIds: false }),
    )
    expect(at(contents, 1, "parts", 0)).toEqual({ functionCall: { name: "weather", args: {} } })
    expect(at(contents, 2, "parts", 0)).toEqual({
      functionResponse: { name: "weather", response: { output: "x" } },
    })
  })

  test("writes the result of a failed call as an error", () => {
    const failed = { type: "tool-result", id: "1", failed: true } as const
    const content = [{ type: "text" as const, text: "{}" }]
    const { contents } = encodeWhole({
      messages: [asked("a"), called("1"), { role: "tool", parts: [{ ...failed, content }] }],
      model: EARLIER_MODEL,
    })
    expect(at(contents, 2, "parts", 0, "functionResponse", "response")).toEqual({ error: "{}" })
  })

  test("matches a repeated id to the latest call", () => {
    const { contents } = encodeWhole({
      messages: [
        asked("a"),
        called("1", "weather"),
        answered("1", "x"),
        called("1", "time"),
        answered("1", "y"),
      ],
      model: EARLIER_MODEL,
    })
    expect(at(contents, 2, "parts", 0, "functionResponse", "name")).toBe("weather")
    expect(at(contents, 4, "parts", 0, "functionResponse", "name")).toBe("time")
  })

  test("uses the id as the name of a result without a known call", () => {
    const { contents } = encodeWhole({ messages: [answered("weather", "x")] })
    expect(at(contents, 0, "parts", 0, "functionResponse", "name")).toBe("weather")
  })

  test("writes images from tools after the results", () => {
    const image: ImagePart = { type: "image", source: { type: "base64", data: PNG } }
    const content = [image, { type: "text" as const, text: "seen" }]
    const { body, losses } = encode({
      messages: [
        asked("a"),
        twoCalls,
        { role: "tool", parts: [{ type: "tool-result", id: "1", content }] },
        answered("2", "noon"),
      ],
      model: EARLIER_MODEL,
    })
    expect(losses).toEqual(["tool_result.media:approximated"])
    expect(at(body, "contents", 2, "parts")).toEqual([
      { functionResponse: { name: "weather", response: { output: "seen" }, id: "1" } },
      { functionResponse: { name: "time", response: { output: "noon" }, id: "2" } },
      { inlineData: { mimeType: "image/png", data: PNG } },
    ])
  })

  test("joins results with instructions between them", () => {
    const { body } = encode({
      messages: [
        asked("a"),
        twoCalls,
        answered("2", "noon"),
        { role: "system", parts: [{ type: "text", text: "s" }] },
        answered("1", "blue"),
      ],
    })
    expect(at(body, "contents", 2, "parts", 0, "functionResponse", "id")).toBe("1")
  })

  test("keeps arguments that are not an object", () => {
    const { contents } = encodeWhole({
      messages: [asked("a"), called("1", "f", "[1")],
      model: EARLIER_MODEL,
    })
    expect(at(contents, 1, "parts", 0, "functionCall", "args")).toEqual({ arguments: "[1" })
  })
})
