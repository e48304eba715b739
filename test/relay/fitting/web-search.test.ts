import { describe, expect, test } from "bun:test"
import { framesOf, message, response } from "../billable-frames.ts"
import { caller, searchWorld, vendor } from "./search-world.ts"
import { errorOf, nanocredits, receiptOf } from "../support.ts"

/** The tests check searches by the vendor if the caller's dialect differs from the vendor's. */

type Json = Record<string, unknown>

const CHAT = "/v1/chat/completions"
const RESPONSES = "/v1/responses"
const MESSAGES = "/v1/messages"
const URL_OF_SOURCE = "https://example.com/owls"

const SEARCH = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "owls" } }
const OPENED = { type: "web_search_call", id: "ws_2", action: { type: "open_page", url: "u" } }

/** Returns a response with two searches, and a text based on their results. */
function responseTo(path: string): Json {
  if (path.endsWith("/responses")) {
    const whole = response([SEARCH, OPENED, { ...SEARCH, id: "ws_3" }])
    const said = (whole["output"] as { content: Json[] }[]).at(-1)
    Object.assign(said?.content[0] ?? {}, {
      annotations: [
        { type: "url_citation", url: URL_OF_SOURCE, title: "Owls", start_index: 0, end_index: 5 },
      ],
    })
    return whole
  }
  if (path.endsWith("/messages")) {
    const use = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search" }
    const result = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }
    const usage = { server_tool_use: { web_search_requests: 2 } }
    const whole = message([{ ...use, input: { query: "owls" } }, result], usage)
    const cited = {
      type: "web_search_result_location",
      url: URL_OF_SOURCE,
      title: "Owls",
      cited_text: "Owls",
      encrypted_index: "x",
    }
    Object.assign((whole["content"] as Json[]).at(-1) ?? {}, { citations: [cited] })
    return whole
  }
  const web = { uri: URL_OF_SOURCE, title: "Owls" }
  return {
    candidates: [
      {
        content: { role: "model", parts: [{ text: "Hello" }] },
        finishReason: "STOP",
        groundingMetadata: {
          webSearchQueries: ["owls"],
          imageSearchQueries: ["owl food", "owls"],
          groundingChunks: [{ web }],
          groundingSupports: [
            { segment: { startIndex: 0, endIndex: 5, text: "Hello" }, groundingChunkIndices: [0] },
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
  }
}

function answer(path: string, isStreamed: boolean): Json | string[] {
  const whole = responseTo(path)
  return isStreamed ? framesOf(path, whole) : whole
}

searchWorld(answer)

const PLACE = { city: "Paris", country: "FR" }
const FUNCTION = { name: "look", parameters: { type: "object", properties: {} } }

interface Way {
  readonly path: string
  /** Fields of the request in addition to the model. */
  readonly body: Json
}

const WAYS: Readonly<Record<string, Way>> = {
  chat: {
    path: CHAT,
    body: {
      messages: [{ role: "user", content: "Owls?" }],
      max_tokens: 50,
      web_search_options: {
        search_context_size: "low",
        user_location: { type: "approximate", approximate: PLACE },
      },
    },
  },
  responses: {
    path: RESPONSES,
    body: {
      input: "Owls?",
      max_output_tokens: 50,
      max_tool_calls: 3,
      tools: [
        {
          type: "web_search",
          filters: { allowed_domains: ["example.com"] },
          user_location: { type: "approximate", ...PLACE },
        },
      ],
    },
  },
  messages: {
    path: MESSAGES,
    body: {
      messages: [{ role: "user", content: "Owls?" }],
      max_tokens: 50,
      tools: [
        {
          type: "web_search_20250305",
          name: "web_search",
          max_uses: 3,
          blocked_domains: ["example.org"],
        },
      ],
    },
  },
  gemini: {
    path: "/v1beta/models/MODEL:generateContent",
    body: {
      contents: [{ role: "user", parts: [{ text: "Owls?" }] }],
      generationConfig: { maxOutputTokens: 50 },
      tools: [{ googleSearch: {} }],
    },
  },
}

function pathOf({ path }: Way, model: string, stream = false): string {
  const named = path.replace("MODEL", model)
  return stream ? named.replace(":generateContent", ":streamGenerateContent?alt=sse") : named
}

function bodyOf({ path, body }: Way, model: string, stream = false): Json {
  if (path.includes("MODEL")) return body
  return { model, ...body, ...(stream ? { stream } : {}) }
}

const OPENAI_TOOL = { type: "web_search" }
const ANTHROPIC_TOOL = { type: "web_search_20250305", name: "web_search" }
const LOCATION = { type: "approximate", ...PLACE }

/** A search request, and the form in which the vendor receives it. */
interface Case {
  readonly from: string
  readonly model: string
  /** The search tool in the request that the vendor receives. */
  readonly sent: Json
  readonly losses: string | null
  /** Number of searches that the hold covers. */
  readonly held: bigint
}

type Row = readonly [Case["from"], Case["model"], Case["sent"], Case["losses"], Case["held"]]

const ROWS: readonly Row[] = [
  [
    "chat",
    "claude/m",
    { tools: [{ ...ANTHROPIC_TOOL, max_uses: 10, user_location: LOCATION }] },
    "web_search.search_context_size:dropped",
    10n,
  ],
  [
    "chat",
    "gpt/m",
    {
      tools: [{ ...OPENAI_TOOL, search_context_size: "low", user_location: LOCATION }],
      max_tool_calls: 10,
    },
    null,
    10n,
  ],
  [
    "chat",
    "gemini/m",
    { tools: [{ googleSearch: {} }] },
    "web_search.search_context_size:dropped, web_search.user_location:dropped",
    10n,
  ],
  [
    "responses",
    "claude/m",
    {
      tools: [
        {
          ...ANTHROPIC_TOOL,
          max_uses: 3,
          allowed_domains: ["example.com"],
          user_location: LOCATION,
        },
      ],
    },
    null,
    3n,
  ],
  [
    "responses",
    "gemini/m",
    { tools: [{ googleSearch: {} }] },
    "web_search.max_uses:dropped, web_search.user_location:dropped, web_search.allowed_domains:dropped",
    10n,
  ],
  [
    "messages",
    "gpt/m",
    { tools: [OPENAI_TOOL], max_tool_calls: 3 },
    "web_search.blocked_domains:dropped",
    3n,
  ],
  [
    "messages",
    "gemini/m",
    { tools: [{ googleSearch: {} }] },
    "web_search.max_uses:dropped, web_search.blocked_domains:dropped",
    10n,
  ],
  ["gemini", "claude/m", { tools: [{ ...ANTHROPIC_TOOL, max_uses: 10 }] }, null, 10n],
  ["gemini", "gpt/m", { tools: [OPENAI_TOOL], max_tool_calls: 10 }, null, 10n],
]

const CASES: readonly Case[] = ROWS.map(([from, model, sent, losses, held]) => ({
  from,
  model,
  sent,
  losses,
  held,
}))

const ONE_SEARCH = 10_000_000n
/** The cost in nanocredits of 100 tokens at 1 credit per million and 10 tokens at 2 credits per million. */
const TOKENS = 120_000n

describe.each(CASES)("a web search requested in $from of $model", (one) => {
  const { from, model, sent, losses, held } = one
  const way = WAYS[from]
  if (way === undefined) throw new Error(`no way ${from}`)

  test.each([false, true])(
    "uses the vendor's own search, and is charged (streamed: %p)",
    async (stream) => {
      const asked = await caller.post(pathOf(way, model, stream), bodyOf(way, model, stream))
      const text = await asked.text()
      expect(asked.status, text).toBe(200)
      const { tools, max_tool_calls: max } = vendor.bodies.at(-1) ?? {}
      expect({ tools, ...(max === undefined ? {} : { max_tool_calls: max }) }).toEqual(
        sent as never,
      )
      const lost = asked.headers.get("x-tollgate-losses")
      expect(lost?.split(/, ?/).toSorted() ?? null).toEqual(losses?.split(", ").toSorted() ?? null)
      const receipt = await receiptOf(caller, asked)
      expect(receipt.usage).toEqual({ input: 100, output: 10, search: 2 })
      expect(nanocredits(receipt.cost)).toBe(TOKENS + 2n * ONE_SEARCH)
      expect(nanocredits(receipt.hold)).toBeGreaterThanOrEqual(held * ONE_SEARCH)
      // Ten searches take eleven turns, and each turn reads all earlier results.
      expect(nanocredits(receipt.hold)).toBeLessThan((held + 45n) * ONE_SEARCH)
      expect(text).toContain(URL_OF_SOURCE)
    },
  )

  test("increases an estimate", async () => {
    const options = { path: pathOf(way, model), body: bodyOf(way, model) }
    const told = (await (await caller.post("/v1/estimate", options)).json()) as { most: string }
    expect(nanocredits(told.most)).toBeGreaterThanOrEqual(held * ONE_SEARCH)
  })
})

describe("a web search", () => {
  test("has its vendor's known price if the settings have no price", async () => {
    const way = WAYS["responses"]
    if (way === undefined) throw new Error("no way")
    const asked = await caller.post(way.path, bodyOf(way, "plain/m"))
    expect(asked.status).toBe(200)
    const receipt = await receiptOf(caller, asked)
    expect(nanocredits(receipt.cost)).toBe(TOKENS + 2n * ONE_SEARCH)
  })

  test("causes a reported loss if the vendor is not known to support web searches", async () => {
    const { body } = WAYS["messages"] ?? { body: {} }
    const asked = await caller.post(MESSAGES, { model: "azure/m", ...body })
    expect(asked.status).toBe(200)
    expect(asked.headers.get("x-tollgate-losses")).toContain("tools:dropped")
    expect(vendor.bodies.at(-1)?.["tools"]).toBeUndefined()
  })

  test("causes a reported loss together with functions at Gemini, which rejects both together", async () => {
    const { body } = WAYS["chat"] ?? { body: {} }
    const tools = [{ type: "function", function: FUNCTION }]
    const asked = await caller.post(CHAT, { model: "gemini/m", ...body, tools })
    expect(asked.status).toBe(200)
    expect(asked.headers.get("x-tollgate-losses")).toBe("web_search:dropped")
    expect(JSON.stringify(vendor.bodies.at(-1))).not.toContain("googleSearch")
  })

  test("works together with functions at Claude, unless a function has the name of the search tool", async () => {
    const { body } = WAYS["chat"] ?? { body: {} }
    for (const [name, has] of [
      ["look", true],
      ["web_search", false],
    ] as const) {
      const tools = [{ type: "function", function: { ...FUNCTION, name } }]
      const asked = await caller.post(CHAT, { model: "claude/m", ...body, tools })
      expect(asked.status).toBe(200)
      const sent = vendor.bodies.at(-1)?.["tools"] as Json[]
      expect(sent).toHaveLength(has ? 2 : 1)
      const lost = asked.headers.get("x-tollgate-losses") ?? ""
      expect(lost.includes("web_search_options:dropped")).toBe(!has)
    }
  })

  test("fails for a strict caller if an option is lost", async () => {
    const { body } = WAYS["messages"] ?? { body: {} }
    const strict = { "x-tollgate-strict": "true" }
    const asked = await caller.post(MESSAGES, { model: "gpt/m", ...body }, strict)
    expect(asked.status).toBe(400)
    expect((await errorOf(asked)).message).toContain("web_search.blocked_domains")
  })

  test("becomes required in the form of the vendor if the caller requires it", async () => {
    const body: Json = WAYS["messages"]?.body ?? {}
    const choice = { tool_choice: { type: "tool", name: "web_search" } }
    const ask = async (model: string, more: Json = {}): Promise<string> => {
      const asked = await caller.post(MESSAGES, { model, ...body, ...choice, ...more })
      expect(asked.status, await asked.text()).toBe(200)
      return asked.headers.get("x-tollgate-losses") ?? ""
    }
    const sent = (): unknown => vendor.bodies.at(-1)?.["tool_choice"]

    expect(await ask("gpt/m")).not.toContain("tool_choice")
    expect(sent()).toBe("required")

    const tool = (body["tools"] as Json[])[0]
    const look = { name: FUNCTION.name, input_schema: FUNCTION.parameters }
    expect(await ask("gpt/m", { tools: [tool, look] })).not.toContain("tool_choice")
    const mode = "required"
    expect(sent()).toEqual({ type: "allowed_tools", mode, tools: [{ type: "web_search" }] })

    expect(await ask("gemini/m")).toContain("tool_choice:dropped")
    // If the vendor cannot search, the tool choice is dropped too.
    expect(await ask("azure/m")).toContain("tools:dropped")
    expect(sent()).toBeUndefined()
  })
})
