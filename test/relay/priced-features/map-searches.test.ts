import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { onlyReceipt } from "../support.ts"

/** Google bills maps per query (Gemini 3), or per prompt whose response has a source of maps (older models). */

type Json = Record<string, unknown>

const PLACE = { maps: { uri: "u", title: "t", placeId: "places/p" } }
const PAGE = { web: { uri: "u", title: "t" } }
const QUERIES = ["cafes", "parks", "cafes", ""]
const MAPS = { googleMaps: {} }
const SEARCH = { googleSearch: {} }

let gateway: TestGateway
let vendor: ScriptedVendor
/** The grounding of the next response; null if the vendor blocks the prompt. */
let grounding: Json | null | undefined

beforeAll(async () => {
  vendor = startVendor((request) => {
    const counts = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 }
    const candidate = {
      content: { role: "model", parts: [{ text: "hello" }] },
      finishReason: "STOP",
      ...(grounding && { groundingMetadata: grounding }),
    }
    const response =
      grounding === null
        ? { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 100 } }
        : { candidates: [candidate], usageMetadata: counts }
    if (!request.url.includes("stream")) return Response.json(response)
    const headers = { "content-type": "text/event-stream" }
    return new Response(`data: ${JSON.stringify(response)}\n\n`, { headers })
  })
  const bare = vendor.url.replace(/\/v1$/, "")
  const prices = { search: "10000", map_search: "20000" }
  const at = (model: string) =>
    simulated({ deployments: [{ provider: "google", model, weight: 1 }] })
  gateway = await startGateway({
    providers: { google: { ...provider(bare, "google"), prices } },
    models: { "old/m": at("gemini-2.5-flash"), "new/m": at("gemini-3-flash-preview") },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Returns the charged searches of the web and of maps. */
async function chargedFor(model: string, tools: Json[], isStreamed: boolean): Promise<number[]> {
  const caller = await gateway.caller("10")
  const method = isStreamed ? "streamGenerateContent?alt=sse" : "generateContent"
  const response = await caller.post(`/v1beta/models/${model}:${method}`, {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    generationConfig: { maxOutputTokens: 50 },
    tools,
  })
  expect(response.status).toBe(200)
  await response.text()
  const { usage } = await onlyReceipt(gateway, caller)
  return [usage?.["search"] ?? 0, usage?.["map_search"] ?? 0]
}

type Row = readonly [string, Json | null | undefined, Json[], readonly number[], readonly number[]]

/** Each row has the charged searches and maps of an older model and of a newer one. */
const ROWS: readonly Row[] = [
  ["no grounding", undefined, [MAPS], [0, 0], [0, 0]],
  ["empty grounding", {}, [MAPS], [0, 0], [0, 0]],
  ["pages as sources", { groundingChunks: [PAGE] }, [MAPS], [0, 0], [0, 0]],
  ["a source of maps", { groundingChunks: [PLACE] }, [MAPS], [0, 1], [0, 1]],
  ["queries without a source", { webSearchQueries: QUERIES }, [MAPS], [0, 0], [0, 2]],
  [
    "queries with sources of maps",
    { webSearchQueries: QUERIES, groundingChunks: [PLACE, PLACE] },
    [MAPS],
    [0, 1],
    [0, 2],
  ],
  [
    "queries with sources of maps, and both tools",
    { webSearchQueries: QUERIES, groundingChunks: [PLACE] },
    [SEARCH, MAPS],
    [0, 1],
    [0, 2],
  ],
  [
    "queries with sources of both tools",
    { webSearchQueries: QUERIES, groundingChunks: [PLACE, PAGE] },
    [SEARCH, MAPS],
    [1, 1],
    [2, 0],
  ],
  ["a blocked prompt", null, [SEARCH, MAPS], [0, 0], [0, 0]],
]

describe.each([false, true])("map searches of Gemini, streamed: %p,", (isStreamed) => {
  test.each(ROWS)("cost as much as Google charges for %s", async (...row) => {
    const [, response, tools, older, newer] = row
    grounding = response
    expect(await chargedFor("old/m", tools, isStreamed)).toEqual([...older])
    expect(await chargedFor("new/m", tools, isStreamed)).toEqual([...newer])
  })
})
