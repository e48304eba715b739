import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { NotFoundError } from "openai"
import { withSandbox } from "../../src/config/sandbox.ts"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

const MODEL = "sandbox/moderate"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway()
  await gateway.app.apply(withSandbox(gateway.settings, gateway.simulator.url))
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

describe("OpenAI's client for moderation", () => {
  test("classifies a text, and several texts", async () => {
    const { moderations } = caller.client
    const one = await moderations.create({ model: MODEL, input: "I will attack you" })
    expect([one.model, one.results.map(({ flagged }) => flagged)]).toEqual([MODEL, [true]])
    const several = await moderations.create({ model: MODEL, input: ["Hello", "You idiot"] })
    expect(several.results.map(({ flagged }) => flagged)).toEqual([false, true])
    expect(several.results[1]?.categories.harassment).toBe(true)
    expect(several.results[1]?.category_scores.harassment).toBe(0.9)
  })

  test("classifies a text and an image together", async () => {
    const { results } = await caller.client.moderations.create({
      model: MODEL,
      input: [
        { type: "text", text: "Hello" },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
      ],
    })
    expect(results.length).toBe(1)
    expect(results[0]?.category_applied_input_types.violence).toEqual(["text", "image"] as never)
  })

  test("throws NotFoundError for an unknown model", async () => {
    const failure = await caller.client.moderations
      .create({ model: "sandbox/moderat", input: "a" })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NotFoundError)
    expect((failure as NotFoundError).message).toContain(MODEL)
  })
})
