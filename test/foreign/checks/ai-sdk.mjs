import { createAnthropic } from "@ai-sdk/anthropic"
import { createCohere } from "@ai-sdk/cohere"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import * as exported from "ai"
import { z } from "zod"
import { check, equal, holds, key, models, PIXEL, url, wave } from "./harness.mjs"

// Some functions have different names in different releases of the package, so each may be undefined.
const ai = { ...exported }

const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: key })
const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: key })
const compatible = createOpenAICompatible({
  name: "tollgate",
  baseURL: `${url}/v1`,
  apiKey: key,
  includeUsage: true,
  supportsStructuredOutputs: true,
})
const cohere = createCohere({ baseURL: `${url}/v2`, apiKey: key })

const FACES = {
  responses: (model) => openai(model),
  chat: (model) => openai.chat(model),
  messages: (model) => anthropic(model),
  compatible: (model) => compatible(model),
}

const weather = ai.tool({
  description: "The weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `Sun over ${typeof city === "string" ? "the city" : "nothing"}`,
})
const steps = { tools: { weather }, stopWhen: (ai.stepCountIs ?? ai.isStepCount)(3) }

async function streamed(options) {
  const result = ai.streamText({
    ...options,
    onError: ({ error }) => {
      throw error
    },
  })
  let text = ""
  for await (const part of result.fullStream) {
    if (part.type === "error") throw part.error
    if (part.type === "text-delta") text += part.text
  }
  return { text, usage: await result.usage, steps: await result.steps }
}

for (const model of models) {
  for (const [face, modelOf] of Object.entries(FACES)) {
    const named = (what) => `${model} ${face} ${what}`
    const base = { model: modelOf(model), maxRetries: 0 }

    await check(named("text"), async () => {
      const { text, usage, finishReason } = await ai.generateText({ ...base, prompt: "Hello you" })
      equal(text, "Hello you")
      equal(finishReason, "stop")
      holds(usage.inputTokens > 0 && usage.outputTokens > 0, `usage ${JSON.stringify(usage)}`)
    })

    await check(named("stream"), async () => {
      const { text, usage } = await streamed({ ...base, prompt: "Hello streaming you" })
      equal(text, "Hello streaming you")
      holds(usage.inputTokens > 0 && usage.outputTokens > 0, `usage ${JSON.stringify(usage)}`)
    })

    await check(named("system"), async () => {
      const { text } = await ai.generateText({ ...base, system: "Be short.", prompt: "Hi" })
      equal(text, "Hi")
    })

    await check(named("tools"), async () => {
      const result = await ai.generateText({ ...base, ...steps, prompt: "Call weather now" })
      equal(result.steps.length, 2)
      equal(result.steps[0].toolCalls[0].toolName, "weather")
      holds(result.text.includes("Sun over"), result.text)
    })

    await check(named("tools, streamed"), async () => {
      const result = await streamed({ ...base, ...steps, prompt: "Call weather now" })
      equal(result.steps.length, 2)
      holds(result.text.includes("Sun over"), result.text)
    })

    await check(named("object"), async () => {
      const schema = z.object({ city: z.string(), degrees: z.number() })
      const { object } = await ai.generateObject({ ...base, schema, prompt: "Weather of Rome" })
      schema.parse(object)
    })

    await check(named("second turn"), async () => {
      const question = { role: "user", content: "My name is Bob" }
      const first = await ai.generateText({ ...base, messages: [question] })
      const messages = [question, ...first.response.messages, { role: "user", content: "And now?" }]
      const second = await ai.generateText({ ...base, messages })
      equal(second.text, "And now?")
      holds(second.usage.inputTokens > first.usage.inputTokens, "the first turn was not sent")
    })

    await check(named("second turn after tools"), async () => {
      const question = { role: "user", content: "Call weather now" }
      const first = await ai.generateText({ ...base, ...steps, messages: [question] })
      const messages = [question, ...first.response.messages, { role: "user", content: "Thanks" }]
      const second = await streamed({ ...base, ...steps, messages })
      equal(second.text, "Thanks")
    })

    await check(named("image"), async () => {
      const content = [
        { type: "text", text: "What is this" },
        { type: "image", image: Buffer.from(PIXEL, "base64") },
      ]
      const { text } = await ai.generateText({ ...base, messages: [{ role: "user", content }] })
      holds(text.includes("What is this"), text)
    })

    await check(named("length"), async () => {
      const prompt = "/tokens 200"
      const result = await ai.generateText({ ...base, prompt, maxOutputTokens: 5 })
      equal(result.finishReason, "length")
    })

    if (face === "responses") continue
    await check(named("stop"), async () => {
      const prompt = "one two STOP three"
      const result = await streamed({ ...base, prompt, stopSequences: ["STOP"] })
      equal(result.text.trim(), "one two")
    })
  }

  await check(`${model} messages thinking`, async () => {
    const options = {
      model: anthropic(model),
      maxRetries: 0,
      providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
    }
    const question = { role: "user", content: "Think of weather" }
    const first = await ai.generateText({ ...options, ...steps, messages: [question] })
    const messages = [question, ...first.response.messages, { role: "user", content: "More" }]
    const second = await streamed({ ...options, ...steps, messages })
    equal(second.text, "More")
  })
}

await check("embeddings", async () => {
  const model = (openai.textEmbeddingModel ?? openai.embeddingModel)("sandbox/embed")
  const { embeddings } = await ai.embedMany({ model, values: ["a", "b"] })
  equal(embeddings.length, 2)
  holds(embeddings[0].length > 0, "an empty vector")
})

if (ai.rerank !== undefined && cohere.reranking !== undefined) {
  await check("rerank", async () => {
    const documents = ["the cat", "the weather in Rome", "a dog"]
    const model = cohere.reranking("sandbox/rerank")
    const { ranking } = await ai.rerank({ model, documents, query: "weather Rome", topN: 2 })
    equal(ranking.length, 2)
    equal(ranking[0].originalIndex, 1)
  })
}

await check("image", async () => {
  const generate = ai.generateImage ?? ai.experimental_generateImage
  const { image } = await generate({ model: openai.image("sandbox/image"), prompt: "A cat" })
  holds(image.uint8Array.length > 0, "an empty image")
})

await check("speech", async () => {
  const generate = ai.generateSpeech ?? ai.experimental_generateSpeech
  const model = openai.speech("sandbox/speech")
  const { audio } = await generate({ model, text: "Hello", voice: "alloy" })
  holds(audio.uint8Array.length > 0, "no sound")
})

await check("transcription", async () => {
  const transcribe = ai.transcribe ?? ai.experimental_transcribe
  const { text } = await transcribe({
    model: openai.transcription("sandbox/transcribe"),
    audio: wave(),
  })
  holds(text.length > 0, "no text")
})
