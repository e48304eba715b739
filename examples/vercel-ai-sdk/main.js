// Requests text, a stream, a tool call, an object and embeddings. Any model works, because the gateway translates.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from "ai"
import { z } from "zod"

const url = process.env.TOLLGATE_URL ?? "http://127.0.0.1:8787"
const tollgate = createOpenAICompatible({
  name: "tollgate",
  baseURL: `${url}/v1`,
  apiKey: process.env.TOLLGATE_KEY,
  includeUsage: true,
  supportsStructuredOutputs: true,
})
const model = tollgate("anthropic/claude-sonnet-5")

const { text } = await generateText({ model, prompt: "Say hello in one word." })
console.log("text:", text)

process.stdout.write("stream: ")
for await (const part of streamText({ model, prompt: "Count to three." }).textStream) {
  process.stdout.write(part)
}
console.log()

const weather = tool({
  description: "Returns the weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sunny in ${city}`,
})
const answer = await generateText({
  model,
  tools: { weather },
  stopWhen: stepCountIs(3),
  prompt: "Call the tool weather for Rome.",
})
console.log("tool:", answer.text)

const { output } = await generateText({
  model: tollgate("openai/gpt-5.4-mini"),
  output: Output.object({ schema: z.object({ city: z.string(), country: z.string() }) }),
  prompt: "The capital of Italy",
})
console.log("object:", output)

const { embeddings } = await embedMany({
  model: tollgate.embeddingModel("openai/text-embedding-3-small"),
  values: ["one", "two"],
})
console.log(
  "embeddings:",
  embeddings.map((vector) => vector.length),
)
