import { describe, expect, test } from "bun:test"
import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool"
import type { CallableTool, FunctionCall, Part } from "@google/genai"
import OpenAI from "openai"
import { ResponsesToolRunner, type RunnerFunction } from "openai/helpers/responses-tool-runner"
import { anthropicOf } from "../matrix/anthropic-client.ts"
import { googleOf } from "../matrix/google-client.ts"
import { modelAt, sixUpstreams, UPSTREAMS } from "../matrix/six-upstreams.ts"

const upstreams = sixUpstreams()

const TASK = 'call find {"name":"a"}\ncall find {"name":"b"}'
const SCHEMA = {
  type: "object" as const,
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
}
const DONE = "The tools answered: found b"

const found = (name: unknown) => `found ${String(name)}`

function openai(): OpenAI {
  return new OpenAI({ apiKey: upstreams.caller.key, baseURL: upstreams.baseUrl, maxRetries: 0 })
}

describe.each(UPSTREAMS)("tool runners with %s", (upstream) => {
  const model = modelAt(upstream)

  test.each([false, true])(
    "run tools through Anthropic's SDK, in its default beta for threads, stream %p",
    async (stream) => {
      const find: BetaRunnableTool<{ name: string }> = {
        name: "find",
        input_schema: SCHEMA,
        parse: (input) => input as { name: string },
        run: ({ name }) => found(name),
      }
      const messages = [{ role: "user" as const, content: TASK }]
      const order = { model, max_tokens: 1_000, tools: [find], messages, stream }
      const { content } = await anthropicOf(upstreams).beta.messages.toolRunner(order)
      expect(content.at(-1)).toMatchObject({ type: "text", text: DONE })
    },
  )

  test("run tools through OpenAI's SDK over chat completions", async () => {
    const find = {
      type: "function" as const,
      function: {
        name: "find",
        parameters: SCHEMA,
        parse: (text: string) => JSON.parse(text) as { name: string },
        function: ({ name }: { name: string }) => found(name),
        description: "Finds.",
      },
    }
    const messages = [{ role: "user" as const, content: TASK }]
    const runner = openai().chat.completions.runTools({ model, messages, tools: [find] })
    expect(await runner.finalContent()).toBe(DONE)
    const stream = true as const
    const streaming = openai().chat.completions.runTools({ model, messages, tools: [find], stream })
    expect(await streaming.finalContent()).toBe(DONE)
  })

  test.each([false, true])(
    "run tools through OpenAI's SDK over responses, stream %p",
    async (stream) => {
      const find: RunnerFunction = {
        tool: { type: "function", name: "find", parameters: SCHEMA, strict: true },
        execute: ({ name }) => found(name),
      }
      const runner = new ResponsesToolRunner({ functions: [find] })
      const response = await runner.run(openai(), { model, input: TASK }, { stream })
      expect(response.output_text).toBe(DONE)
    },
  )

  test("run tools through Google's SDK, which calls functions automatically", async () => {
    const declared = { name: "find", parametersJsonSchema: SCHEMA }
    const respond = ({ name = "", args }: FunctionCall): Part => ({
      functionResponse: { name, response: { output: found(args?.["name"]) } },
    })
    const find: CallableTool = {
      tool: () => Promise.resolve({ functionDeclarations: [declared] }),
      callTool: (calls) => Promise.resolve(calls.map(respond)),
    }
    const config = { tools: [find] }
    const { models } = googleOf(upstreams)
    const response = await models.generateContent({ model, contents: TASK, config })
    expect(response.text).toContain("found b")
    let said = ""
    for await (const chunk of await models.generateContentStream({
      model,
      contents: TASK,
      config,
    })) {
      said += chunk.text ?? ""
    }
    expect(said).toContain("found b")
  })
})
