import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { chatRecordings, HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { sampleOf } from "../support/exhaustive.ts"
import { expectWhole } from "./checks.ts"
import { type ReplayGateway, staged, startReplayGateway } from "./replay-gateway.ts"

/**
 * Matches requests that are changed by the rules of their provider. The model names of recordings match no known model,
 * so that no model rules apply. The models accepted these requests.
 */
const CHANGED_BY_RULES = /groq-native-output|describes-images-returned-fr/

const recordings = chatRecordings().filter(
  ({ id, status, isStream }) => status === 200 && !isStream && !CHANGED_BY_RULES.test(id),
)

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(recordings.map(staged))
})

afterAll(() => replaying[Symbol.asyncDispose]())

describe(`recorded whole responses${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`exist for every vendor${WITHOUT_FIXTURES}`, () => {
    expect(recordings.length).toBeGreaterThan(120)
  })

  for (const { id, vendor, request, replay } of sampleOf(recordings, 2)) {
    test(`reach the caller and have a charge: ${id}`, async () => {
      const call = { id, vendor, request, recorded: replay.body }
      await expectWhole(replaying, call)
    })
  }
})
