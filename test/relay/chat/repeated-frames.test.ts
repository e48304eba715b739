import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { FaultyVendor } from "../../../simulator/wire-faults/faulty-vendor.ts"
import {
  chunk,
  framesOf,
  headOf,
  LAST_CHUNK,
} from "../../../simulator/wire-faults/sound-response.ts"
import type { WireFault } from "../../../simulator/wire-faults/fault.ts"
import { WIRE_FAULTS } from "../../../simulator/wire-faults/wire-faults.ts"
import { startSimulator, type Simulator } from "../../../simulator/server.ts"
import { OFFICIAL_CLIENTS } from "../../chaos/official-clients.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { nothingHeld, receiptOf } from "../support.ts"

const TEXT = "alpha beta gamma delta"
const BEDROCK = { accessKeyId: "AKIDSIMULATOR", secretAccessKey: "simulator-secret" }

/** Vendors by dialect: the settings of their provider in addition to the address, and the model. */
const VENDORS = {
  "openai-chat": { vendor: "openai-compatible", path: "/v1", model: "echo" },
  "openai-responses": {
    vendor: "openai",
    path: "/v1",
    model: "echo",
    more: { dialects: ["openai-responses"] },
  },
  anthropic: { vendor: "anthropic", path: "", model: "claude-sonnet-4-5" },
  gemini: { vendor: "google", path: "", model: "gemini-2.0-flash" },
  bedrock: {
    vendor: "bedrock",
    path: "",
    model: "amazon.nova-pro-v1:0",
    more: { ...BEDROCK, region: "us-east-1" },
  },
  cohere: { vendor: "cohere", path: "", model: "command-a-03-2025" },
} as const
type Upstream = keyof typeof VENDORS
const UPSTREAMS = Object.keys(VENDORS) as Upstream[]

/** Dialects in which a repeated frame can be detected. In other dialects, it may be content. */
const TELLING: ReadonlySet<Upstream> = new Set([
  "openai-responses",
  "anthropic",
  "bedrock",
  "cohere",
])

const FRAMES_TWICE = WIRE_FAULTS.find(({ name }) => name === "frames twice")
/** After a while, the stream starts again from its first frame, as with a proxy that reconnects. */
const FROM_THE_START: WireFault = {
  name: "the first half again",
  effect: "midway",
  play(response) {
    const frames = framesOf(response)
    const half = frames.slice(0, Math.ceil(frames.length / 2))
    const again = [...half, ...frames].map((frame) => chunk(frame))
    return [headOf(response), Buffer.concat([...again, Buffer.from(LAST_CHUNK)])]
  },
}

let simulator: Simulator
let bad: FaultyVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  simulator = startSimulator()
  bad = await FaultyVendor.start(simulator.url)
  const providers = UPSTREAMS.flatMap((name) => {
    const { vendor, path, ...rest } = VENDORS[name]
    const more = "more" in rest ? rest.more : {}
    const at = (url: string) => ({ ...provider(url + path, vendor), ...more })
    return [
      [`${name}-bad`, at(`http://127.0.0.1:${bad.port}`)],
      [`${name}-good`, at(simulator.url)],
    ] as const
  })
  const at = (name: Upstream, place: string, weight: number) => ({
    provider: `${name}-${place}`,
    model: VENDORS[name].model,
    weight,
  })
  const models = UPSTREAMS.flatMap((name) => [
    [`alone/${name}`, simulated({ deployments: [at(name, "bad", 1)] })] as const,
    [
      `backed/${name}`,
      simulated({ deployments: [at(name, "bad", 1), at(name, "good", 0)] }),
    ] as const,
  ])
  gateway = await startGateway({
    providers: Object.fromEntries(providers),
    models: Object.fromEntries(models),
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await bad[Symbol.asyncDispose]()
  await simulator.stop()
})

interface Outcome {
  readonly got: string | undefined
  readonly thrown: string
  readonly raw: string
  readonly response: Response
}

async function ask(clientName: string, model: string): Promise<Outcome> {
  const client = OFFICIAL_CLIENTS.find(({ name }) => name === clientName)
  if (!client) throw new Error(`there is no client '${clientName}'`)
  let response = new Response()
  let raw: Promise<string> = Promise.resolve("")
  const watched = Object.assign(
    async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      response = await fetch(input, init)
      raw = response.clone().text()
      return response
    },
    { preconnect: fetch.preconnect },
  )
  const order = { url: gateway.url, key: caller.key, model, text: TEXT, fetch: watched }
  let got: string | undefined
  let thrown = ""
  try {
    got = await client.ask(order)
  } catch (error) {
    thrown = String(error)
  }
  return { got, thrown, raw: await raw, response }
}

const STREAMED = OFFICIAL_CLIENTS.filter(
  ({ operation, isStreamed }) => operation === "chat" && isStreamed,
).map(({ name }) => name)
const PAIRS = STREAMED.flatMap((client) => UPSTREAMS.map((upstream) => [client, upstream] as const))

describe("a stream with every frame duplicated", () => {
  test.each(PAIRS)(
    "results in a single copy of the text and a correct token count for %s of %s",
    async (client, upstream) => {
      await bad.misbehave(FRAMES_TWICE)
      const { got, thrown, response } = await ask(client, `backed/${upstream}`)
      expect(thrown).toBe("")
      if (TELLING.has(upstream)) expect(got).toBe(TEXT)
      const { status, usage } = await receiptOf(caller, response)
      expect(status).toBe("settled")
      // The vendor's count is used, and the repeated frames are not counted.
      expect(usage?.["output"]).toBeLessThan(20)
    },
  )

  test("results in a single copy of the text if the vendor numbers its frames", async () => {
    await bad.misbehave(FRAMES_TWICE)
    const { got, response, raw } = await ask("openai responses, streamed", "alone/openai-responses")
    expect(got).toBe(TEXT)
    const numbers = [...raw.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) =>
      Number(number),
    )
    expect(numbers).toEqual([...new Set(numbers)])
    expect((await receiptOf(caller, response)).attempts).toMatchObject([{ outcome: "ok" }])
  })

  test.each(["anthropic", "bedrock", "cohere"])(
    "fails if %s is the only vendor",
    async (upstream) => {
      await bad.misbehave(FRAMES_TWICE)
      const { got, thrown, response } = await ask("anthropic, streamed", `alone/${upstream}`)
      expect(got).toBeUndefined()
      expect(response.status).toBe(502)
      expect(thrown).toContain("twice")
      await nothingHeld(caller)
    },
  )
})

describe("a stream whose first half is repeated", () => {
  test.each(STREAMED)("returns one error and no complete response to %s", async (client) => {
    await bad.misbehave(FROM_THE_START)
    const { got, thrown, raw } = await ask(client, "alone/openai-responses")
    expect(got).toBeUndefined()
    expect(thrown).toContain("twice")
    expect(raw.match(/^event: error$|^data: \{"error"/gm)).toHaveLength(1)
    await nothingHeld(caller)
  })
})

test("duplicated arguments of a tool call cause an error and are not joined", async () => {
  await bad.misbehave(FRAMES_TWICE)
  const client = new Anthropic({ apiKey: caller.key, baseURL: gateway.url, maxRetries: 0 })
  const stream = client.messages.stream({
    model: "alone/anthropic",
    max_tokens: 200,
    messages: [{ role: "user", content: 'call read_file {"path":"a.txt"}' }],
    tools: [{ name: "read_file", input_schema: { type: "object" } }],
  })
  await expect(stream.finalMessage()).rejects.toThrow("twice")
  await nothingHeld(caller)
})
