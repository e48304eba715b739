import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { chatRecordings, HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { expectPaid } from "./checks.ts"
import { expectedStream } from "./expected-answer.ts"
import { expectedRequest } from "./expected-request.ts"
import { readStream } from "./read-stream.ts"
import { type ReplayGateway, startReplayGateway, vendorOf } from "./replay-gateway.ts"

const recordings = chatRecordings().filter(({ isStream }) => isStream)

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(
    recordings.flatMap(({ id, folder, replay }, index) => {
      const staged = { provider: folder, vendor: vendorOf(folder) }
      return [
        { ...staged, id, replay },
        { ...staged, id: cutIdOf(id), replay: { ...replay, seed: 1 + index } },
      ]
    }),
  )
})

afterAll(() => replaying[Symbol.asyncDispose]())

function cutIdOf(id: string): string {
  return `${id} in pieces`
}

/** The last usage of a stream carries the cost. */
function withCost(chunks: readonly JsonObject[], cost: string): JsonObject[] {
  const last = chunks.findLastIndex(({ usage }) => Boolean(usage))
  return chunks.map((chunk, index) =>
    index === last ? { ...chunk, usage: { ...(chunk.usage as JsonObject), cost: Number(cost) } } : chunk,
  )
}

describe(`recorded streams${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`are there${WITHOUT_FIXTURES}`, () => {
    expect(recordings.length).toBeGreaterThan(50)
  })

  for (const recording of recordings) {
    const { folder, replay } = recording
    for (const isUsageAsked of [true, false]) {
      for (const id of [recording.id, cutIdOf(recording.id)]) {
        test(`${id}, usage ${isUsageAsked ? "asked for" : "not asked for"}`, async () => {
          const { caller, vendor } = replaying
          const model = replaying.modelOf(id)
          const { stream_options: _, ...rest } = recording.request
          const request = isUsageAsked ? { ...rest, stream_options: { include_usage: true } } : rest
          const expected = expectedStream(replay.body, model, isUsageAsked)

          const before = await caller.balance()
          const response = await caller.post("/v1/chat/completions", { ...request, model })
          const received = await readStream(response)
          const after = await caller.balance()

          expect(received.status).toBe(200)
          const body = vendor.requestFor(id).body
          expect(body).toEqual(expectedRequest(request, vendorOf(folder), id))
          const payment = { requestId: received.requestId, before, after }
          const charged = await expectPaid(caller, payment, expected.usage)
          const { chunks } = expected
          expect(received.chunks).toEqual(isUsageAsked ? withCost(chunks, charged) : [...chunks])
          expect(received.isDone).toBe(expected.error === undefined)
          expect(received.error?.error_type).toBe(expected.error && "upstream_error")
          if (expected.error) {
            expect(String(received.error?.message)).toContain(String(expected.error.message))
          }
          expect(received.headers.get("x-tollgate-losses")).toBeNull()
        })
      }
    }
  }
})
