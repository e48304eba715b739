import { CLASS_OF_NAME } from "tollgate-contract/usage-classes.ts"
import { describe, expect, test } from "bun:test"
import type { DialectId } from "../../../src/canon/extra.ts"
import type { JsonObject, JsonValue } from "../../../src/canon/json.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { ResponseRecord } from "../../../src/relay/metering/response-record.ts"
import { countCalls } from "../../../src/relay/priced-features/count.ts"
import { findSwitches, maySetSwitch } from "../../../src/relay/priced-features/find-switches.ts"
import { BILLABLE, switchesOf, USUAL_BILLABLE } from "../../../src/vendors/priced-features/index.ts"
import type {
  Charge,
  Counted,
  FieldSwitch,
  Switches,
} from "../../../src/vendors/priced-features/switch.ts"

/**
 * A row of the table. Each row is tested with a body of its dialect: the gateway must find it at its position and count
 * it.
 */

interface Row {
  readonly name: string
  readonly dialect: DialectId
  readonly switches: Switches
  readonly charge: Charge
  readonly body: JsonObject
  /** The path of a field. A value that contains it may be a separate row. */
  readonly path?: string
}

/** Returns the path of the value that determines the charge. */
function pathOf({ path, member }: FieldSwitch): string {
  return member === undefined ? path : `${path}.${member}`
}

function rowsOf(owner: string, dialect: DialectId, switches: Switches): Row[] {
  const about = { dialect, switches }
  const fields = switches.fields.flatMap((field) => {
    const path = pathOf(field)
    return [
      ...Object.entries(field.values ?? {}).map(([value, charge]) => ({ path, value, charge })),
      { path, value: path === "best_of" ? 3 : "something-else", charge: field.otherwise },
    ]
  })
  return [
    ...fields.map(({ path, value, charge }) => ({
      ...about,
      name: `${owner}: ${path}: ${value}`,
      charge,
      body: bodyAt(path, value),
      path,
    })),
    ...Object.entries(switches.tools).map(([type, charge]) => ({
      ...about,
      name: `${owner}: tool ${type}`,
      charge,
      body: toolBody(dialect, type),
    })),
  ]
}

/** Returns a body with one value at a path. */
function bodyAt(path: string, value: JsonValue): JsonObject {
  const [step = "", ...rest] = path.split(".")
  const inner = rest.length === 0 ? value : bodyAt(rest.join("."), value)
  return step.endsWith("[]") ? { [step.slice(0, -2)]: [inner] } : { [step]: inner }
}

function toolBody(dialect: DialectId, type: string): JsonObject {
  if (dialect === "gemini") return { tools: [{ [type]: {} }] }
  if (dialect === "bedrock-converse") return { toolConfig: { tools: [{ [type]: {} }] } }
  const [bare = "", environment] = type.split("/")
  return { tools: [{ type: bare, ...(environment && { environment: { type: environment } }) }] }
}

const ROWS = [
  ...Object.entries(BILLABLE).flatMap(([vendor, byDialect]) =>
    (Object.entries(byDialect) as [DialectId, Switches][]).flatMap(([dialect, switches]) =>
      rowsOf(`${vendor} ${dialect}`, dialect, switches),
    ),
  ),
  ...(Object.entries(USUAL_BILLABLE) as [DialectId, Switches][]).flatMap(([dialect, switches]) =>
    rowsOf(dialect, dialect, switches),
  ),
]

const isFree = (charge: Charge): boolean => charge.by === "tokens" && charge.adds === undefined

describe("the table of priced features", () => {
  test("contains more than 200 features", () => expect(ROWS.length).toBeGreaterThan(200))

  for (const { name, dialect, switches, charge, body, path } of ROWS) {
    test(`marks ${name} as ${isFree(charge) ? "free" : "found"}`, () => {
      expect(maySetSwitch(body, dialect)).toBe(true)
      const found = findSwitches(body, switches, dialect).filter(
        ({ field }) => (field && pathOf(field)) === path,
      )
      if (isFree(charge)) return expect(found).toEqual([])
      expect(found).toHaveLength(1)
      expect(found[0]?.charge).toBe(charge)
      expect(body).toHaveProperty([(found[0]?.place ?? "").split(/[.[]/)[0] ?? ""])
    })
  }
})

/** Returns a response that reports one call in one way, both as a frame and not streamed. */
function responseOf(dialect: DialectId, way: Counted, value: number): JsonObject {
  if (way.in === "usage") return bodyAt(way.paths[0] ?? "", value)
  if (way.in === "answer") return {}
  const [type = ""] = way.names
  switch (dialect) {
    case "openai-responses":
      return { output: [{ type, action: { type: "search" } }] }
    case "anthropic-messages":
      return { content: [{ type: "server_tool_use", name: type, input: {} }] }
    case "gemini": {
      const places = [{ maps: { uri: "u" } }]
      const groundingMetadata =
        type === "google_maps_source" ? { groundingChunks: places } : { webSearchQueries: ["q"] }
      return { candidates: [{ groundingMetadata }] }
    }
    default:
      return { choices: [{ index: 0, message: { executed_tools: [{ type }] } }] }
  }
}

describe("calls in the table of priced features", () => {
  for (const { name, dialect, charge } of ROWS) {
    if (charge.by !== "calls") continue
    for (const way of charge.counted) {
      // The two APIs of these vendors list the calls in different ways. Each way is read only in its own API.
      const isElsewhere =
        way.in === "items" && dialect === "openai-chat" && (way.names[0] ?? "").endsWith("_call")
      if (isElsewhere) continue
      test(`include ${name}, which is counted in the ${way.in}`, () => {
        const record = new ResponseRecord(dialect)
        const isBroken = way.in === "answer" && way.untilEnd === true
        if (isBroken) record.frame({})
        else record.response(responseOf(dialect, way, 1))
        expect(countCalls(charge, record)).toBe(1)
        // Numbers may also be written as text.
        if (way.in !== "usage") return
        record.response(
          JSON.parse(JSON.stringify(responseOf(dialect, way, 7)).replace("7", '"7"')) as JsonObject,
        )
        expect(countCalls(charge, record)).toBe(7)
      })
    }
    test(`belong to a usage class that can have a price: ${name}`, () => {
      expect(Object.values(CLASS_OF_NAME)).toContain(charge.class)
      expect(NO_USAGE).toHaveProperty(charge.class)
    })
  }
})

test("searches of Gemini are counted once for either name of the search tool", () => {
  const { googleSearch, googleSearchRetrieval } = switchesOf("google", "gemini")?.tools ?? {}
  expect(googleSearch).toBeDefined()
  expect(googleSearch === googleSearchRetrieval).toBe(true)
})

test.each([
  ["gemini-2.5-flash", 1],
  ["models/gemini-2.0-flash-001", 1],
  ["gemini-1.5-pro", 1],
  ["gemini-3-pro-preview", 3],
  ["gemini-3.1-pro-preview", 3],
  ["gemini-flash-latest", 3],
])("%s bills %d searches for five queries with three distinct texts", (model, count) => {
  const search = switchesOf("google", "gemini", model)?.tools["googleSearch"]
  const record = new ResponseRecord("gemini")
  const webSearchQueries = ["a", "b", "c", "a", ""]
  record.response({ candidates: [{ groundingMetadata: { webSearchQueries } }] })
  expect(search?.by === "calls" && countCalls(search, record)).toBe(count)
  const split = { webSearchQueries: ["a", ""], imageSearchQueries: ["b", "c", "a"] }
  for (const isStreamed of [false, true]) {
    const searched = new ResponseRecord("gemini")
    const response = { candidates: [{ groundingMetadata: split }] }
    if (isStreamed) searched.frame(response)
    else searched.response(response)
    expect(search?.by === "calls" && countCalls(search, searched)).toBe(count)
  }
  record.response({ candidates: [{ groundingMetadata: {} }] })
  expect(search?.by === "calls" && countCalls(search, record)).toBe(0)
})

describe("Anthropic's searches", () => {
  const search = switchesOf("anthropic", "anthropic-messages")?.tools["web_search"]
  const use = { type: "server_tool_use", name: "web_search" }

  test.each([
    ["as reported, because a failed search is not billed", { web_search_requests: 0 }, 0],
    ["by their blocks if no number is reported", undefined, 1],
  ])("count %s", (_how, told, count) => {
    if (search?.by !== "calls") throw new Error("no search")
    const record = new ResponseRecord("anthropic-messages")
    const usage = told === undefined ? {} : { server_tool_use: told }
    record.response({ content: [use], usage })
    expect(countCalls(search, record)).toBe(count)
  })
})

describe("a body that sets no priced field", () => {
  test("passes the quick check by the names of its fields", () => {
    const plain = { model: "m", messages: [], stream: true, max_tokens: 5, tools: null, user: "u" }
    expect(maySetSwitch(plain, "openai-chat")).toBe(false)
    const message = { model: "m", input: [{ type: "message" }], tools: [] }
    expect(maySetSwitch(message, "openai-responses")).toBe(false)
    const added = { model: "m", input: [{ type: "additional_tools", tools: [] }] }
    expect(maySetSwitch(added, "openai-responses")).toBe(true)
  })
})

describe("priced tools", () => {
  const responses = switchesOf("openai", "openai-responses")

  test("can be found in the conversation and inside a namespace", () => {
    if (!responses) throw new Error("no switches")
    const tools = [{ type: "namespace", tools: [{ type: "web_search_2025_08_26" }] }]
    const body = { input: [{ type: "message" }, { type: "additional_tools", tools }] }
    expect(findSwitches(body, responses, "openai-responses")).toMatchObject([
      { place: "input[1].tools[0].tools[0].type", value: "web_search" },
    ])
  })

  test("have a known price in a conversation only if the vendor stores no part of the conversation", () => {
    if (!responses) throw new Error("no switches")
    const item = { type: "tool_search_output", call_id: "t", tools: [{ type: "web_search" }] }
    const charges = (body: JsonObject) =>
      findSwitches({ ...body, input: [item] }, responses, "openai-responses").map(
        ({ charge }) => charge.by,
      )
    expect(charges({ store: false })).toEqual(["calls"])
    // A later turn can use the tool without naming it.
    for (const kept of [
      {},
      { store: true },
      { store: null },
      { store: false, conversation: "c" },
    ]) {
      expect(charges(kept)).toEqual(["unknown"])
    }
    const named = { input: [], tools: [{ type: "web_search" }] }
    expect(findSwitches(named, responses, "openai-responses")).toMatchObject([
      { charge: { by: "calls" } },
    ])
  })

  test("cost nothing on servers that the operator runs", () => {
    expect(switchesOf("vllm", "openai-chat")).toBeUndefined()
  })
})
