import { expect, test } from "bun:test"
import { describeMachine } from "../../bench/machine.ts"
import { type Block, costs } from "../../bench/measure/blocks.ts"
import type { Results } from "../../bench/results.ts"
import { validate } from "../../bench/targets.ts"

function block(subject: string, round: number, processorTime: number, strangersTime = 0): Block {
  const counts = { responses: 100, frames: 1_000, chunks: 1_000, duration: 1_000 }
  return { subject, round, processorTime, strangersTime, ...counts }
}

test("the bench divides the cost of a gateway by the cost of the bare proxy in the same round", () => {
  const blocks = [
    block("bare", 0, 1_000),
    block("tollgate", 0, 2_000),
    // In this round, the machine was half as fast.
    block("bare", 1, 2_000),
    block("tollgate", 1, 3_000),
    block("bare", 2, 1_000),
    block("tollgate", 2, 1_700),
  ]
  const [bare, tollgate] = costs(blocks, "responses")
  expect(bare?.ratio).toEqual({ median: 1, lowest: 1, highest: 1 })
  expect(tollgate?.ratio).toEqual({ median: 1.7, lowest: 1.5, highest: 2 })
  expect(tollgate?.microseconds.median).toBe(20)
})

test("the bench excludes rounds on a busy core unless most rounds ran on busy cores", () => {
  const quiet = [0, 1, 2].flatMap((round) => [
    block("bare", round, 1_000),
    block("tollgate", round, 2_000),
  ])
  const disturbed = [block("bare", 3, 1_000), block("tollgate", 3, 9_000, 500_000)]
  expect(costs([...quiet, ...disturbed], "responses")[1]).toMatchObject({
    rounds: 3,
    ratio: { median: 2, lowest: 2, highest: 2 },
  })
  expect(costs(disturbed, "responses")[1]).toMatchObject({
    rounds: 1,
    ratio: { highest: 9, isNoisy: true },
  })
})

test("the bench gives no verdict on noisy rounds", () => {
  const results: Results = {
    date: "2026-01-01T00:00:00Z",
    isQuick: false,
    machine: describeMachine(),
    subjects: ["bare", "tollgate"],
    missing: {},
  }
  const verdictOf = (strangersTime: number) => {
    const blocks = [block("bare", 0, 1_000), block("tollgate", 0, 9_000, strangersTime)]
    return validate({ ...results, chat: { blocks, costs: costs(blocks, "responses") } })
  }
  expect(verdictOf(0)).toMatchObject([{ verdict: "MISS" }])
  expect(verdictOf(500_000)).toMatchObject([{ verdict: "noisy" }])
})
