import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type OpenAI from "openai"
import { isJsonObject, type JsonObject } from "../../src/canon/json.ts"
import { chatRecordings, HAS_FIXTURES, WITHOUT_FIXTURES } from "../support/recordings.ts"
import { type ExpectedStream, expectedStream } from "./expected-response.ts"
import { type ReplayGateway, staged, startReplayGateway } from "./replay-gateway.ts"

const recordings = chatRecordings().filter(({ isStream }) => isStream)

let replaying: ReplayGateway

beforeAll(async () => {
  replaying = await startReplayGateway(recordings.map(staged))
})

afterAll(() => replaying[Symbol.asyncDispose]())

/** Returns the texts and calls in the chunks. */
function readingOf({ chunks }: ExpectedStream): { texts: string[]; calls: string[][] } {
  const texts: string[] = []
  const calls: string[][] = []
  for (const { index, delta, finish_reason: finish } of chunks.flatMap(choicesOf)) {
    const choice = Number(index)
    texts[choice] ??= ""
    calls[choice] ??= []
    if (!isJsonObject(delta)) continue
    texts[choice] += typeof delta.content === "string" ? delta.content : ""
    expect(finish === null || finish === undefined || typeof finish === "string").toBe(true)
    for (const call of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
      if (!isJsonObject(call) || !isJsonObject(call.function)) continue
      const { name, arguments: chunk } = call.function
      const position = Number(call.index)
      const known = (calls[choice][position] ??= "")
      calls[choice][position] = known + String(name ?? "") + String(chunk ?? "")
    }
  }
  return { texts, calls }
}

function choicesOf({ choices }: JsonObject): JsonObject[] {
  return Array.isArray(choices) ? choices.filter(isJsonObject) : []
}

function readingOfCompletion({ choices }: OpenAI.ChatCompletion): ReturnType<typeof readingOf> {
  return {
    texts: choices.map(({ message }) => message.content ?? ""),
    calls: choices.map(({ message }) =>
      (message.tool_calls ?? []).map((call) =>
        call.type === "function" ? call.function.name + call.function.arguments : "",
      ),
    ),
  }
}

describe(`the official client's accumulator${WITHOUT_FIXTURES}`, () => {
  test.skipIf(!HAS_FIXTURES)(`reads all recorded streams${WITHOUT_FIXTURES}`, () => {
    expect(recordings.length).toBeGreaterThan(50)
  })

  for (const { id, request, replay } of recordings) {
    test(`reads the stream: ${id}`, async () => {
      const { caller } = replaying
      const model = replaying.modelOf(id)
      const { stream: _, ...body } = request
      const runner = caller.client.chat.completions.stream({
        ...(body as unknown as OpenAI.ChatCompletionCreateParamsStreaming),
        model,
        stream: true,
      })
      const expected = expectedStream(replay.body, model, false)
      const outcome = runner.finalChatCompletion()
      if (expected.error) {
        await expect(outcome).rejects.toThrow(String(expected.error.message))
        return
      }
      const completion = await outcome
      expect(readingOfCompletion(completion)).toEqual(readingOf(expected))
      expect(completion.model).toBe(model)
    })
  }
})
