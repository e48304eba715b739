import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { JsonObject } from "../../src/canon/json.ts"
import { chatRecordings, HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { expectPaid } from "./checks.ts"
import { expectedAnswer } from "./expected-answer.ts"
import { expectedRequest } from "./expected-request.ts"
import { type ReplayGateway, startReplayGateway, vendorOf } from "./replay-gateway.ts"

const recordings = chatRecordings().filter(({ status, isStream }) => status === 200 && !isStream)

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(
    recordings.map(({ id, folder, replay }) => ({
      id,
      provider: folder,
      vendor: vendorOf(folder),
      replay,
    })),
  )
})

afterAll(() => replaying[Symbol.asyncDispose]())

describe(`recorded whole answers${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`are there${WITHOUT_FIXTURES}`, () => {
    expect(recordings.length).toBeGreaterThan(120)
  })

  for (const { id, folder, request, replay } of recordings) {
    test(id, async () => {
      const { caller, vendor } = replaying
      const model = replaying.modelOf(id)
      const recorded = JSON.parse(replay.body) as JsonObject

      const before = await caller.balance()
      const response = await caller.post("/v1/chat/completions", { ...request, model })
      const answer: unknown = await response.json()
      const after = await caller.balance()

      expect(answer).toEqual(expectedAnswer(recorded, model))
      expect(response.status).toBe(200)
      const asked = vendor.requestFor(id)
      expect(asked.path).toBe("/v1/chat/completions")
      expect(asked.body).toEqual(expectedRequest(request, vendorOf(folder), id))
      expect(asked.headers.get("authorization")).toBe("Bearer upstream")
      expect(JSON.stringify([...asked.headers])).not.toContain(caller.key)
      expect(response.headers.get("x-tollgate-losses")).toBeNull()

      const requestId = response.headers.get("x-request-id") ?? ""
      const payment = { requestId, before, after }
      const charged = await expectPaid(caller, payment, recorded.usage as JsonObject)
      expect(response.headers.get("x-tollgate-cost")).toBe(charged)
    })
  }
})
