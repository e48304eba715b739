import { describe, expect, test } from "bun:test"
import { cosine, linesOf, similarities } from "../../console/src/pages/playground/vectors.ts"
import { adviceFor, failureOfBody } from "../../console/src/pages/playground/call-failure.ts"
import { imageFault } from "../../console/src/pages/playground/image-fault.ts"
import { playgroundSearch } from "../../console/src/pages/playground/tabs.ts"

describe("vectors in the playground", () => {
  test("can be compared by their direction", () => {
    expect(cosine([1, 0], [5, 0])).toBe(1)
    expect(cosine([1, 0], [0, 2])).toBe(0)
    expect(cosine([1, 0], [-3, 0])).toBe(-1)
    expect(cosine([0, 0], [1, 1])).toBe(0)
    expect(
      similarities([
        [1, 0],
        [0, 1],
      ]),
    ).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  test("belong to the lines of text that are not empty", () => {
    expect(linesOf(" one \n\n two\n")).toEqual(["one", "two"])
  })
})

describe("a failure in the playground", () => {
  test("contains a link to the Credits page if credits are insufficient", () => {
    const error = {
      message: "Not enough.",
      code: "insufficient_credits",
      error_type: "insufficient_credits",
    }
    const failure = failureOfBody(402, { error })
    expect(adviceFor(failure)?.link?.to).toBe("/credits")
  })

  test("has a message even if the response has no error envelope", () => {
    expect(failureOfBody(502, undefined).message).toContain("502")
  })

  test("shows the retry time of a rate limit", () => {
    const failure = { ...failureOfBody(429, {}), kind: "request_rate_exceeded", retryAfter: 7 }
    expect(adviceFor(failure)?.text).toContain("7 s")
  })
})

test("files that are not images are reported by name", () => {
  expect(imageFault({ name: "a.pdf", type: "application/pdf", size: 1 })).toContain("a.pdf")
  expect(imageFault({ name: "a.png", type: "image/png", size: 9_000_000 })).toContain("8 MB")
  expect(imageFault({ name: "a.png", type: "image/png", size: 9 })).toBeUndefined()
})

test("the playground's address accepts known parameters only", () => {
  expect(playgroundSearch({ tab: "images", model: "a/b", other: 1 })).toEqual({
    tab: "images",
    model: "a/b",
  })
  expect(playgroundSearch({ tab: "nonsense", model: 5 })).toEqual({})
})
