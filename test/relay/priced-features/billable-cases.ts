import { completion, message, response } from "../billable-frames.ts"
import {
  type BillableCase,
  calls,
  CHAT,
  type Json,
  MESSAGES,
  RESPONSES,
  TOKENS,
  tool,
} from "./billable-case.ts"
import { OPTIONAL_SEARCHES } from "./optional-search-cases.ts"

const AZURE_RESPONSES = { vendor: "azure", path: RESPONSES }
const COMPATIBLE_MESSAGES = { vendor: "openai-compatible", path: MESSAGES }
const OPENROUTER = { vendor: "openrouter", path: CHAT }

const RAN_CODE = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "bash_code_execution",
  input: {},
}

/** Returns a request with code execution and a search tool. @param search the type of the search tool. */
function codeAndSearch(search: string): Json {
  return {
    tools: [
      { name: "f", input_schema: { type: "object" } },
      { type: "code_execution_20260120", name: "code_execution" },
      { type: search, name: "web_search" },
    ],
  }
}

const TEXT_FILE = { filename: "a.txt", file_data: "data:text/plain;base64,SGVsbG8=" }
const RESPONSES_FILE = [
  { type: "input_text", text: "Hi" },
  { type: "input_file", ...TEXT_FILE },
]
const CHAT_FILE = [
  { type: "text", text: "Hi" },
  { type: "file", file: TEXT_FILE },
]

/** Returns a response of xAI that reports searches in attached files. */
function searchedFiles(path: string, details: Json): Json {
  const usage = { server_side_tool_usage_details: { web_search_calls: 0, ...details } }
  if (path === CHAT) return completion({}, usage)
  const tokens = { input_tokens: 100, output_tokens: 10, total_tokens: 110 }
  return response([], { usage: { ...tokens, ...usage } })
}

/** Returns the call in Anthropic's form. */
function block(type: string, more: Json = {}): Json {
  return {
    tools: [
      { name: "f", input_schema: { type: "object" } },
      { type, ...more },
    ],
  }
}

const searched = { type: "web_search_call", id: "ws_1", action: { type: "search", query: "q" } }
const opened = { type: "web_search_call", id: "ws_2", action: { type: "open_page", url: "u" } }

/** There are no known prices for Azure, so only the prices in the settings apply. */
export const CASES: readonly BillableCase[] = [
  {
    name: "responses: web_search, opened pages cost nothing",
    ...AZURE_RESPONSES,
    body: tool("web_search", { search_context_size: "low" }),
    response: response([searched, opened, searched]),
    place: "tools[1].type",
    ...calls("search", 10_000, { counted: 2, held: 10 }),
  },
  {
    name: "responses: web_search of a version, reported by the vendor, up to a limit",
    ...AZURE_RESPONSES,
    body: { ...tool("web_search_2025_08_26"), max_tool_calls: 3 },
    response: response([searched], { tool_usage: { web_search: { num_requests: 3 } } }),
    place: "tools[1].type",
    ...calls("search", 10_000, { counted: 3, held: 3 }),
  },
  {
    name: "chat: a limit that the vendor does not support bounds nothing",
    vendor: "nebius",
    path: CHAT,
    body: { web_search_options: {}, max_tool_calls: 0 },
    response: completion({ tool_usage: { web_search: { num_requests: 2 } } }),
    place: "web_search_options",
    ...calls("search", 10_000, { counted: 2, held: 10 }),
  },
  {
    name: "messages: a limit of 0, which vendors reject, does not make searches free",
    ...COMPATIBLE_MESSAGES,
    body: block("web_search_20250305", { name: "web_search", max_uses: 0 }),
    response: message([], { server_tool_use: { web_search_requests: 1 } }),
    place: "tools[1].type",
    ...calls("search", 10_000, { counted: 1, held: 1 }),
  },
  {
    name: "messages: a limit that the vendor does not support bounds nothing",
    ...COMPATIBLE_MESSAGES,
    body: { ...block("web_search_20250305", { name: "web_search" }), max_tool_calls: 1 },
    response: message([], { server_tool_use: { web_search_requests: 2 } }),
    place: "tools[1].type",
    ...calls("search", 10_000, { counted: 2, held: 10 }),
  },
  {
    name: "responses: web_search_preview costs a premium search",
    ...AZURE_RESPONSES,
    body: tool("web_search_preview"),
    response: response([searched], { tool_usage: { web_search: { num_requests: 1 } } }),
    place: "tools[1].type",
    ...calls("search_premium", 25_000, { counted: 1, held: 10 }),
  },
  {
    name: "responses: file_search",
    ...AZURE_RESPONSES,
    body: tool("file_search", { vector_store_ids: ["vs_1"] }),
    response: response([
      { type: "file_search_call", id: "fs_1" },
      { type: "file_search_call", id: "fs_2" },
    ]),
    place: "tools[1].type",
    ...calls("file_search", 2_500, { counted: 2, held: 10 }),
  },
  {
    name: "responses: code_interpreter, calls in one container of 4 GB",
    ...AZURE_RESPONSES,
    body: tool("code_interpreter", { container: { type: "auto", memory_limit: "4g" } }),
    response: response([
      { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1" },
      { type: "code_interpreter_call", id: "ci_2", container_id: "cntr_1" },
    ]),
    place: "tools[1].type",
    ...calls("code_session", 30_000, { counted: 4, held: 4 }),
  },
  {
    name: "responses: shell in a container of the vendor",
    ...AZURE_RESPONSES,
    body: tool("shell", { environment: { type: "container_auto" } }),
    response: response([{ type: "shell_call", id: "sh_1", environment: { container_id: "c" } }]),
    place: "tools[1].type",
    ...calls("code_session", 30_000, { counted: 1, held: 1 }),
  },
  {
    name: "responses: a tool within a namespace",
    ...AZURE_RESPONSES,
    body: { tools: [{ type: "namespace", name: "n", tools: [{ type: "web_search" }] }] },
    response: response([searched]),
    place: "tools[0].tools[0].type",
    ...calls("search", 10_000, { counted: 1, held: 10 }),
  },
  {
    name: "responses: a tool found by a tool search",
    ...AZURE_RESPONSES,
    body: {
      input: [
        { role: "user", content: "Hello there" },
        { type: "tool_search_output", call_id: "t", tools: [{ type: "web_search" }] },
      ],
      store: false,
    },
    response: response([searched]),
    place: "input[1].tools[0].type",
    ...calls("search", 10_000, { counted: 1, held: 10 }),
  },
  {
    name: "responses: a tool of an unknown type",
    ...AZURE_RESPONSES,
    body: tool("teleport"),
    response: response([]),
    place: "tools[1].type",
    cost: TOKENS,
  },
  ...[CHAT, RESPONSES].flatMap((path): BillableCase[] =>
    [
      { tier: "priority", served: "priority", factor: 2n },
      { tier: "priority", served: "default", factor: 1n },
      { tier: "flex", served: "flex", factor: 0n },
      { tier: "flex", served: "default", factor: 1n },
    ].map(({ tier, served, factor }) => ({
      name: `${path}: service_tier ${tier}, served as ${served}`,
      vendor: "azure",
      path,
      body: { service_tier: tier },
      response:
        path === CHAT
          ? completion({ service_tier: served })
          : response([], { service_tier: served }),
      place: "service_tier",
      prices: { modes: { priority: "2", flex: "0.5" } },
      cost: factor === 0n ? TOKENS / 2n : TOKENS * factor,
    })),
  ),
  {
    name: "chat: web_search_options, one search for each answer",
    vendor: "azure",
    path: CHAT,
    body: { web_search_options: {} },
    response: completion(),
    place: "web_search_options",
    ...calls("search_premium", 25_000, { counted: 1, held: 1 }),
  },
  {
    name: "chat: a tool of an unknown type",
    vendor: "azure",
    path: CHAT,
    body: tool("teleport"),
    response: completion(),
    place: "tools[1].type",
    cost: TOKENS,
  },
  {
    name: "messages: web_search, up to a limit",
    ...COMPATIBLE_MESSAGES,
    body: block("web_search_20250305", { name: "web_search", max_uses: 5 }),
    response: message([], { server_tool_use: { web_search_requests: 4 } }),
    place: "tools[1].type",
    ...calls("search", 10_000, { counted: 4, held: 5 }),
  },
  {
    name: "messages: code_execution",
    ...COMPATIBLE_MESSAGES,
    body: block("code_execution_20250825", { name: "code_execution" }),
    response: message([
      { type: "server_tool_use", id: "srvtoolu_1", name: "bash_code_execution", input: {} },
      { type: "server_tool_use", id: "srvtoolu_2", name: "text_editor_code_execution", input: {} },
    ]),
    place: "tools[1].type",
    ...calls("code_session", 4_000, { counted: 1, held: 1 }),
  },
  {
    name: "messages: code_execution beside a search whose version includes it",
    ...COMPATIBLE_MESSAGES,
    body: codeAndSearch("web_search_20260209"),
    response: message([RAN_CODE], { server_tool_use: { web_search_requests: 1 } }),
    place: "tools[2].type",
    ...calls("search", 10_000, { counted: 1, held: 10 }),
  },
  {
    name: "messages: code_execution beside an older search",
    ...COMPATIBLE_MESSAGES,
    body: codeAndSearch("web_search_20250305"),
    response: message([RAN_CODE], { server_tool_use: { web_search_requests: 1 } }),
    place: "tools[1].type",
    prices: { search: "10000", code_session: "4000" },
    counted: { search: 1, code_session: 1 },
    cost: TOKENS + 14_000_000n,
    held: 104_000_000n,
  },
  {
    name: "messages: speed fast, in one country",
    ...COMPATIBLE_MESSAGES,
    body: { speed: "fast", inference_geo: "us" },
    response: message([], { speed: "fast", inference_geo: "us" }),
    place: "speed",
    prices: { modes: { fast: "6", us: "1.1" } },
    cost: (TOKENS * 66n) / 10n,
  },
  {
    name: "messages: speed fast that was not served",
    ...COMPATIBLE_MESSAGES,
    body: { speed: "fast" },
    response: message([], { speed: "standard" }),
    place: "speed",
    prices: { modes: { fast: "6" } },
    cost: TOKENS,
  },
  {
    name: "messages: speed fast of a fallback to the same model",
    ...COMPATIBLE_MESSAGES,
    body: { fallbacks: [{ model: "up", speed: "fast" }] },
    response: message([], { speed: "fast" }),
    place: "fallbacks[0].speed",
    prices: { modes: { fast: "6" } },
    cost: 6n * TOKENS,
  },
  {
    name: "messages: speed fast in several places is one",
    ...COMPATIBLE_MESSAGES,
    body: { speed: "fast", fallbacks: [{ model: "up", speed: "fast" }] },
    response: message([], { speed: "fast" }),
    place: "speed",
    prices: { modes: { fast: "6" } },
    cost: 6n * TOKENS,
  },
  {
    name: "messages: a limit of a fallback's own",
    ...COMPATIBLE_MESSAGES,
    body: { fallbacks: [{ model: "up", max_tokens: 64_000 }] },
    response: message([]),
    place: "fallbacks[0].max_tokens",
    cost: TOKENS,
  },
  {
    name: "messages: a tool of an unknown type",
    ...COMPATIBLE_MESSAGES,
    body: block("teleport_20261111", { name: "teleport" }),
    response: message([]),
    place: "tools[1].type",
    cost: TOKENS,
  },
  {
    name: "alibaba: enable_search, as the usage reports it",
    vendor: "alibaba",
    path: CHAT,
    body: { enable_search: true },
    response: completion({}, { plugins: { search: { count: 3 } } }),
    place: "enable_search",
    ...calls("search", 10_000, { counted: 3, held: 10 }),
  },
  {
    name: "vercel: speed fast",
    vendor: "vercel",
    path: CHAT,
    body: { providerOptions: { gateway: { speed: "fast" } } },
    response: completion(),
    place: "providerOptions.gateway.speed",
    prices: { modes: { fast: "6" } },
    cost: 6n * TOKENS,
  },
  {
    name: "vercel: a service tier of the model's maker",
    vendor: "vercel",
    path: CHAT,
    body: { providerOptions: { openai: { serviceTier: "priority" } } },
    response: completion({ service_tier: "priority" }),
    place: "providerOptions.openai.serviceTier",
    prices: { modes: { priority: "2" } },
    cost: 2n * TOKENS,
  },
  {
    name: "openrouter: an unknown plugin",
    ...OPENROUTER,
    body: { plugins: [{ id: "response-healing" }, { id: "auto-router" }] },
    response: completion(),
    place: "plugins[1].id",
    cost: TOKENS,
  },
  {
    name: "openrouter: a parser of files that bills pages",
    ...OPENROUTER,
    body: { plugins: [{ id: "file-parser", pdf: { engine: "mistral-ocr" } }] },
    response: completion(),
    place: "plugins[0].pdf.engine",
    cost: TOKENS,
  },
  ...[
    { name: "five results of a search", plugin: {}, units: 1 },
    { name: "no number of results", plugin: { max_results: null }, units: 1 },
    { name: "100 results", plugin: { max_results: 100, engine: "exa" }, units: 20 },
    { name: "12 results, as text", plugin: { max_results: "12" }, units: 3 },
    { name: "an invalid number of results", plugin: { max_results: {} }, units: 20 },
  ].map(({ name, plugin, units }) => ({
    name: `openrouter: ${name} of a plugin`,
    ...OPENROUTER,
    body: { plugins: [{ id: "web", ...plugin }] },
    response: completion({}, { server_tool_use_details: { web_search_requests: 1 } }),
    place: "plugins[0].id",
    ...calls("search", 20_000, { counted: units, held: 10 * units }),
  })),
  {
    name: "openrouter: results of a search tool",
    ...OPENROUTER,
    body: tool("openrouter:web_search", { parameters: { max_results: 25 } }),
    response: completion({}, { server_tool_use_details: { web_search_requests: 2 } }),
    place: "tools[1].type",
    ...calls("search", 20_000, { counted: 10, held: 50 }),
  },
  ...[
    { server_tool_use: { web_search_requests: 7 } },
    {
      server_tool_use: { web_search_requests: 7 },
      server_tool_use_details: { web_search_requests: 7 },
    },
  ].map((usage) => ({
    name: `openrouter: searches reported as ${Object.keys(usage).join(" and ")}`,
    ...OPENROUTER,
    body: tool("openrouter:web_search"),
    response: completion({}, usage),
    place: "tools[1].type",
    ...calls("search", 20_000, { counted: 7, held: 10 }),
  })),
  ...[
    { max: 20, held: 20 },
    { max: 2, held: 10 },
  ].flatMap(({ max, held }) =>
    [
      {
        place: "tools[1].type",
        body: tool("openrouter:web_search", { parameters: { max_uses: max } }),
      },
      { place: "tools[1].type", body: tool("web_search", { max_uses: max }) },
      { place: "plugins[0].id", body: { plugins: [{ id: "web", max_uses: max }] } },
    ].map(({ place, body }) => ({
      name: `openrouter: at most ${max} searches, ${JSON.stringify(body)}`,
      ...OPENROUTER,
      body,
      response: completion({}, { server_tool_use_details: { web_search_requests: max } }),
      place,
      ...calls("search", 20_000, { counted: max, held }),
    })),
  ),
  ...[
    {
      place: "tools[1].parameters.x_search",
      body: tool("openrouter:web_search", { parameters: { x_search: {} } }),
    },
    { place: "tools[1].x_search", body: tool("web_search", { x_search: { a: 1 } }) },
    { place: "plugins[0].x_search", body: { plugins: [{ id: "web", x_search: { a: 1 } }] } },
    {
      place: "tools[1].parameters.mode",
      body: tool("openrouter:web_search", { parameters: { mode: "deep" } }),
    },
    { place: "tools[1].mode", body: tool("web_search", { mode: "advanced" }) },
    { place: "plugins[0].mode", body: { plugins: [{ id: "web", mode: "deep-reasoning" }] } },
    {
      place: "tools[1].parameters.later",
      body: tool("openrouter:web_fetch", { parameters: { later: 1 } }),
    },
  ].map(({ place, body }) => ({
    name: `openrouter: a search with ${place}`,
    ...OPENROUTER,
    body,
    response: completion({}, { server_tool_use_details: { web_search_requests: 1 } }),
    place,
    cost: TOKENS,
  })),
  ...["web", ["web"], [["web"]], [{ enabled: true }]].map((plugins) => ({
    name: `openrouter: plugins in the form ${JSON.stringify(plugins)}`,
    ...OPENROUTER,
    body: { plugins },
    response: completion(),
    place: Array.isArray(plugins) ? "plugins[0]" : "plugins",
    cost: TOKENS,
  })),
  ...[
    {
      path: RESPONSES,
      body: { input: [{ role: "user", content: RESPONSES_FILE }] },
      place: "input",
    },
    { path: CHAT, body: { messages: [{ role: "user", content: CHAT_FILE }] }, place: "messages" },
  ].flatMap(({ path, body, place }) =>
    ["attachment_search_calls", "document_search_calls"].map((name) => ({
      name: `xai: searches in a file, reported as ${name} at ${path}`,
      vendor: "xai",
      path,
      body,
      response: searchedFiles(path, { [name]: 3 }),
      place,
      ...calls("search_premium", 10_000, { counted: 3, held: 10 }),
    })),
  ),
  ...OPTIONAL_SEARCHES,
  {
    name: "any compatible server: web_search_options, as the usage reports it",
    vendor: "nebius",
    path: CHAT,
    body: { web_search_options: {} },
    response: completion({}, { server_tool_use_details: { web_search_requests: 2 } }),
    place: "web_search_options",
    ...calls("search", 10_000, { counted: 2, held: 10 }),
  },
]
