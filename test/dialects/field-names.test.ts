import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import type { DialectId } from "../../src/canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { decodeRequest as decodeMessages } from "../../src/dialects/anthropic-messages/request/decode.ts"
import { decodeEmbeddingRequest } from "../../src/dialects/embedding/request/openai.ts"
import { decodeRequest as decodeGemini } from "../../src/dialects/gemini/request/decode.ts"
import { decodeImageParameters } from "../../src/dialects/image/request.ts"
import { decodeRequest as decodeChat } from "../../src/dialects/openai-chat/request/decode.ts"
import { decodeRequest as decodeResponses } from "../../src/dialects/openai-responses/request/decode.ts"
import { decodeRerankRequest } from "../../src/dialects/rerank/request.ts"
import { decodeSpeech } from "../../src/dialects/speech/request.ts"
import { decodeTranscription } from "../../src/dialects/transcription/request.ts"
import { checkToolNames } from "../../src/dialects/shared/field-names.ts"
import { findSwitches } from "../../src/relay/priced-features/find-switches.ts"
import { threadTime } from "../support/processor-time.ts"
import { BILLABLE, switchesOf, USUAL_BILLABLE } from "../../src/vendors/priced-features/index.ts"

type Decode = (body: JsonObject) => unknown

const HELLO = [{ role: "user", content: "Hello" }]
const FORMATS: Readonly<Record<string, readonly [Decode, JsonObject]>> = {
  "openai-chat": [decodeChat, { model: "m", messages: HELLO, max_tokens: 1 }],
  "openai-responses": [decodeResponses, { model: "m", input: "Hello", max_output_tokens: 1 }],
  "anthropic-messages": [decodeMessages, { model: "m", messages: HELLO, max_tokens: 1 }],
  gemini: [
    decodeGemini,
    {
      model: "m",
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
      generationConfig: { maxOutputTokens: 1 },
    },
  ],
  embeddings: [decodeEmbeddingRequest, { model: "m", input: "Hello" }],
  images: [(body) => decodeImageParameters("generation", body), { model: "m", prompt: "An owl" }],
  rerank: [decodeRerankRequest, { model: "m", query: "q", documents: ["a"] }],
  speech: [decodeSpeech, { model: "m", input: "Hello", voice: "alloy" }],
  transcription: [(body) => decodeTranscription(body, "transcribe"), { model: "m" }],
}

function errorOf(decode: Decode, body: JsonObject): GatewayError {
  try {
    decode(body)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error(`not rejected: ${JSON.stringify(body)}`)
}

/** Returns a body that contains only this path. */
function bodyAt(path: string, value: JsonValue): JsonObject {
  return path.split(".").reduceRight<JsonValue>((inner, step) => {
    const isList = step.endsWith("[]")
    return { [isList ? step.slice(0, -2) : step]: isList ? [inner] : inner }
  }, value) as JsonObject
}

/** Returns other spellings of the last name of a path. */
function spellingsOf(path: string): string[] {
  const steps = path.split(".")
  const last = steps.pop() ?? ""
  const camel = last.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const spellings = [
    last.toUpperCase(),
    `${last.slice(0, 1).toUpperCase()}${last.slice(1)}`,
    camel,
    last.replaceAll("s", "\u017F"),
    last.replaceAll("k", "\u212A"),
  ]
  return spellings
    .filter((spelling) => spelling !== last)
    .map((spelling) => [...steps, spelling].join("."))
}

describe("validation of misspelled field names", () => {
  for (const [format, [decode, body]] of Object.entries(FORMATS)) {
    const own = Object.keys(body)
    const tier = format === "gemini" ? "serviceTier" : "service_tier"
    for (const name of [...own, "stream", tier, "tools", "models", "n"]) {
      test(`rejects other spellings of ${name} in the format ${format}`, () => {
        for (const spelling of spellingsOf(name)) {
          const error = errorOf(decode, { ...body, [spelling]: 1 })
          expect(error.kind).toBe("invalid_value")
          expect(error.message).toContain(`use '${name}'`)
        }
      })
    }
  }

  for (const dialect of [
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini",
  ] as const) {
    test(`rejects other spellings of every field of ${dialect} that affects the price`, () => {
      for (const path of switchPaths(dialect).filter((path) => !path.startsWith("tools[]."))) {
        const [decode, body] = FORMATS[dialect] ?? [decodeChat, {}]
        const steps = path.split(".")
        for (const [index] of steps.entries()) {
          const rest = steps.slice(index + 1)
          for (const spelling of spellingsOf(steps.slice(0, index + 1).join("."))) {
            const odd = bodyAt([spelling, ...rest].join("."), true)
            const error = errorOf(decode, { ...body, ...odd })
            expect(error.message, spelling).toMatch(/^Unknown parameter|^'/)
          }
        }
      }
    })
  }

  test("rejects other spellings of every tool field that affects the price", () => {
    for (const path of switchPaths("openai-chat").filter((path) => path.startsWith("tools[]."))) {
      for (const spelling of spellingsOf(path.slice("tools[].".length))) {
        const check = (): void => checkToolNames(bodyAt(spelling, true), "tools[0]")
        expect(check, spelling).toThrow(`Unknown parameter: 'tools[0].${spelling}'`)
      }
    }
  })

  test("rejects a misspelled field even if the request also has the correct field", () => {
    const [decode, body] = FORMATS["openai-chat"] ?? [decodeChat, {}]
    const plugins = [{ id: "moderation", ID: "web" }]
    expect(errorOf(decode, { ...body, plugins }).message).toBe(
      "Unknown parameter: 'plugins[0].ID'. Names are case-sensitive: use 'plugins[0].id'.",
    )
  })

  test("rejects misspelled fields in tools, nested tools and tools added in the conversation", () => {
    const switches = switchesOf("openai", "openai-responses")
    if (switches === undefined) throw new Error("OpenAI bills nothing")
    const find = (body: JsonObject) => findSwitches(body, switches, "openai-responses")
    const odd = { Type: "web_search" }
    for (const body of [
      { tools: [odd] },
      { tools: [{ type: "namespace", tools: [odd] }] },
      { store: false, input: [{ type: "additional_tools", tools: [odd] }] },
      { tools: [{ type: "code_interpreter", container: { type: "auto", Memory_Limit: "64g" } }] },
    ] as JsonObject[]) {
      expect(() => find(body)).toThrow("Names are case-sensitive")
    }
  })
})

/** Returns the paths of all fields for which any vendor charges in a dialect. */
function switchPaths(dialect: DialectId): string[] {
  return [...Object.values(BILLABLE), USUAL_BILLABLE].flatMap(
    (byDialect) => byDialect[dialect]?.fields.map(({ path }) => path) ?? [],
  )
}

describe("validation of output limit names", () => {
  const limits = {
    "openai-chat": "max_tokens",
    "openai-responses": "max_output_tokens",
    "anthropic-messages": "max_tokens",
    gemini: "generationConfig.maxOutputTokens",
  }
  for (const [format, limit] of Object.entries(limits)) {
    const [decode, body] = FORMATS[format] ?? [decodeChat, {}]
    for (const name of ["n_predict", "num_predict", "max_new_tokens", "max_length", "min_tokens"]) {
      for (const place of [name, name.toUpperCase(), `options.${name}`, `extra_body.${name}`]) {
        test(`rejects ${place} in the format ${format}`, () => {
          const error = errorOf(decode, { ...body, ...bodyAt(place, 8_000) })
          expect(error.message).toBe(
            `'${place}' is not a parameter of this endpoint. Limit the output with '${limit}'.`,
          )
        })
      }
    }
  }

  test("rejects the output limit name of another format", () => {
    const [chat, body] = FORMATS["openai-chat"] ?? [decodeChat, {}]
    expect(errorOf(chat, { ...body, max_output_tokens: 5 }).details.parameter).toBe(
      "max_output_tokens",
    )
    const [responses, other] = FORMATS["openai-responses"] ?? [decodeChat, {}]
    expect(errorOf(responses, { ...other, max_tokens: 5 }).details.parameter).toBe("max_tokens")
  })
})

test("the gateway rejects a model in extra_body", () => {
  const [decode, body] = FORMATS["openai-chat"] ?? [decodeChat, {}]
  expect(errorOf(decode, { ...body, extra_body: { model: "other" } }).message).toBe(
    "'extra_body.model' is not supported. Set 'model' itself.",
  )
})

test("the gateway rejects a prompt template", () => {
  const [decode, body] = FORMATS["openai-chat"] ?? [decodeChat, {}]
  const template = "{{ 'word ' * 100000 }}"
  for (const [field, place] of [
    [{ chat_template: template }, "chat_template"],
    [{ Chat_Template: template }, "Chat_Template"],
    [{ chat_template_kwargs: { chat_template: template } }, "chat_template_kwargs.chat_template"],
  ] as const) {
    expect(errorOf(decode, { ...body, ...field }).details.parameter).toBe(place)
  }
})

test("the gateway accepts any spelling of fields that do not affect billing", () => {
  const [decode, body] = FORMATS["openai-chat"] ?? [decodeChat, {}]
  const free = {
    chat_template_kwargs: { Model: "x" },
    options: { num_ctx: 4_096 },
    extra_body: { google: { thinking_config: {} } },
    metadata: { Model: "x", N: "1" },
    Teleport: true,
  }
  const decoded = decode({ ...body, ...free })
  expect(isJsonObject(decoded)).toBe(true)
})

test("the gateway accepts at most 256 plugins", () => {
  const [decode, body] = FORMATS["openai-chat"] ?? [decodeChat, {}]
  const plugins = Array.from({ length: 257 }, () => ({ id: "web" }))
  expect(errorOf(decode, { ...body, plugins }).message).toBe(
    "'plugins' has more than 256 elements. Send fewer.",
  )
})

test.each(["n_cmpl", "N_Cmpl", "num_return_sequences"])(
  "the gateway rejects %s, which takes precedence over n at some servers",
  (name) => {
    for (const format of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"]) {
      const [decode, body] = FORMATS[format] ?? []
      if (decode === undefined) throw new Error(format)
      expect(errorOf(decode, { ...body, [name]: 8 }).details.parameter).toBe(name)
    }
  },
)

test.each(["url", "URL", "file_url", "fileUrl", "file_id", "audio_url", "source_url"])(
  "the gateway rejects %s of a transcription, because it measures only uploaded audio",
  (name) => {
    const [decode, body] = FORMATS.transcription ?? []
    if (decode === undefined) throw new Error("no format")
    const { message } = errorOf(decode, { ...body, [name]: "https://example.com/ten-hours.wav" })
    expect(message).toBe(`'${name}' is not a parameter of this endpoint. Use 'file'.`)
  },
)

test.each(["batch_size", "num_images", "numberOfImages", "sequential_image_generation"])(
  "the gateway rejects %s, which some servers read as the number of images",
  (name) => {
    const [decode, body] = FORMATS.images ?? []
    if (decode === undefined) throw new Error("no format")
    const { message } = errorOf(decode, { ...body, [name]: 4 })
    expect(message).toBe(`'${name}' is not a parameter of this endpoint. Use 'n'.`)
  },
)

test("the gateway checks 26 MB of long field names quickly", () => {
  const names = Array.from({ length: 9_900 }, (_, index) => `${"_aB-".repeat(650)}${index}`)
  const unknown = Object.fromEntries(names.map((name) => [name, 1]))
  for (const [decode, body] of Object.values(FORMATS)) {
    const bodies = [
      { ...body, ...unknown },
      { ...body, extra_body: unknown, generationConfig: unknown },
    ]
    for (const each of bodies) {
      const taken = threadTime(() => {
        try {
          decode(structuredClone(each))
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
        }
      }, 250)
      expect(taken).toBeLessThan(250)
    }
  }
})
