import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { provider, startGateway, type TestGateway } from "../support/gateway.ts"
import type { LargeBody } from "../support/large-body.ts"
import { Load } from "../support/load.ts"
import { longestPause } from "../support/pauses.ts"
import { nothingHeld } from "../relay/support.ts"
import { sampleOf } from "../support/exhaustive.ts"

const MEBIBYTE = 1024 * 1024
const MEMORY = 768 * MEBIBYTE
/** The maximum time in milliseconds that another caller may wait for one form, and for ten of them. */
const MAX_PAUSE_MS = 100
const MAX_PAUSE_OF_MANY_MS = 200

let load: Load
let gateway: TestGateway

beforeAll(async () => {
  load = await Load.start()
  gateway = await startGateway({
    providers: { own: provider(load.providerUrl) },
    models: {
      "own/whisper": { kind: "transcription", price: { second: "1" } },
      "own/image": { kind: "image", price: { image: "1" } },
    },
    settings: {
      limits: {
        bodyBytes: 32 * MEBIBYTE,
        mediaBytes: 4 * MEBIBYTE,
        responseBytes: 4 * MEBIBYTE,
        memoryBytes: MEMORY,
        mediaPrivate: true,
      },
    },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await load[Symbol.asyncDispose]()
})

const part = (head: string): string => `--cut\r\n${head}\r\n\r\n\r\n`
const named = (name: string): string => `content-disposition: form-data; name="${name}"`

/** Parts that are repeated in a form as often as possible. */
const PARTS: Readonly<Record<string, string>> = {
  "files in a known field": part(`${named("image[]")}; filename="a"`),
  "files in an unknown field": part(`${named("a")}; filename="a"`),
  "unselected files": part(`${named("file")}; filename=""`),
  fields: part(named("a[]")),
  "parts without a head": "--cut\r\n\r\n\r\n",
  "parts without a name": part("a: b"),
}

const MODELS: Readonly<Record<string, string>> = {
  "/v1/audio/transcriptions": "own/whisper",
  "/v1/images/edits": "own/image",
}

function formOf(model: string, repeated: string): LargeBody {
  const before = `--cut\r\n${named("model")}\r\n\r\n${model}\r\n`
  const size = 16 * MEBIBYTE
  return { before, repeated, separator: "", after: "--cut--\r\n", size, count: Infinity }
}

describe("the most expensive form", () => {
  for (const [index, [name, repeated]] of sampleOf([...Object.entries(PARTS).entries()], 3)) {
    for (const credits of sampleOf(["0", "1000"], 2, index)) {
      test(`does not block other requests if it has ${name} and the key has ${credits} credits`, async () => {
        const caller = await gateway.caller(credits)
        const before = process.memoryUsage.rss()
        for (const [pathIndex, [path, model]] of Object.entries(MODELS).entries()) {
          for (const isRepeatable of sampleOf([false, true], 2, index + pathIndex)) {
            for (const times of [1, 10]) {
              let responses: readonly string[] = []
              const limit = times === 1 ? MAX_PAUSE_MS : MAX_PAUSE_OF_MANY_MS
              const pause = await longestPause(limit, async () => {
                await load.prepare({
                  url: gateway.url + path,
                  headers: {
                    authorization: `Bearer ${caller.key}`,
                    "content-type": "multipart/form-data; boundary=cut",
                    ...(isRepeatable && { "idempotency-key": crypto.randomUUID() }),
                  },
                  body: formOf(model, repeated),
                  isPacked: false,
                  times,
                })
                responses = await load.send()
              })
              const found = { path, isRepeatable, times, isShort: pause < limit }
              expect(found).toEqual({ path, isRepeatable, times, isShort: true })
              // If a response arrives while the caller is still sending, the caller may not read the response.
              for (const response of responses)
                expect(response).toMatch(/^40[029] |^413 |^503 |^Error/)
            }
          }
        }
        expect(process.memoryUsage.rss() - before).toBeLessThan(MEMORY)
        await nothingHeld(caller)
      })
    }
  }
})
