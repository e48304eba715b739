import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ModelSettings } from "../../../src/config/settings.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../../support/gateway.ts"
import { respond, response as wholeResponse } from "../billable-frames.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { CHAT, dataOf, errorOf, nanocredits, receiptOf } from "../support.ts"

/** The tests cover images and audio from chat models, in every format of callers, streamed and not streamed. */

type Json = Record<string, unknown>

const MESSAGES = "/v1/messages"
const RESPONSES = "/v1/responses"
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const DATA_URL = `data:image/png;base64,${PNG}`
const BY_TOKENS = { input: "0.3", output: "30" }
/** A price that differs for text and images. */
const SPLIT = { input: "0.3", output: "2.5", image_output: "30" }
/** A model for which image tokens are reported separately. */
const COUNTED = "google/gemini-3-pro-image"

let gateway: TestGateway
let vendor: ScriptedVendor
let caller: TestCaller

const IMAGE_ITEM = {
  type: "image_generation_call",
  id: "ig_1",
  status: "completed",
  output_format: "png",
  result: PNG,
}

/** Returns a response in one of OpenAI's formats that contains a sentence and an image. */
function drawing(path: string, body: Json): Response {
  if (path.endsWith("/responses")) {
    const whole = wholeResponse([IMAGE_ITEM])
    return respond(path, body, whole)
  }
  const counted = { completion_tokens_details: { image_tokens: 1_290, reasoning_tokens: 4 } }
  const usage = {
    prompt_tokens: 10,
    completion_tokens: 1_300,
    total_tokens: 1_310,
    ...(body["model"] === COUNTED && counted),
  }
  const images = [{ type: "image_url", image_url: { url: DATA_URL } }]
  const head = { id: "gen-1", created: 1, model: "x" }
  if (body["stream"] !== true) {
    const message = { role: "assistant", content: "Here it is.", images }
    return Response.json({
      ...head,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    })
  }
  const chunk = (delta: Json, finish: string | null = null, more: Json = {}): string =>
    `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
  return streamed([
    chunk({ role: "assistant", content: "Here it is." }),
    chunk({ content: "", images }),
    chunk({}, "stop", { usage }),
    "data: [DONE]\n\n",
  ])
}

beforeAll(async () => {
  vendor = startVendor((request, number) =>
    drawing(new URL(request.url).pathname, vendor.bodies[number - 1] ?? {}),
  )
  const at = (id: string, model: string, more: Partial<ModelSettings> = {}): ModelSettings => ({
    kind: "image",
    price: BY_TOKENS,
    deployments: [{ provider: id, model, weight: 1 }],
    ...more,
  })
  const FLASH = "gemini-2.5-flash-image"
  gateway = await startGateway({
    providersAt: (url) => ({
      google: provider(url, "google"),
      openrouter: provider(vendor.url, "openrouter"),
      plain: provider(vendor.url),
      openai: { ...provider(vendor.url, "openai"), dialects: ["openai-responses"] },
    }),
    models: {
      "google/image": at("google", FLASH),
      "google/priced": at("google", FLASH, { price: { ...BY_TOKENS, image: "40000" } }),
      "google/images-alone": at("google", FLASH, { price: { image: "40000" } }),
      "google/split": at("google", FLASH, { price: SPLIT }),
      "google/limited": at("google", FLASH, { maxOutput: 2_048 }),
      "google/tts": at("google", "gemini-2.5-flash-preview-tts", {
        kind: "speech",
        price: { input: "0.5", audio_output: "10" },
      }),
      "google/imagen": at("google", "imagen-4.0-generate-001", { price: { image: "40000" } }),
      "openrouter/image": at("openrouter", "google/gemini-2.5-flash-image"),
      "openrouter/split": at("openrouter", "google/gemini-2.5-flash-image", { price: SPLIT }),
      "plain/counted": at("plain", COUNTED, { kind: "chat", price: SPLIT }),
      "plain/chat": at("plain", "m", { kind: "chat" }),
      "openai/drawing": at("openai", "gpt-5.5", { kind: "chat" }),
    },
  })
  caller = await gateway.caller("1000")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const ASKED = "Draw an owl"
const asks = (path: string): Json => {
  if (path === RESPONSES) return { input: ASKED }
  if (path === MESSAGES) return { max_tokens: 4_000, messages: [{ role: "user", content: ASKED }] }
  if (path === CHAT) return { messages: [{ role: "user", content: ASKED }] }
  return { contents: [{ role: "user", parts: [{ text: ASKED }] }] }
}

/** Sends a request to a model in one format. */
function ask(format: string, model: string, stream: boolean, more: Json = {}): Promise<Response> {
  if (format !== "gemini") {
    return caller.post(format, { model, ...asks(format), ...(stream && { stream }), ...more })
  }
  const method = stream ? "streamGenerateContent?alt=sse" : "generateContent"
  return caller.post(`/v1beta/models/${model}:${method}`, { ...asks(format), ...more })
}

/** Returns the frames of a stream, or the single object of a response that is not streamed. */
async function objectsOf(response: Response, stream: boolean): Promise<Json[]> {
  const text = await response.text()
  expect(response.status, text).toBe(200)
  if (!stream) return [JSON.parse(text) as Json]
  const data = dataOf(text).filter((each) => each !== "[DONE]")
  return data.map((each) => JSON.parse(each) as Json)
}

/** Returns all objects within a value that have a member with this name. */
function having(value: unknown, name: string): Json[] {
  if (Array.isArray(value)) return value.flatMap((each) => having(each, name))
  if (typeof value !== "object" || value === null) return []
  const own = value as Json
  return [...(own[name] === undefined ? [] : [own]), ...having(Object.values(own), name)]
}

/** Returns the base64 of the images in a response, at the positions where a client of the format reads them. */
function imagesIn(format: string, objects: readonly Json[]): unknown[] {
  if (format === CHAT) {
    return having(objects, "image_url").map(({ image_url: address }) =>
      String((address as Json)["url"]).replace(/^data:image\/png;base64,/, ""),
    )
  }
  if (format === RESPONSES) {
    const done = objects.filter(({ type }) => type === "response.completed")
    const whole = done.length === 0 ? objects : done
    return having(whole, "result").map(({ result }) => result)
  }
  return having(objects, "inlineData").map(({ inlineData }) => (inlineData as Json)["data"])
}

/** Returns the base64 of the pieces of audio in a response. */
function soundIn(format: string, objects: readonly Json[]): string[] {
  if (format === CHAT) {
    return having(objects, "audio").map(({ audio }) => String((audio as Json)["data"] ?? ""))
  }
  if (format !== RESPONSES) return imagesIn("gemini", objects).map(String)
  const pieces = objects.filter(({ type }) => type === "response.audio.delta")
  if (pieces.length > 0) return pieces.map(({ delta }) => String(delta))
  return having(objects, "transcript").map(({ data }) => String(data))
}

for (const stream of [false, true]) {
  describe(stream ? "a streamed chat answer" : "a whole chat answer", () => {
    for (const model of ["google/image", "openrouter/image", "openai/drawing"]) {
      for (const format of [CHAT, RESPONSES, "gemini"]) {
        test(`contains an image of ${model} in the format ${format}`, async () => {
          const response = await ask(format, model, stream)
          const images = imagesIn(format, await objectsOf(response, stream))
          expect(images).toHaveLength(1)
          expect(String(images[0]).slice(0, 8)).toBe(PNG.slice(0, 8))
          const losses = response.headers.get("x-tollgate-losses") ?? ""
          expect(losses).not.toContain("image")
        })
      }
    }

    test("contains only text for an Anthropic request to a model that can generate images", async () => {
      const response = await ask(MESSAGES, "google/image", stream)
      expect(response.headers.get("x-tollgate-losses")).toBe("output.image:dropped")
      const text = JSON.stringify(await objectsOf(response, stream))
      expect(text).toContain("Here it is.")
      const { usage } = await receiptOf(caller, response)
      expect(usage?.["output"]).toBe(4)
    })

    test("reports an image that an Anthropic client did not request as lost", async () => {
      const response = await ask(MESSAGES, "openai/drawing", stream)
      await objectsOf(response, stream)
      const receipt = (await receiptOf(caller, response)) as unknown as { losses: unknown }
      expect(JSON.stringify(receipt.losses)).toContain("output.image")
      if (!stream) {
        expect(response.headers.get("x-tollgate-losses")).toBe("output.image:dropped")
      }
    })

    for (const format of [CHAT, RESPONSES, "gemini"]) {
      test(`contains speech from Gemini in the format ${format}`, async () => {
        const asked: Record<string, Json> = {
          [CHAT]: { modalities: ["text", "audio"], audio: { voice: "Kore", format: "pcm16" } },
          [RESPONSES]: {},
          gemini: {
            generationConfig: {
              responseModalities: ["AUDIO"],
              speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
            },
          },
        }
        const response = await ask(format, "google/tts", stream, asked[format])
        const objects = await objectsOf(response, stream)
        const pieces = soundIn(format, objects).map((piece) => Buffer.from(piece, "base64"))
        expect(pieces).toHaveLength(stream ? 2 : 1)
        const header = format === RESPONSES ? 44 : 0
        const bytes = Buffer.concat(pieces).subarray(header)
        const { usage, cost } = await receiptOf(caller, response)
        expect(usage?.["audio_output"]).toBe(Math.ceil((bytes.byteLength / 48_000) * 25))
        const input = (usage?.["input"] ?? 0) * 500
        expect(nanocredits(cost)).toBe(BigInt(input + (usage?.["audio_output"] ?? 0) * 10_000))
      })
    }

    test("contains Gemini's audio samples as a WAV file on request", async () => {
      const asked = { modalities: ["audio"], audio: { voice: "Kore", format: "wav" } }
      const response = await ask(CHAT, "google/tts", stream, asked)
      const pieces = having(await objectsOf(response, stream), "audio").map(({ audio }) =>
        Buffer.from(String((audio as Json)["data"] ?? ""), "base64"),
      )
      const bytes = Buffer.concat(pieces)
      expect(bytes.subarray(0, 4).toString()).toBe("RIFF")
      expect(bytes.readUInt32LE(24)).toBe(24_000)
    })
  })
}

describe("charges for media in a chat", () => {
  async function charged(model: string, more: Json = {}): Promise<bigint> {
    const response = await ask(CHAT, model, false, more)
    await objectsOf(response, false)
    return nanocredits(response.headers.get("x-tollgate-cost") ?? "")
  }

  test("use the token price of an image, or the price per image if the model has one", async () => {
    const byTokens = await charged("google/image")
    expect(byTokens).toBe(3n * 300n + 1_290n * 30_000n)
    expect(await charged("google/priced")).toBe(byTokens + 40_000_000n)
  })

  for (const stream of [false, true]) {
    for (const format of [CHAT, RESPONSES, "gemini"]) {
      const how = `${stream ? "streamed" : "whole"} at ${format}`
      test(`use the text price for text that accompanies an image, ${how}`, async () => {
        const more = format === CHAT && stream ? { stream_options: { include_usage: true } } : {}
        const response = await ask(format, "plain/counted", stream, more)
        const objects = await objectsOf(response, stream)
        const { usage, cost } = await receiptOf(caller, response)
        expect(usage).toMatchObject({ output: 10, reasoning: 4, image_output: 1_290 })
        expect(nanocredits(cost)).toBe(10n * 300n + 10n * 2_500n + 1_290n * 30_000n)
        const shown = JSON.stringify(objects)
        expect(shown).toContain(
          format === "gemini" ? '{"modality":"IMAGE","tokenCount":1290}' : '"image_tokens":1290',
        )
      })
    }

    test(`use the image price for output without a breakdown by type, ${stream ? "streamed" : "whole"}`, async () => {
      const response = await ask(CHAT, "openrouter/split", stream)
      await objectsOf(response, stream)
      const { usage, cost } = await receiptOf(caller, response)
      expect(usage).toEqual({ input: 10, image_output: 1_300 })
      expect(nanocredits(cost)).toBe(10n * 300n + 1_300n * 30_000n)
    })
  }

  test("use the text price for a response without an image", async () => {
    expect(await charged("google/split")).toBe(3n * 300n + 1_290n * 30_000n)
    const text = await charged("google/split", { modalities: ["text"] })
    expect(text).toBe(3n * 300n + 4n * 2_500n)
  })

  test("do not use the image price for text of the same model", async () => {
    const cost = await charged("google/priced", { modalities: ["text"] })
    expect(cost).toBe(3n * 300n + 4n * 30_000n)
  })

  test("require a hold for as many images as the output limit allows", async () => {
    const estimate = async (model: string): Promise<bigint> => {
      const body = { model, ...asks(CHAT), max_tokens: 2_048 }
      const response = await caller.post("/v1/estimate", { path: CHAT, body })
      const { most } = (await response.json()) as { most: string }
      return nanocredits(most)
    }
    const more = (await estimate("google/priced")) - (await estimate("google/image"))
    expect(more).toBeGreaterThanOrEqual(3n * 40_000_000n)
    expect(more).toBeLessThan(3n * 40_000_000n + 1_000_000n)
    // The whole output may consist of images.
    expect(await estimate("google/split")).toBe(await estimate("google/image"))
  })

  test("require that the model has a token price", async () => {
    const error = await errorOf(await ask(CHAT, "google/images-alone", false))
    expect(error.code).toBe("model_not_priced")
  })
})

describe("chat requests to a model of another kind", () => {
  test("return an error that names the correct endpoint", async () => {
    const error = await errorOf(await ask(CHAT, "google/imagen", false))
    expect(error.code).toBe("model_not_supported")
    expect(error.message).toContain("/v1/images/generations")
  })

  test("cannot use a speech model in a format that has no audio", async () => {
    const error = await errorOf(await ask(MESSAGES, "google/tts", false))
    expect(error.message).toContain("answers with audio")
  })
})

describe("the requested shape of an image", () => {
  const BY_CALLER = {
    [CHAT]: { image_config: { aspect_ratio: "16:9", image_size: "2K" } },
    gemini: { generationConfig: { imageConfig: { aspectRatio: "16:9", imageSize: "2K" } } },
  }
  for (const format of [CHAT, "gemini"] as const) {
    for (const stream of [false, true]) {
      const how = `${stream ? "streamed" : "whole"} from ${format}`
      test(`reaches Gemini, ${how}`, async () => {
        const response = await ask(format, "google/image", stream, BY_CALLER[format])
        await objectsOf(response, stream)
        expect(response.headers.get("x-tollgate-losses")).toBeNull()
        expect(gateway.simulator.requests.at(-1)?.body).toMatchObject(BY_CALLER.gemini)
        expect(gateway.simulator.requests.at(-1)?.body).not.toHaveProperty("image_config")
      })

      test(`reaches OpenRouter, ${how}`, async () => {
        const response = await ask(format, "openrouter/image", stream, BY_CALLER[format])
        await objectsOf(response, stream)
        expect(response.headers.get("x-tollgate-losses")).toBeNull()
        expect(vendor.bodies.at(-1)).toMatchObject(BY_CALLER[CHAT])
      })
    }
  }

  test("causes a reported loss if the provider has no field for it", async () => {
    const fromGemini = await ask("gemini", "plain/chat", false, BY_CALLER.gemini)
    await objectsOf(fromGemini, false)
    expect(fromGemini.headers.get("x-tollgate-losses")).toBe("image_config:dropped")
    expect(JSON.stringify(vendor.bodies.at(-1))).not.toContain("16:9")
    const fromChat = await ask(CHAT, "openai/drawing", false, BY_CALLER[CHAT])
    await objectsOf(fromChat, false)
    expect(fromChat.headers.get("x-tollgate-losses")).toBe("image_config:dropped")
  })

  test("causes a reported loss if one of its options exists only in the caller's format", async () => {
    const config = { ...BY_CALLER[CHAT].image_config, strength: 0.5 }
    const response = await ask(CHAT, "google/image", false, { image_config: config })
    await objectsOf(response, false)
    expect(response.headers.get("x-tollgate-losses")).toBe("image_config:dropped")
    expect(gateway.simulator.requests.at(-1)?.body).toMatchObject(BY_CALLER.gemini)
  })
})

describe("images of an earlier response", () => {
  const turns = {
    [CHAT]: {
      messages: [
        { role: "user", content: ASKED },
        {
          role: "assistant",
          content: "Here it is.",
          images: [{ type: "image_url", image_url: { url: DATA_URL } }],
        },
        { role: "user", content: "Now in blue" },
      ],
    },
    [RESPONSES]: {
      input: [
        { role: "user", content: ASKED },
        { type: "message", role: "assistant", content: "Here it is." },
        IMAGE_ITEM,
        { role: "user", content: "Now in blue" },
      ],
    },
    gemini: {
      contents: [
        { role: "user", parts: [{ text: ASKED }] },
        {
          role: "model",
          parts: [{ text: "Here it is." }, { inlineData: { mimeType: "image/png", data: PNG } }],
        },
        { role: "user", parts: [{ text: "Now in blue" }] },
      ],
    },
  }

  for (const format of [CHAT, RESPONSES, "gemini"] as const) {
    test(`reach Gemini from ${format} as part of the model's turn`, async () => {
      const response = await ask(format, "google/image", false, turns[format])
      await objectsOf(response, false)
      const sent = gateway.simulator.requests.at(-1)?.body as Json
      const turn = (sent["contents"] as Json[]).find(({ role }) => role === "model")
      expect(having(turn, "inlineData")).toHaveLength(1)
      expect(response.headers.get("x-tollgate-losses")).toBeNull()
    })

    // OpenRouter supports the Responses format itself, so the gateway does not convert it.
    if (format === RESPONSES) continue
    test(`reach OpenRouter from ${format} as part of the assistant's message`, async () => {
      await objectsOf(await ask(format, "openrouter/image", false, turns[format]), false)
      const messages = vendor.bodies.at(-1)?.["messages"] as Json[]
      const message = messages.find(({ role }) => role === "assistant")
      expect(message?.["images"]).toMatchObject([{ image_url: { url: DATA_URL } }])
    })
  }

  for (const format of [CHAT, "gemini"] as const) {
    test(`move from ${format} to the user's turn for OpenAI`, async () => {
      const response = await ask(format, "openai/drawing", false, turns[format])
      await objectsOf(response, false)
      const input = vendor.bodies.at(-1)?.["input"] as Json[]
      expect(having(input.at(-1), "image_url")).toHaveLength(1)
      expect(response.headers.get("x-tollgate-losses")).toBe("assistant.image:approximated")
    })
  }

  test("move to the user's turn for a server that uses the caller's chat format", async () => {
    const response = await ask(CHAT, "plain/chat", false, turns[CHAT])
    await objectsOf(response, false)
    const messages = vendor.bodies.at(-1)?.["messages"] as Json[]
    expect(messages[1]).toEqual({ role: "assistant", content: "Here it is." })
    expect(having(messages[2], "image_url")).toHaveLength(1)
    expect(response.headers.get("x-tollgate-losses")).toBe("assistant.image:approximated")
  })

  test("reach OpenAI from Responses unchanged", async () => {
    await objectsOf(await ask(RESPONSES, "openai/drawing", false, turns[RESPONSES]), false)
    expect(vendor.bodies.at(-1)?.["input"]).toContainEqual(IMAGE_ITEM)
  })
})

test("the image generation tool is dropped without a loss if the model itself generates images", async () => {
  const more = { tools: [{ type: "image_generation" }] }
  const response = await ask(RESPONSES, "google/image", false, more)
  expect(imagesIn(RESPONSES, await objectsOf(response, false))).toHaveLength(1)
  expect(response.headers.get("x-tollgate-losses")).toBeNull()
})
