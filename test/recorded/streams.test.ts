import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sampleOf } from "../support/exhaustive.ts"
import { chatRecordings, HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { expectStream } from "./checks.ts"
import { type ReplayGateway, staged, startReplayGateway } from "./replay-gateway.ts"

const recordings = chatRecordings().filter(({ isStream }) => isStream)

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(
    recordings.flatMap((recording, index) => {
      const replay = { ...recording.replay, seed: 1 + index }
      return [staged(recording), { ...staged(recording), id: cutIdOf(recording.id), replay }]
    }),
  )
})

afterAll(() => replaying[Symbol.asyncDispose]())

/** Returns the id of the same recording with its bytes cut at random positions. */
function cutIdOf(id: string): string {
  return `${id} in pieces`
}

describe(`recorded streams${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`exist for every vendor${WITHOUT_FIXTURES}`, () => {
    expect(recordings.length).toBeGreaterThan(50)
  })

  for (const [index, { id: wholeId, vendor, request, replay }] of recordings.entries()) {
    const cutId = cutIdOf(wholeId)
    const ways = [
      { id: wholeId, isAsked: true },
      { id: wholeId, isAsked: false },
      { id: cutId, isAsked: false },
      { id: cutId, isAsked: true },
    ]
    // `npm test` streams each recording in one of these ways.
    for (const { id, isAsked } of sampleOf(ways, ways.length, index)) {
      const call = { id, vendor, request, recorded: replay.body }
      test(`reach the caller and have a charge: ${id}, usage ${isAsked ? "" : "not "}requested`, () =>
        expectStream(replaying, call, isAsked))
    }
  }
})
