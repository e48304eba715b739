import { describe, expect, test } from "bun:test"
import { createOpenAI } from "@ai-sdk/openai"
import {
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  streamText,
  tool,
  type ToolSet,
} from "ai"
import { modelAt, sixUpstreams, UPSTREAMS } from "./six-upstreams.ts"

const upstreams = sixUpstreams()

const TOOLS: ToolSet = {
  get_weather: tool({
    inputSchema: jsonSchema({ type: "object", properties: {} }),
    execute: () => "sunny and 21 degrees",
  }),
}

/** Sends one turn with the AI SDK and its default options. Earlier responses are referenced and not sent again. */
async function turn(id: string, messages: ModelMessage[], isStreamed: boolean): Promise<string> {
  const { gateway, caller } = upstreams
  const openai = createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })
  const order = {
    model: openai(id),
    messages,
    tools: TOOLS,
    stopWhen: isStepCount(3),
    providerOptions: {
      openai: { reasoningEffort: "medium", reasoningSummary: "auto", forceReasoning: true },
    },
  } as const
  const result = isStreamed ? streamText(order) : await generateText(order)
  const text = await result.text
  messages.push(...(await result.response).messages)
  return text
}

function sent(): string {
  return JSON.stringify(upstreams.gateway.simulator.requests.at(-1)?.body)
}

describe.each(UPSTREAMS)("a stored conversation with %s", (upstream) => {
  test.each([false, true])(
    "continues in the AI SDK after thinking and a tool call; streamed: %p",
    async (isStreamed) => {
      const model = modelAt(upstream)
      const messages: ModelMessage[] = [{ role: "user", content: "Call get_weather" }]
      const first = await turn(model, messages, isStreamed)
      expect(first).not.toBe("")
      expect(sent()).toContain("sunny and 21 degrees")
      messages.push({ role: "user", content: "And what is my name?" })
      expect(await turn(model, messages, isStreamed)).not.toBe("")
      if (upstream !== "openai-responses") expect(sent()).toContain("sunny and 21 degrees")
    },
  )
})
