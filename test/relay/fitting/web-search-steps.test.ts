import { describe, expect, test } from "bun:test"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages"
import { GoogleGenAI } from "@google/genai"
import { generateText, type ModelMessage, streamText } from "ai"
import OpenAI from "openai"
import type { ResponseInput } from "openai/resources/responses/responses"
import { MICE, OWLS, searched } from "./search-traffic.ts"
import { caller, gateway, searchWorld, vendor } from "./search-world.ts"
import { nanocredits, receiptOf } from "../support.ts"

/**
 * The tests check that callers with other dialects receive a vendor's search queries and results, and can send them
 * back.
 */

type Json = Record<string, unknown>

const GPT = "gpt/m"
const CLAUDE = "claude/m"
const GEMINI = "gemini/m"
const QUESTION = { role: "user", content: "Owls?" } as const
const CLAUDE_TOOL = { type: "web_search_20250305", name: "web_search" } as const

searchWorld(searched)

function anthropic(): Anthropic {
  return new Anthropic({ apiKey: caller.key, baseURL: gateway.url, maxRetries: 0 })
}

function openai(): OpenAI {
  return new OpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
}

function ask(model: string, messages: MessageParam[] = [QUESTION]) {
  return { model, max_tokens: 50, messages, tools: [CLAUDE_TOOL] }
}

async function told(model: string, isStreamed: boolean): Promise<Anthropic.Message> {
  const { messages } = anthropic()
  if (!isStreamed) return messages.create(ask(model))
  return messages.stream(ask(model)).finalMessage()
}

/** The query and the results of each vendor. */
const FOUND: Readonly<
  Record<string, { readonly query: Json; readonly titles: readonly string[] }>
> = {
  [GPT]: { query: { query: "owls", queries: ["owls", "owl food"] }, titles: [OWLS, MICE] },
  [CLAUDE]: { query: { query: "owls" }, titles: ["Owls", "Mice"] },
  [GEMINI]: { query: { query: "owls", queries: ["owls", "owl food"] }, titles: ["Owls", "Mice"] },
}

const WAYS = [true, false].flatMap((isStreamed) => [
  { isStreamed, model: GPT },
  { isStreamed, model: GEMINI },
])

describe.each(WAYS)(
  "web search of $model for Anthropic's client (streamed: $isStreamed)",
  (way) => {
    const { isStreamed, model } = way

    test("appears as a call block and a result block", async () => {
      const message = await told(model, isStreamed)
      const use = message.content.find((block) => block.type === "server_tool_use")
      const result = message.content.find((block) => block.type === "web_search_tool_result")
      expect(use).toMatchObject({ name: "web_search", input: FOUND[model]?.query })
      expect(use?.id).toStartWith("srvtoolu_")
      expect(result?.tool_use_id).toBe(use?.id as string)
      const pages = result?.content
      if (!Array.isArray(pages)) throw new Error("no pages")
      expect(pages.map(({ url }) => url)).toEqual([OWLS, MICE])
      expect(pages.map(({ title }) => title)).toEqual([...(FOUND[model]?.titles ?? [])])
      expect(pages.map(({ type, page_age }) => [type, page_age])).toEqual([
        ["web_search_result", null],
        ["web_search_result", null],
      ])
      const text = message.content.find((block) => block.type === "text")
      expect(text?.text).toBe("Hello")
      expect(text?.citations?.[0]).toMatchObject({ url: OWLS, title: "Owls" })
      expect(message.usage.server_tool_use?.web_search_requests).toBe(2)
      expect(message.stop_reason).toBe("end_turn")
    })

    test("appears as a call of the provider's tool in the AI SDK", async () => {
      const model = createAnthropic({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })
      const tools = { web_search: model.tools.webSearch_20250305({}) }
      const wanted = { model: model(way.model), prompt: "Owls?", tools, maxRetries: 0 }
      const answer = isStreamed ? streamText(wanted) : await generateText(wanted)
      const results = await answer.toolResults
      expect(results[0]?.output).toMatchObject([{ url: OWLS }, { url: MICE }])
      const sources = await answer.sources
      expect(sources.map((source) => source.sourceType === "url" && source.url)).toContain(MICE)
    })
  },
)

test("a failed search of OpenAI is returned as an unavailable error", async () => {
  const { content } = await told(GPT, true)
  const results = content.filter((block) => block.type === "web_search_tool_result")
  expect(results).toHaveLength(2)
  expect(results[1]?.content).toEqual({
    type: "web_search_tool_result_error",
    error_code: "unavailable",
  })
})

test("the blocks of a search are streamed in Anthropic's format", async () => {
  const kinds: string[] = []
  for await (const event of anthropic().messages.stream(ask(GPT))) {
    if (event.type === "content_block_start") kinds.push(`+${event.content_block.type}`)
    else if (event.type === "content_block_delta") kinds.push(event.delta.type)
    else if (event.type === "content_block_stop") kinds.push("-")
  }
  const search = ["+server_tool_use", "input_json_delta", "-", "+web_search_tool_result", "-"]
  expect(kinds.filter((kind) => !kind.includes("thinking"))).toEqual(
    expect.arrayContaining([...search, ...search, "+text", "text_delta", "citations_delta", "-"]),
  )
  expect(kinds.indexOf("+server_tool_use")).toBeLessThan(kinds.indexOf("+text"))
})

test("a request to OpenAI requests the addresses of search results", async () => {
  await told(GPT, false)
  expect(vendor.bodies.at(-1)?.["include"]).toContain("web_search_call.action.sources")
})

const RESPONSE_WAYS = [true, false].flatMap((isStreamed) => [
  { isStreamed, model: CLAUDE },
  { isStreamed, model: GEMINI },
])

interface Answered {
  readonly response: OpenAI.Responses.Response
  readonly types: readonly string[]
}

async function respond(model: string, isStreamed: boolean): Promise<Answered> {
  const { responses } = openai()
  const include: OpenAI.Responses.ResponseIncludable[] = ["web_search_call.action.sources"]
  const wanted = { model, input: "Owls?", tools: [{ type: "web_search" as const }], include }
  if (!isStreamed) return { response: await responses.create(wanted), types: [] }
  const stream = responses.stream(wanted)
  const types: string[] = []
  for await (const event of stream) types.push(event.type)
  return { response: await stream.finalResponse(), types }
}

describe.each(RESPONSE_WAYS)(
  "web search of $model for OpenAI's client (streamed: $isStreamed)",
  (way) => {
    test("appears as an item with its sources", async () => {
      const { response, types } = await respond(way.model, way.isStreamed)
      const calls = response.output.filter((item) => item.type === "web_search_call")
      expect(calls[0]).toMatchObject({
        type: "web_search_call",
        status: "completed",
        action: {
          type: "search",
          query: "owls",
          sources: [
            { type: "url", url: OWLS },
            { type: "url", url: MICE },
          ],
        },
      })
      expect(calls[0]?.id).toStartWith("ws_")
      if (way.model === CLAUDE) expect(calls[1]?.status).toBe("failed")
      expect(response.output_text).toBe("Hello")
      if (!way.isStreamed) return
      const first = types.indexOf("response.web_search_call.in_progress")
      expect(types.slice(first - 1, first + 4)).toEqual([
        "response.output_item.added",
        "response.web_search_call.in_progress",
        "response.web_search_call.searching",
        "response.web_search_call.completed",
        "response.output_item.done",
      ])
    })

    test("appears as a call of the provider's tool in the AI SDK", async () => {
      const client = createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` })
      const tools = { web_search: client.tools.webSearch({}) }
      const wanted = { model: client(way.model), prompt: "Owls?", tools, maxRetries: 0 }
      const answer = way.isStreamed ? streamText(wanted) : await generateText(wanted)
      const results = await answer.toolResults
      expect(results[0]?.output).toMatchObject({ action: { type: "search", query: "owls" } })
      expect(JSON.stringify(results[0]?.output)).toContain(MICE)
    })
  },
)

test("the sources of a search are returned on request, and not reported as lost", async () => {
  const include = ["web_search_call.action.sources"]
  const tools = [{ type: "web_search" }]
  const body = { model: CLAUDE, input: "Owls?", tools, include }
  const answer = await caller.post("/v1/responses", body)
  expect(answer.status).toBe(200)
  expect(answer.headers.get("x-tollgate-losses")).toBeNull()
})

describe.each(
  [GPT, CLAUDE].flatMap((model) => [true, false].map((isStreamed) => ({ model, isStreamed }))),
)("web search of $model for Google's client (streamed: $isStreamed)", ({ model, isStreamed }) => {
  test("appears in the grounding metadata", async () => {
    const httpOptions = { baseUrl: gateway.url }
    const { models } = new GoogleGenAI({ apiKey: caller.key, httpOptions })
    const wanted = { model, contents: "Owls?", config: { tools: [{ googleSearch: {} }] } }
    let last = isStreamed ? undefined : await models.generateContent(wanted)
    if (isStreamed)
      for await (const chunk of await models.generateContentStream(wanted)) last = chunk
    const grounding = last?.candidates?.[0]?.groundingMetadata
    expect(grounding?.webSearchQueries).toEqual(
      model === GPT ? ["owls", "owl food", "x"] : ["owls", "x"],
    )
    const chunks = grounding?.groundingChunks?.map(({ web }) => [web?.uri, web?.title])
    const mice = model === GPT ? undefined : "Mice"
    expect(chunks).toEqual([
      [OWLS, "Owls"],
      [MICE, mice],
    ])
  })
})

test("chat completions contain sources of a search only as annotations", async () => {
  const body = { messages: [QUESTION], web_search_options: {} }
  for (const model of [GPT, CLAUDE, GEMINI]) {
    const { choices } = await openai().chat.completions.create({ model, ...body })
    const annotations = choices[0]?.message.annotations ?? []
    expect(annotations.map(({ url_citation: { url } }) => url)).toEqual([OWLS])
    expect(choices[0]?.message.content).toBe("Hello")
    expect(choices[0]?.finish_reason).toBe("stop")
  }
})

describe("handling of search steps in the history", () => {
  test.each([GPT, GEMINI, CLAUDE])("drops Anthropic blocks for %s", async (model) => {
    for (const isStreamed of [true, false]) {
      for (const from of [GPT, GEMINI]) {
        const { content } = await told(from, isStreamed)
        const history: MessageParam[] = [QUESTION, { role: "assistant", content }, QUESTION]
        const body = { ...ask(model, history), stream: isStreamed }
        const answer = await caller.post("/v1/messages", body as unknown as Json)
        expect(answer.status, await answer.text()).toBe(200)
        expect(answer.headers.get("x-tollgate-losses")).toContain("web_search.steps:dropped")
        const sent = JSON.stringify(vendor.bodies.at(-1))
        expect(sent).toContain("Hello")
        expect(sent).not.toMatch(/"(server_tool_use|web_search_tool_result|web_search_call)"/)
        expect(sent).not.toContain("encrypted_index")
      }
    }
  })

  test.each([GPT, GEMINI, CLAUDE])("drops Responses items for %s", async (model) => {
    for (const isStreamed of [true, false]) {
      const { response } = await respond(CLAUDE, isStreamed)
      const input: ResponseInput = [QUESTION, ...(response.output as ResponseInput), QUESTION]
      const body = { model, input, stream: isStreamed }
      const answer = await caller.post("/v1/responses", body as unknown as Json)
      expect(answer.status, await answer.text()).toBe(200)
      expect(answer.headers.get("x-tollgate-losses")).toContain("web_search.steps:dropped")
      expect(JSON.stringify(vendor.bodies.at(-1))).not.toContain('"web_search_call"')
    }
  })

  test("sends Claude's own search steps back to Claude unchanged", async () => {
    const { content } = await told(CLAUDE, true)
    const history: MessageParam[] = [QUESTION, { role: "assistant", content }, QUESTION]
    const answer = await caller.post("/v1/messages", ask(CLAUDE, history) as unknown as Json)
    expect(answer.headers.get("x-tollgate-losses")).toBeNull()
    expect(vendor.bodies.at(-1)?.["messages"]).toEqual(history as never)
  })

  test("drops Claude's search steps for another vendor, and reports the loss", async () => {
    const { content } = await told(CLAUDE, false)
    const history: MessageParam[] = [QUESTION, { role: "assistant", content }, QUESTION]
    const answer = await caller.post("/v1/messages", ask(GPT, history) as unknown as Json)
    expect(answer.status, await answer.text()).toBe(200)
    expect(JSON.stringify(vendor.bodies.at(-1))).not.toContain("web_search_tool_result")
    const lost = answer.headers.get("x-tollgate-losses")
    expect(lost).toBe("server_tool_use:dropped, web_search_tool_result:dropped")
  })

  test.each([GPT, GEMINI, CLAUDE])("keeps the AI SDK's next turn valid for %s", async (next) => {
    const [claude, gpt] = [
      createAnthropic({ apiKey: caller.key, baseURL: `${gateway.url}/v1` }),
      createOpenAI({ apiKey: caller.key, baseURL: `${gateway.url}/v1` }),
    ]
    const clients = [
      { client: claude, from: GPT, tool: claude.tools.webSearch_20250305({}) },
      { client: claude, from: GEMINI, tool: claude.tools.webSearch_20250305({}) },
      { client: gpt, from: CLAUDE, tool: gpt.tools.webSearch({}) },
      { client: gpt, from: GEMINI, tool: gpt.tools.webSearch({}) },
    ]
    for (const { client, from, tool } of clients) {
      const tools = { web_search: tool }
      const first = streamText({ model: client(from), prompt: "Owls?", tools, maxRetries: 0 })
      const { messages } = await first.response
      const history: ModelMessage[] = [QUESTION, ...messages, QUESTION]
      const more = { model: client(next), messages: history, tools, maxRetries: 0 }
      expect((await generateText(more)).text).toBe("Hello")
      const sent = JSON.stringify(vendor.bodies.at(-1))
      expect(sent).toContain("Hello")
      expect(sent).not.toMatch(/"(server_tool_use|web_search_tool_result|web_search_call)"/)
    }
  })

  test("stores the steps together with a response, and sends them to no vendor", async () => {
    const { responses } = openai()
    const { response } = await respond(CLAUDE, true)
    for (const model of [GPT, CLAUDE]) {
      const previous_response_id = response.id
      const asked = { model, input: "And mice?", previous_response_id }
      expect((await responses.create(asked)).output_text).toBe("Hello")
      const sent = JSON.stringify(vendor.bodies.at(-1))
      expect(sent).toContain("And mice?")
      expect(sent).toContain("Hello")
      expect(sent).not.toMatch(/"(server_tool_use|web_search_call)"/)
    }
  })
})

test("the charge for a search does not depend on the caller's format", async () => {
  for (const model of [GPT, CLAUDE, GEMINI]) {
    for (const stream of [true, false]) {
      const answer = await caller.post("/v1/messages", { ...ask(model), stream } as unknown as Json)
      await answer.text()
      const receipt = await receiptOf(caller, answer)
      expect(receipt.usage).toEqual({ input: 100, output: 10, search: 2 })
      expect(nanocredits(receipt.cost)).toBe(20_120_000n)
    }
  }
})
