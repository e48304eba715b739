import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { generateText } from "ai"
import { afterAll, beforeAll, expect, test } from "bun:test"
import { provider, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

/** Models for images and audio of Gemini, whose responses official clients read. */

const IMAGE = "google/gemini-2.5-flash-image"
const SPEECH = "google/gemini-2.5-flash-preview-tts"
const PNG = "iVBORw0KGgo"
const ASKED = "Draw an owl"

let gateway: TestGateway
let caller: TestCaller
let google: GoogleGenAI

beforeAll(async () => {
  gateway = await startGateway({
    providersAt: (url) => ({ google: provider(url, "google") }),
    models: {
      [IMAGE]: { kind: "image", price: { input: "0.3", output: "30" } },
      [SPEECH]: { kind: "speech", price: { input: "0.5", output: "10" } },
    },
  })
  caller = await gateway.caller("100")
  google = new GoogleGenAI({ apiKey: caller.key, httpOptions: { baseUrl: gateway.url } })
})

afterAll(() => gateway[Symbol.asyncDispose]())

test("Google's client reads images and speech, whole and streamed", async () => {
  const drawn = await google.models.generateContent({ model: IMAGE, contents: ASKED })
  const parts = drawn.candidates?.[0]?.content?.parts ?? []
  expect(parts.map(({ inlineData }) => inlineData?.mimeType)).toEqual([undefined, "image/png"])
  const stream = await google.models.generateContentStream({ model: IMAGE, contents: ASKED })
  const images: string[] = []
  for await (const { candidates } of stream) {
    for (const { inlineData } of candidates?.[0]?.content?.parts ?? []) {
      if (inlineData?.data !== undefined) images.push(inlineData.data)
    }
  }
  expect(images).toHaveLength(1)
  const spoken = await google.models.generateContent({
    model: SPEECH,
    contents: "Hello",
    config: {
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    },
  })
  const [part] = spoken.candidates?.[0]?.content?.parts ?? []
  expect(part?.inlineData?.mimeType).toStartWith("audio/")
})

test("OpenAI's client reads images from responses, whole and streamed, and sends the images back", async () => {
  const { responses } = caller.client
  const whole = await responses.create({ model: IMAGE, input: ASKED })
  const [call] = whole.output.filter((item) => item.type === "image_generation_call")
  expect(call?.result).toStartWith(PNG)
  const types: string[] = []
  for await (const event of await responses.create({ model: IMAGE, input: ASKED, stream: true })) {
    types.push(event.type)
  }
  expect(types).toContain("response.image_generation_call.completed")
  expect(types.at(-1)).toBe("response.completed")
  const next = await responses.create({
    model: IMAGE,
    previous_response_id: whole.id,
    input: "Now in blue",
  })
  expect(next.status).toBe("completed")
  const sent = JSON.stringify(gateway.simulator.requests.at(-1)?.body)
  expect(sent.match(/inlineData/g)).toHaveLength(1)
})

test("OpenAI's client reads speech from a chat", async () => {
  const { choices } = await caller.client.chat.completions.create({
    model: SPEECH,
    modalities: ["text", "audio"],
    audio: { voice: "Kore", format: "wav" },
    messages: [{ role: "user", content: "Hello" }],
  })
  const { data = "", transcript } = choices[0]?.message.audio ?? {}
  expect(Buffer.from(data, "base64").subarray(0, 4).toString()).toBe("RIFF")
  expect(transcript).toBe("")
})

test("the AI SDK reads a response with an image", async () => {
  const openai = createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })
  const { text } = await generateText({ model: openai.responses(IMAGE), prompt: ASKED })
  expect(text).toBe("Here it is.")
})

test("Anthropic's client receives text only", async () => {
  const client = new Anthropic({ apiKey: caller.key, baseURL: gateway.url, maxRetries: 0 })
  const messages = [{ role: "user", content: ASKED }] as const
  const { content } = await client.messages.create({
    model: IMAGE,
    max_tokens: 100,
    messages: [...messages],
  })
  expect(content).toMatchObject([{ type: "text", text: "Here it is." }])
})
