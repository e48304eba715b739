import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import { CHAT, expectPaid } from "./checks.ts"
import { type ReceivedStream, readStream } from "./read-stream.ts"
import { type ReplayGateway, startReplayGateway } from "./replay-gateway.ts"
import {
  chunk,
  DONE,
  frames,
  idsOf,
  stagedStreams,
  USAGE,
  USAGE_CHUNK,
  type Written,
} from "./written-streams.ts"
import { PLAIN, TRAPS } from "./written-traps.ts"

const MODERATION: Written = {
  name: "contain a requested moderation report after the usage",
  vendor: "openai",
  body: frames(...PLAIN, USAGE_CHUNK, chunk({ choices: [], moderation: { input: {} } }), DONE),
}

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(stagedStreams([...TRAPS, MODERATION]))
})

afterAll(() => replaying[Symbol.asyncDispose]())

const REQUEST = { messages: [{ role: "user", content: "Hello" }], stream: true }

/** Runs a stream and checks its charge. */
async function run(
  id: string,
  isUsageAsked: boolean,
  usage: JsonObject,
): Promise<{ received: ReceivedStream; charged: string }> {
  const { caller } = replaying
  const model = replaying.modelOf(id)
  const options = isUsageAsked ? { stream_options: { include_usage: true } } : {}
  const before = await caller.balance()
  const received = await readStream(await caller.post(CHAT, { ...REQUEST, ...options, model }))
  const after = await caller.balance()
  const payment = { requestId: received.requestId, before, after }
  return { received, charged: await expectPaid(caller, payment, usage) }
}

/**
 * Returns written chunks as the caller receives them: with the public model id, and with the cost in the last usage.
 */
function arriving(chunks: readonly JsonObject[], model: string, cost: string): JsonObject[] {
  const last = chunks.findLastIndex(({ usage }) => isJsonObject(usage))
  return chunks.map((each, index) => {
    if (index !== last || !isJsonObject(each.usage)) return { ...each, model }
    return { ...each, model, usage: { ...each.usage, cost: Number(cost) } }
  })
}

describe("unusual streams through the gateway", () => {
  for (const trap of TRAPS) {
    for (const id of idsOf(trap)) {
      for (const isUsageAsked of [true, false]) {
        test(`arrive completely: ${id}, usage ${isUsageAsked ? "requested" : "not requested"}`, async () => {
          const { received, charged } = await run(id, isUsageAsked, trap.usage ?? USAGE)
          const chunks = isUsageAsked ? trap.asked : trap.unasked
          expect(received.chunks).toEqual(arriving(chunks, replaying.modelOf(id), charged))
          expect(received.isDone).toBe(true)
          expect(received.error).toBeUndefined()
        })
      }
    }
  }

  test(MODERATION.name, async () => {
    const { received } = await run(MODERATION.name, true, USAGE)
    expect(received.chunks.some(({ moderation }) => isJsonObject(moderation))).toBe(true)
    const usages = received.chunks.map(({ usage }) => usage).filter(isJsonObject)
    expect(usages.at(-1)).toHaveProperty("cost")
  })
})
