import { completion, response } from "../billable-frames.ts"
import { type BillableCase, calls, CHAT, RESPONSES, tool } from "./billable-case.ts"

const CITED = { annotations: [{ type: "url_citation", url_citation: { url: "u" } }] }
const PAGES = [{ title: "t", link: "u" }]
const ZAI_TOOL = tool("web_search", { web_search: { enable: "True", search_result: "True" } })
const ZAI_TOOL_WITHOUT_RESULTS = tool("web_search", { web_search: { enable: "True" } })
const OPENROUTER_TOOL = tool("openrouter:web_search")
const OPENROUTER_ITEM = { type: "openrouter:web_search", id: "ws_1", status: "completed" }

/** Searches that the model may omit, in responses that do not report their number. */
export const OPTIONAL_SEARCHES: readonly BillableCase[] = [
  { vendor: "openrouter", body: OPENROUTER_TOOL, response: completion(), counted: 0 },
  {
    vendor: "openrouter",
    body: OPENROUTER_TOOL,
    response: completion({}, { server_tool_use_details: null }),
    counted: 0,
  },
  {
    vendor: "openrouter",
    body: OPENROUTER_TOOL,
    response: completion({}, { server_tool_use_details: { tool_calls_requested: 0 } }),
    counted: 0,
  },
  { vendor: "openrouter", body: OPENROUTER_TOOL, response: completion({}, {}, CITED), counted: 1 },
  {
    vendor: "openrouter",
    path: RESPONSES,
    body: OPENROUTER_TOOL,
    response: response([]),
    counted: 0,
  },
  {
    vendor: "openrouter",
    path: RESPONSES,
    body: OPENROUTER_TOOL,
    response: response([OPENROUTER_ITEM, OPENROUTER_ITEM]),
    counted: 2,
  },
  {
    vendor: "openrouter",
    body: { plugins: [{ id: "web" }] },
    place: "plugins[0].id",
    response: completion(),
    counted: 1,
  },
  {
    vendor: "alibaba",
    body: { enable_search: true },
    place: "enable_search",
    response: completion(),
    counted: 0,
  },
  {
    vendor: "alibaba",
    body: { enable_search: true, search_options: { forced_search: true } },
    place: "enable_search",
    response: completion(),
    counted: 1,
  },
  { vendor: "zhipu", body: ZAI_TOOL, response: completion(), counted: 0, held: 1 },
  {
    vendor: "zhipu",
    body: ZAI_TOOL,
    response: completion({ web_search: PAGES }),
    counted: 1,
    held: 1,
  },
  { vendor: "zhipu", body: ZAI_TOOL_WITHOUT_RESULTS, response: completion(), counted: 1, held: 1 },
].map((given, index) => {
  const {
    vendor,
    path = CHAT,
    place = "tools[1].type",
    body,
    response: answer,
    counted,
    held = 10,
  } = given
  const units = calls("search", 20_000, { counted, held })
  return {
    name: `${vendor}: unreported searches, case ${index}`,
    vendor,
    path,
    body,
    response: answer,
    place,
    ...units,
    ...(counted === 0 && { counted: {} }),
  }
})
