import { afterAll, beforeAll, expect, test } from "bun:test"
import { expressible, OWN_FORMATS, type Situation, type Turn } from "./situation.ts"
import { type StrictModel, StrictWorld } from "./strict-world.ts"
import { sampleOf } from "../support/exhaustive.ts"

const MODELS: readonly StrictModel[] = [
  { vendor: "openai", model: "gpt-5.6-terra" },
  { vendor: "openai", model: "o4-mini" },
  { vendor: "azure", model: "gpt-5.4" },
  { vendor: "anthropic", model: "claude-opus-4-8" },
  { vendor: "bedrock", model: "us.anthropic.claude-opus-4-8-v1:0" },
  { vendor: "google", model: "gemini-3.6-flash" },
  { vendor: "vertex", model: "gemini-3.6-flash" },
  { vendor: "vertex", model: "gemini-2.5-pro" },
  { vendor: "xai", model: "grok-4.3" },
  { vendor: "deepseek", model: "deepseek-v4-pro" },
  { vendor: "moonshot", model: "kimi-k2.6" },
  { vendor: "moonshot-cn", model: "kimi-k2.7-code" },
  { vendor: "zai", model: "glm-5.2" },
  { vendor: "zhipu", model: "glm-5.3" },
  { vendor: "minimax", model: "MiniMax-M2.7" },
  { vendor: "volcengine", model: "doubao-seed-1-8-251228" },
  { vendor: "volcengine", model: "doubao-seed-2-1-pro-260628" },
  { vendor: "xiaomi", model: "mimo-v2.6-pro" },
  { vendor: "scaleway", model: "gpt-oss-120b" },
  { vendor: "alibaba", model: "qwen3.6-plus" },
  { vendor: "mistral", model: "mistral-large-latest" },
  { vendor: "groq", model: "openai/gpt-oss-120b" },
  { vendor: "perplexity", model: "sonar-pro" },
  { vendor: "cohere", model: "command-a-reasoning-08-2025" },
]

const LOOK = [{ name: "look" }]
const CALLED: readonly Turn[] = [
  { role: "system", text: "Be brief." },
  { role: "user", text: "Look." },
  { role: "assistant", call: "call_1" },
  { role: "user", result: "call_1", text: "And now?" },
]
const NUMBER = { type: "object", properties: { n: { type: "integer", minimum: 1 } } }

/** Common requests, which clients and agents send to every model. */
const USUAL: Readonly<Record<string, Situation>> = {
  "an agent's request": { tools: LOOK, effort: "high", temperature: 0.3, turns: CALLED },
  "a budget of reasoning": { tools: LOOK, budget: 3000, turns: CALLED },
  sampling: { temperature: 0.3, topP: 0.9, stop: ["never"] },
  "all of OpenAI's sampling": {
    temperature: 0.3,
    presencePenalty: 0.5,
    frequencyPenalty: 0.5,
    seed: 3,
    logprobs: true,
  },
  "reasoning switched off": { effort: "none", temperature: 0.3 },
  "the highest effort": { effort: "max" },
  "the lowest effort": { effort: "minimal" },
  "strict tools": { tools: [{ name: "look", isStrict: true }], turns: CALLED },
  "a required call": { tools: LOOK, choice: "required" },
  "a schema of a list": { schema: { type: "array", items: { type: "string" } } },
  "a loose schema together with tools": { schema: NUMBER, tools: LOOK },
  "a JSON object": { isJson: true },
  "an unfinished turn": {
    turns: [
      { role: "user", text: "Go on." },
      { role: "assistant", text: "Once upon" },
    ],
  },
  "long names": { user: "u".repeat(300), tools: [{ name: `mcp__${"x".repeat(90)}` }] },
}

let world: StrictWorld

beforeAll(async () => {
  world = await StrictWorld.start(
    Object.fromEntries(MODELS.map((model) => [`t/${model.vendor}/${model.model}`, model])),
  )
})

afterAll(() => world[Symbol.asyncDispose]())

for (const [modelIndex, { vendor, model }] of MODELS.entries()) {
  test(`${vendor}/${model} accepts typical requests of clients`, async () => {
    const own = OWN_FORMATS[vendor] ?? []
    for (const [index, [name, situation]] of Object.entries(USUAL).entries()) {
      const foreign = expressible(situation).filter((format) => !own.includes(format))
      const formats = sampleOf(foreign, 2, modelIndex + index)
      const outcomes = await world.askAll(formats, `t/${vendor}/${model}`, situation, [true])
      for (const { format, status, text } of outcomes) {
        expect([name, format, status, status === 200 ? "" : text]).toEqual([name, format, 200, ""])
      }
    }
  })
}
