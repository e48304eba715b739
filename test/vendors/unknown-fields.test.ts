import { expect, describe, test } from "bun:test"
import { readdirSync } from "node:fs"
import type { DialectId } from "../../src/canon/extra.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/canon/json.ts"
import { suggestedEffect } from "../../src/vendors/priced-features/field-names.ts"
import { BILLABLE, switchesOf } from "../../src/vendors/priced-features/index.ts"
import { KNOWN_FIELDS, OPERATION_FIELDS } from "../../src/vendors/priced-features/known-fields.ts"
import { TOP_LEVEL_FIELDS } from "../../src/vendors/priced-features/top-level-fields.ts"
import { unknownFieldsOf } from "../../src/vendors/priced-features/unknown-fields.ts"
import { Declarations } from "../support/declared-members.ts"
import { type Format, unknownIn } from "./unknown-in.ts"
import { recordedCalls, WITHOUT_FIXTURES } from "../support/recordings.ts"

/** The vendors with tables of their own, and a vendor without one. */
const VENDORS = [...Object.keys(BILLABLE), "openai-compatible", "anthropic", "google", "bedrock"]

/** Returns a body with a value at a path. */
function bodyAt(path: string, value: JsonValue = "value"): JsonObject {
  const [step = "", ...rest] = path.split(".")
  return { [step]: rest.length === 0 ? value : bodyAt(rest.join("."), value) }
}

describe("fields of the official clients", () => {
  const folder = new URL("../node_modules/", import.meta.url).pathname
  const declared = (path: string): string[] =>
    readdirSync(folder + path, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".d.ts"))
      .map((name) => `${folder}${path}/${name}`)
  const chat = new Declarations(declared("openai/resources/chat"))
  const responses = new Declarations([
    ...declared("openai/resources/responses"),
    `${folder}openai/resources/shared.d.ts`,
  ])
  const operations = new Declarations(
    ["images", "embeddings", "moderations"].map((name) => `${folder}openai/resources/${name}.d.ts`),
  )
  const audio = new Declarations(declared("openai/resources/audio"))
  const messages = new Declarations(declared("@anthropic-ai/sdk/resources/messages"))
  const beta = new Declarations(declared("@anthropic-ai/sdk/resources/beta/messages"))
  const gemini = new Declarations([`${folder}@google/genai/dist/genai.d.ts`])
  const cohere = new Declarations(declared("cohere-ai/api"))
  const isData = (path: string): boolean =>
    /(?:^|\.)(?:input_schema|parameters|parametersJsonSchema|response|args|arguments|properties)$/.test(
      path,
    )

  /** Whether the gateway reads a field of an operation itself, or the field belongs to another interface of Gemini. */
  const isForeign = (format: Format, path: string): boolean =>
    format === "operation"
      ? /^(?:model|n|speed)$/.test(path)
      : format === "gemini" && path.includes("_")

  // Each row: the format, a vendor, the types, the place of their members in a request, and the fields that are
  // rejected for a reason.
  const rows: [Format, string, Declarations, string, string, string[]][] = [
    ["openai-chat", "openai", chat, "ChatCompletionCreateParamsBase", "", []],
    ["openai-chat", "openai-compatible", chat, "ChatCompletionCreateParamsBase", "", []],
    ["openai-chat", "openrouter", chat, "ChatCompletionCreateParamsBase", "", []],
    ["openai-responses", "openai", responses, "ResponseCreateParamsBase", "", []],
    ["openai-responses", "openai-compatible", responses, "ResponseCreateParamsBase", "", []],
    ["openai-responses", "xai", responses, "ResponseCreateParamsBase", "", []],
    ["operation", "openai", operations, "ImageGenerateParamsBase", "", ["svg.model"]],
    ["operation", "openai", operations, "EmbeddingCreateParams", "", []],
    ["operation", "openai", operations, "ModerationCreateParams", "", []],
    ["operation", "openai", audio, "SpeechCreateParams", "", []],
    ["anthropic-messages", "anthropic", messages, "MessageCreateParamsBase", "", []],
    // The limit of a fallback would exceed the hold.
    [
      "anthropic-messages",
      "anthropic",
      beta,
      "MessageCreateParamsBase",
      "",
      ["fallbacks.max_tokens"],
    ],
    // The number raises the tokens of an image above the hold.
    [
      "gemini",
      "google",
      gemini,
      "Content",
      "contents",
      ["contents.parts.mediaResolution.numTokens"],
    ],
    ["gemini", "google", gemini, "Tool", "tools", []],
    ["gemini", "google", gemini, "ToolConfig", "toolConfig", []],
    // These fields choose another model.
    [
      "gemini",
      "google",
      gemini,
      "GenerationConfig",
      "generationConfig",
      ["generationConfig.modelSelectionConfig", "generationConfig.routingConfig"],
    ],
    ["cohere-chat", "cohere", cohere, "V2ChatRequest", "", []],
    ["operation", "cohere", cohere, "V2RerankRequest", "", []],
  ]

  test.each(rows)("%s at %s are accepted", (...row) => {
    const [format, vendor, types, type, root, rejected] = row
    const paths = types.pathsOf(type, isData).filter((path) => !isForeign(format, path))
    const found = new Set<string>()
    for (const path of paths) {
      const name =
        types === cohere ? path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : path
      const body = bodyAt(root === "" ? name : `${root}.${name}`)
      for (const place of unknownIn(vendor, format, body)) found.add(place)
    }
    expect([...found].toSorted()).toEqual(rejected)
    expect(paths.length).toBeGreaterThan(1)
  })
})

describe("recorded requests", () => {
  const formats: readonly [RegExp, Format][] = [
    [/\/chat\/completions/, "openai-chat"],
    [/\/responses(?:\?|$)/, "openai-responses"],
    [/\/v1\/messages(?:\?|$)/, "anthropic-messages"],
    [/:(?:stream)?generateContent/i, "gemini"],
    [/\/converse(?:-stream)?$/, "bedrock-converse"],
    [/cohere\.\w+\/v2\/chat/, "cohere-chat"],
    [/\/(?:embeddings|moderations|rerank|images\/generations|audio\/speech)(?:\?|$)/, "operation"],
  ]
  /** Fields of the recordings that are billed, or that choose models. */
  const rejected = new Set(["venice_parameters", "modelArmorConfig"])
  /** Members that the gateway reads itself and removes. */
  const removed = new Set(["models", "provider"])

  for (const [address, format] of formats) {
    test(`pass the check in the format ${format}${WITHOUT_FIXTURES}`, () => {
      for (const { request, file } of recordedCalls(address)) {
        const vendor = file.startsWith("recorded/") ? vendorOf(file) : "openai-compatible"
        const body = jsonOf(request.body)
        if (body === undefined) continue
        const { model: _, n: _n, ...fields } = body
        const found = unknownIn(vendor, format, format === "operation" ? fields : body)
        const unexpected = found.filter((place) => !rejected.has(place) && !removed.has(place))
        expect([file, unexpected]).toEqual([file, []])
      }
    })
  }
})

/** Returns the vendor of a recording in a folder such as `recorded/groq`. */
function vendorOf(file: string): string {
  const [, folder = ""] = file.split("/")
  return folder.replace(/^azure-openai$/, "azure").replace(/^openai-.*$/, "openai")
}

function jsonOf(body: unknown): JsonObject | undefined {
  const { json } = (body ?? {}) as { readonly json?: JsonValue }
  return isJsonObject(json) ? json : undefined
}

/** Returns a member of each object in a list. */
function membersOf(list: JsonValue | undefined, name: string): JsonValue[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((one) => (isJsonObject(one) ? [one[name] ?? null] : []))
}

/** The vendors that may apply instructions of their own. */
const ROUTERS = ["openai-compatible", "litellm", "openrouter", "vercel", "requesty"]

describe("routers and unknown servers", () => {
  const formats = ["openai-chat", "openai-responses", "anthropic-messages", "operation"] as const

  test.each(formats)(
    "reject top-level fields that no server documents, in the format %s",
    (format) => {
      for (const vendor of ROUTERS) {
        if (format !== "operation" && BILLABLE[vendor]?.[format] === undefined) continue
        for (const value of [1, "text", { a: 1 }, ["a"], true]) {
          const found = unknownIn(vendor, format, { undocumented: value })
          expect([vendor, found]).toEqual([vendor, ["undocumented"]])
        }
      }
      expect(unknownIn("deepseek", format, { undocumented: 1 })).toEqual([])
      expect(unknownFieldsOf(format).find({ undocumented: 1 }, 1)).toHaveLength(1)
    },
  )

  test.each(formats)(
    "accept names that do not suggest an effect on the bill, in the format %s",
    (format) => {
      const { paths } = format === "operation" ? OPERATION_FIELDS : KNOWN_FIELDS[format]
      const tables =
        format === "operation" ? [] : ROUTERS.map((vendor) => switchesOf(vendor, format))
      const priced = tables.flatMap((table) => table?.fields.map(({ path }) => path) ?? [])
      const known = new Set([...paths, ...priced].map((path) => path.split(/[.[]/)[0]))
      const read = format === "operation" ? ["speed"] : ["tools", "mcp_servers"]
      const suspicious = TOP_LEVEL_FIELDS[format]?.filter(
        (name) => suggestedEffect(name) !== undefined && !known.has(name) && !read.includes(name),
      )
      expect(suspicious).toEqual([])
    },
  )
})

describe("recorded responses", () => {
  /** Returns the request that continues a conversation with a response, as clients do. */
  const continued: readonly [RegExp, DialectId, (response: JsonObject) => JsonObject][] = [
    [
      /\/chat\/completions/,
      "openai-chat",
      (response) => ({ messages: membersOf(response.choices, "message") }),
    ],
    [/\/responses(?:\?|$)/, "openai-responses", (response) => ({ input: response.output ?? [] })],
    [
      /\/v1\/messages(?:\?|$)/,
      "anthropic-messages",
      (response) => ({ messages: [{ role: "assistant", content: response.content ?? [] }] }),
    ],
    [
      /:(?:stream)?generateContent/i,
      "gemini",
      (response) => ({ contents: membersOf(response.candidates, "content") }),
    ],
  ]

  test.each(continued)(
    `pass the check of unknown fields when they are sent back: %s, %s${WITHOUT_FIXTURES}`,
    (address, format, requestOf) => {
      for (const { response, file } of recordedCalls(address)) {
        const body = jsonOf(response?.body)
        if (body === undefined) continue
        const request = requestOf(body)
        const own = file.startsWith("recorded/") ? vendorOf(file) : "openai-compatible"
        for (const vendor of new Set([own, "openai-compatible", "vercel", "openrouter"])) {
          expect([file, vendor, unknownIn(vendor, format, request)]).toEqual([file, vendor, []])
        }
      }
    },
  )

  test("pass the check of unknown fields with data that gateways and their providers add", () => {
    const members: JsonObject[] = [
      {
        provider_metadata: {
          anthropic: { usage: { service_tier: "standard", server_tool_use: 1 } },
        },
      },
      { provider_metadata: { google: { usageMetadata: { candidatesTokenCount: 9 } } } },
      { executed_tools: [{ type: "search", search_results: { results: [{ url: "a" }] } }] },
      { provider_specific_fields: { web_search_results: [{ type: "web_search_tool_result" }] } },
      { search_results: [{ title: "a" }], reasoning_details: [{ type: "reasoning.text" }] },
    ]
    for (const vendor of VENDORS) {
      for (const member of members) {
        const messages = [
          { role: "user", content: "Hi" },
          { role: "assistant", content: "Hi", ...member },
        ]
        expect([vendor, unknownIn(vendor, "openai-chat", { messages })]).toEqual([vendor, []])
      }
    }
  })
})

test("the role of a message has no effect on the check of other objects in a request", () => {
  const roles = ["assistant", "developer", "function", "model", "system", "tool", "user"]
  const unknown = { systemTool: { name: "a" }, googleSearch: {}, max_new_tokens: 9 }
  const tool = { type: "function", function: { name: "f", ...unknown }, ...unknown }
  const bodies: [Format, (more: JsonObject) => JsonObject][] = [
    ["openai-chat", (more) => ({ tools: [{ ...tool, ...more }] })],
    ["openai-chat", (more) => ({ response_extra: { ...unknown, ...more } })],
    ["openai-responses", (more) => ({ tools: [{ ...tool, ...more }] })],
    [
      "openai-responses",
      (more) => ({ input: [{ type: "additional_tools", tools: [{ ...tool, ...more }], ...more }] }),
    ],
    ["anthropic-messages", (more) => ({ tools: [{ name: "f", ...unknown, ...more }] })],
    [
      "anthropic-messages",
      (more) => ({
        messages: [
          {
            role: "system",
            content: [
              {
                type: "tool_addition",
                tool: { type: "tool_definition", definition: { ...tool, ...more } },
              },
            ],
          },
        ],
      }),
    ],
    ["gemini", (more) => ({ generationConfig: { ...unknown, ...more } })],
    ["cohere-chat", (more) => ({ tools: [{ ...tool, ...more }] })],
    ["bedrock-converse", (more) => ({ inferenceConfig: { ...unknown, ...more } })],
  ]
  for (const [format, bodyWith] of bodies) {
    const vendor = format === "gemini" ? "google" : "openai-compatible"
    const plain = unknownIn(vendor, format, bodyWith({}))
    expect(plain.length).toBeGreaterThan(0)
    for (const role of roles) {
      expect([format, role, unknownIn(vendor, format, bodyWith({ role }))]).toEqual([
        format,
        role,
        plain,
      ])
    }
  }
})

describe("the check of unknown fields", () => {
  const words = `
    model, models, model name, model id, default model, model list, deployment id, fallbacks,
    context window fallbacks, content policy fallbacks, default fallbacks, fallback model,
    router settings override, routing config, api base, base url, extra headers,
    model selection config, safety model, manual mode model, max tokens, max new tokens,
    max completion tokens, max output tokens, token limit, thinking budget, budget tokens,
    max thinking tokens, reasoning budget, num predict, num completions, num return sequences,
    candidate count, best of, sample count, number of images, images count, n predict, service tier,
    tier, priority, speed, inference geo, inference region, latency, vertex location, performance config,
    shared request type, web search, enable search, search parameters, retrieval, plugins, connectors,
    mcp servers, skills, grounding, extra tools, code interpreter, web fetch, guardrail config,
    cached content, multi agent, additional drop params, prompt id, prompt variables, vector store ids,
    knowledge base, deferred`
    .split(",")
    .map((name) => name.trim().split(" "))
  const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
  const spellings: readonly ((name: readonly string[]) => string)[] = [
    (name) => name.join("_"),
    (name) => name.join("-"),
    (name) => name.join(""),
    (name) => name.map((word, index) => (index === 0 ? word : upper(word))).join(""),
    (name) => name.map(upper).join(""),
    (name) => name.join("_").toUpperCase(),
  ]
  const formats: readonly Format[] = [
    ...(["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const),
    ...(["bedrock-converse", "cohere-chat", "operation"] as const),
  ]

  test.each(formats)(
    "finds names in the format %s, with any spelling and at any depth",
    (format) => {
      for (const name of words) {
        for (const spelling of spellings) {
          const field = spelling(name)
          const bodies: [string, JsonObject][] = [
            [`options.${field}`, { options: { [field]: 7 } }],
            [`list[1].a.b.${field}`, { list: [{}, { a: { b: { [field]: { c: 1 } } } }] }],
          ]
          for (const [place, body] of bodies) {
            expect(unknownIn("deepseek", format, body)).toEqual([place])
          }
        }
      }
    },
  )

  test.each(VENDORS)("finds options in messages, and fields of tools at %s", (vendor) => {
    const providerOptions = { openai: { maxTokens: 9 } }
    const body = {
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi", providerOptions }], modelName: "m" },
        { role: "assistant", content: "Hi", providerOptions },
      ],
      tools: [{ type: "function", function: { name: "f" }, googleSearch: {} }],
    }
    const found = unknownIn(vendor, "openai-chat", body)
    expect(found).toHaveLength(3)
    expect(found[0]).toStartWith("messages[0].content[0].providerOptions")
    expect(found[1]).toStartWith("messages[1].providerOptions")
    expect(found[2]).toBe("tools[0].googleSearch")
  })

  test("ignores data that belongs to the caller", () => {
    const schema = { type: "object", properties: { model: {}, max_tokens: {}, search: {} } }
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } }
    const found = [
      unknownIn("openai", "openai-chat", {
        model: "m",
        metadata: { model: "a", tier: "b" },
        messages: [{ role: "assistant", tool_calls: [call] }],
        tools: [{ type: "function", function: { name: "search", parameters: schema } }],
        response_format: { type: "json_schema", json_schema: { name: "a", schema } },
      }),
      unknownIn("anthropic", "anthropic-messages", {
        messages: [{ role: "assistant", content: [{ type: "tool_use", input: { model: "a" } }] }],
        tools: [{ name: "search", input_schema: schema }],
      }),
      unknownIn("google", "gemini", {
        contents: [{ parts: [{ functionCall: { name: "f", args: { model: "a" } } }] }],
        tools: [{ functionDeclarations: [{ name: "f", parameters: schema }] }],
        generationConfig: { responseSchema: schema },
      }),
    ]
    expect(found.flat()).toEqual([])
  })

  test("ignores names of properties in schemas, of headers and of documents", () => {
    const properties = { location: { type: "string" }, model: {}, n: {}, priority: {}, agent: {} }
    const schema = { type: "object", properties, $defs: { region: {} } }
    const headers = { "X-API-Key": "k", "X-Region": "r" }
    const bodies: [Format, JsonObject][] = [
      ["openai-responses", { tools: [{ type: "function", name: "f", output_schema: schema }] }],
      ["openai-responses", { tools: [{ type: "mcp", server_url: "https://a.b", headers }] }],
      [
        "openai-chat",
        {
          tools: [{ type: "function", function: { name: "f", outputSchema: schema } }],
          guided_json: schema,
          structured_outputs: { json: schema },
          documents: [{ model: "a", region: "b" }],
          chat_template_kwargs: { builtin_tools: ["a"] },
        },
      ],
      ["anthropic-messages", { tools: [{ name: "f", input_schema: schema }] }],
    ]
    for (const vendor of VENDORS) {
      for (const [format, body] of bodies) {
        expect([vendor, unknownIn(vendor, format, body)]).toEqual([vendor, []])
      }
    }
  })

  test("ignores values that turn the feature off", () => {
    for (const value of [null, false, 0, "", "off", "none", []]) {
      expect(unknownIn("openai-compatible", "openai-chat", { web_search: value })).toEqual([])
    }
    expect(unknownIn("deepseek", "openai-chat", { num_samples: 1 })).toEqual([])
    expect(unknownIn("openai-compatible", "openai-chat", { web_search: 1 })).toEqual(["web_search"])
  })
})

test("search options are rejected at vendors whose table does not have them", () => {
  for (const vendor of ["alibaba", "groq", "mistral", "xai", "zai", "vercel"]) {
    const body = { web_search_options: {} }
    expect([vendor, unknownIn(vendor, "openai-chat", body)]).toEqual([
      vendor,
      ["web_search_options"],
    ])
  }
})

test("fonts and reference images are rejected at OpenRouter, which bills for them", () => {
  const shape = { aspect_ratio: "1:1", image_size: "4K", quality: "high", rgb_colors: [[1, 2, 3]] }
  const billed = { super_resolution_references: ["https://a.b/c"], font_inputs: [{ text: "a" }] }
  const body = { image_config: { ...shape, ...billed } }
  for (const format of ["openai-chat", "openai-responses"] as const) {
    expect(unknownIn("openrouter", format, body)).toEqual([
      "image_config.super_resolution_references",
      "image_config.font_inputs",
    ])
  }
})

test("entries of a list of models may contain only the name of a model", () => {
  const messages = [{ role: "user", content: "Hi" }]
  const entry = { model: "m", messages, api_base: "https://example.com", seed: 1 }
  for (const vendor of ["openai-compatible", "openrouter"]) {
    expect(unknownIn(vendor, "openai-chat", { fallbacks: ["a", { model: "b" }, entry] })).toEqual([
      "fallbacks[2].messages",
      "fallbacks[2].api_base",
      "fallbacks[2].seed",
    ])
  }
})

test.each([
  [
    "zai",
    {
      type: "web_search",
      web_search: { enable: "True", search_engine: "search-prime", count: "5" },
    },
  ],
  ["zai", { type: "retrieval", retrieval: { knowledge_id: "1", prompt_template: "{{question}}" } }],
  ["xai", { type: "web_search", enable_image_search: true, filters: { allowed_domains: ["a.b"] } }],
  [
    "xai",
    { type: "collections_search", vector_store_ids: ["c"], retrieval_mode: { type: "hybrid" } },
  ],
  ["openai", { type: "file_search", vector_store_ids: ["v"], max_num_results: 3 }],
])("a tool is accepted in the form that its vendor documents: %s, %j", (vendor, tool) => {
  const format = vendor === "zai" ? "openai-chat" : "openai-responses"
  expect(unknownIn(vendor, format, { tools: [tool] })).toEqual([])
})

test("a request cannot select one of Zhipu's search engines, because their prices differ", () => {
  const tools = [{ type: "web_search", web_search: { enable: true, search_engine: "search_pro" } }]
  expect(unknownIn("zhipu", "openai-chat", { tools })).toEqual([
    "tools[0].web_search.search_engine",
  ])
})
