import { describe, expect, test } from "bun:test"
import { answerOf, decoded } from "./support.ts"

const TWO = { input: ["one", "two"] }

describe("Cohere", () => {
  test("vectors by type, and the tokens that were billed", async () => {
    const answer = answerOf({
      embeddings: {
        float: [
          [1, 0],
          [0, 1],
        ],
      },
      meta: { billed_units: { input_tokens: 5 } },
    })
    const { vectors, tokens } = await decoded("cohere", [answer], TWO)
    expect(vectors.map((vector) => [...vector])).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect(tokens).toBe(5)
  })

  test("a list of vectors without a type, and nothing billed", async () => {
    const { vectors, tokens } = await decoded("cohere", [answerOf({ embeddings: [[0.5, 0.5]] })])
    expect(vectors.map((vector) => [...vector])).toEqual([[0.5, 0.5]])
    expect(tokens).toBe(0)
  })
})

describe("Vertex AI", () => {
  const prediction = (values: number[], tokens?: number) => ({
    embeddings: { values, ...(tokens !== undefined && { statistics: { token_count: tokens } }) },
  })

  test("a prediction for each text, whose tokens are added", async () => {
    const answer = answerOf({ predictions: [prediction([3, 4], 2), prediction([0, 1], 3)] })
    const { vectors, tokens } = await decoded("vertex", [answer], TWO)
    expect(vectors.map((vector) => [...vector])).toEqual([
      [3, 4],
      [0, 1],
    ])
    expect(tokens).toBe(5)
  })

  test("a vector that was made shorter is made as long as one", async () => {
    const answer = answerOf({ predictions: [prediction([3, 4])] })
    const { vectors, tokens } = await decoded("vertex", [answer], { dimensions: 2 })
    expect([...(vectors[0] ?? [])]).toEqual([expect.closeTo(0.6), expect.closeTo(0.8)])
    expect(tokens).toBe(0)
  })

  test.each([{ predictions: [{}] }, { predictions: [{ embeddings: {} }] }])(
    "an answer without vectors cannot be used: %j",
    async (body) => {
      await expect(decoded("vertex", [answerOf(body)])).rejects.toMatchObject({
        kind: "upstream_error",
      })
    },
  )
})
