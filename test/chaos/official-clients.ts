/** Official clients without their own retries. Each sends one request and returns the response as one text. */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { generateText, type LanguageModel, streamText } from "ai"
import { CohereClientV2 } from "cohere-ai"
import OpenAI, { toFile } from "openai"
import { wave } from "../support/audio.ts"

// Disables warnings that a package prints about the names of the test models.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** The prompt, the gateway's address, and the `fetch` to use. */
export interface Order {
  readonly url: string
  readonly key: string
  readonly model: string
  /** The prompt. A chat is answered with the same text. */
  readonly text: string
  readonly fetch: typeof fetch
}

export type Operation = "chat" | "embedding" | "rerank" | "image" | "speech" | "transcription"

/** One way to send a request with an official client. */
export interface OfficialClient {
  readonly name: string
  readonly operation: Operation
  readonly isStreamed: boolean
  /** Sends a request. Resolves with the text that the client returns as the complete response. */
  readonly ask: (order: Order) => Promise<string>
}

const MAX_TOKENS = 200
const DOCUMENTS = ["rain in Spain", "Paris is the capital of France", "the capital of Italy"]
const SOUND = wave(1)

export const OFFICIAL_CLIENTS: readonly OfficialClient[] = [
  chat("openai chat", false, async (order) => {
    const { choices } = await openai(order).chat.completions.create(messagesOf(order))
    return choices[0]?.message.content ?? ""
  }),
  chat("openai chat", true, async (order) => {
    const stream = { stream: true, stream_options: { include_usage: true } } as const
    const chunks = await openai(order).chat.completions.create({ ...messagesOf(order), ...stream })
    let text = ""
    let finish: string | null | undefined
    for await (const { choices } of chunks) {
      text += choices[0]?.delta.content ?? ""
      finish = choices[0]?.finish_reason ?? finish
    }
    return finish === "stop" ? text : `${text}, and no reason for its end`
  }),
  chat("openai responses", false, async (order) => {
    const { model, text: input } = order
    const response = await openai(order).responses.create({ model, input, store: false })
    return response.output_text
  }),
  chat("openai responses", true, async (order) => {
    const { model, text: input } = order
    const stream = openai(order).responses.stream({ model, input, store: false })
    const response = await stream.finalResponse()
    if (response.status !== "completed") throw new Error(`it is ${response.status}`)
    return response.output_text
  }),
  chat("anthropic", false, async (order) => {
    const { content } = await anthropic(order).messages.create({
      ...messagesOf(order),
      max_tokens: MAX_TOKENS,
    })
    return content.map((block) => (block.type === "text" ? block.text : "")).join("")
  }),
  chat("anthropic", true, async (order) => {
    const body = { ...messagesOf(order), max_tokens: MAX_TOKENS }
    return anthropic(order).messages.stream(body).finalText()
  }),
  chat("google", false, async (order) => {
    const { model, text: contents } = order
    return (await google(order).models.generateContent({ model, contents })).text ?? ""
  }),
  chat("google", true, async (order) => {
    const { model, text: contents } = order
    let text = ""
    let finish: string | undefined
    for await (const part of await google(order).models.generateContentStream({
      model,
      contents,
    })) {
      text += part.text ?? ""
      finish = part.candidates?.[0]?.finishReason ?? finish
    }
    return finish === "STOP" ? text : `${text}, and no reason for its end`
  }),
  chat("AI SDK openai", false, (order) => sdkWhole(order, sdkOpenAi(order).chat(order.model))),
  chat("AI SDK openai", true, (order) => sdkStream(order, sdkOpenAi(order).chat(order.model))),
  chat("AI SDK anthropic", true, (order) => sdkStream(order, sdkAnthropic(order)(order.model))),
  operation("openai embeddings", "embedding", async (order) => {
    const { data } = await openai(order).embeddings.create({ model: order.model, input: "the cat" })
    return JSON.stringify(data.map(({ embedding }) => embedding))
  }),
  operation("cohere rerank", "rerank", async (order) => {
    const { model, url, key: token } = order
    const client = new CohereClientV2({
      token,
      environment: url,
      maxRetries: 0,
      fetch: order.fetch,
    })
    const query = "capital of France"
    const { results } = await client.rerank({ model, query, documents: DOCUMENTS })
    return JSON.stringify(results.map(({ index, relevanceScore }) => [index, relevanceScore]))
  }),
  operation("openai images", "image", async (order) => {
    const { data } = await openai(order).images.generate({
      model: order.model,
      prompt: "a lighthouse",
      response_format: "b64_json",
    })
    return JSON.stringify(data?.map(({ b64_json }) => b64_json))
  }),
  operation("openai speech", "speech", async (order) => {
    const { model } = order
    const input = "Hello there, gateway. How are you today?"
    const response = await openai(order).audio.speech.create({ model, voice: "alloy", input })
    return Buffer.from(await response.arrayBuffer()).toString("base64")
  }),
  operation("openai transcription", "transcription", async (order) => {
    const file = await toFile(SOUND, "speech.wav", { type: "audio/wav" })
    const { text } = await openai(order).audio.transcriptions.create({ model: order.model, file })
    return text
  }),
]

function chat(
  name: string,
  isStreamed: boolean,
  ask: (order: Order) => Promise<string>,
): OfficialClient {
  return { name: `${name}${isStreamed ? ", streamed" : ""}`, operation: "chat", isStreamed, ask }
}

function operation(
  name: string,
  operation: Operation,
  ask: (order: Order) => Promise<string>,
): OfficialClient {
  return { name, operation, isStreamed: operation === "speech", ask }
}

function messagesOf({ model, text }: Order) {
  return { model, messages: [{ role: "user" as const, content: text }] }
}

function openai({ url, key, fetch }: Order): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0, fetch })
}

function anthropic({ url, key, fetch }: Order): Anthropic {
  return new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0, fetch })
}

function google({ url, key, fetch }: Order): GoogleGenAI {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, fetch } })
}

function sdkOpenAi({ url, key, fetch }: Order) {
  return createOpenAI({ apiKey: key, baseURL: `${url}/v1`, fetch })
}

function sdkAnthropic({ url, key, fetch }: Order) {
  return createAnthropic({ apiKey: key, baseURL: `${url}/v1`, fetch })
}

async function sdkWhole({ text: prompt }: Order, model: LanguageModel): Promise<string> {
  return (await generateText({ model, prompt, maxRetries: 0 })).text
}

/** @throws the error in the stream. */
async function sdkStream({ text: prompt }: Order, model: LanguageModel): Promise<string> {
  let failure: unknown
  const result = streamText({
    model,
    prompt,
    maxRetries: 0,
    onError: ({ error }) => {
      failure = error
    },
  })
  await result.consumeStream()
  if (failure !== undefined) throw failure
  return result.text
}
