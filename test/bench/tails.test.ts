import { expect, test } from "bun:test"
import { type TailBlock, tailsOf } from "../../bench/measure/tail.ts"

function block(subject: string, callers: number, round: number, p99: number): TailBlock {
  return { subject, callers, round, p99, median: p99 / 10 }
}

test("the slowest responses are compared with those of the bare proxy in the same round at the same concurrency", () => {
  const tails = tailsOf([
    block("bare", 1, 0, 500),
    block("tollgate", 1, 0, 1_500),
    // In this round, the machine was slower.
    block("tollgate", 1, 1, 3_000),
    block("bare", 1, 1, 1_500),
    block("bare", 32, 0, 2_000),
    block("tollgate", 32, 0, 5_000),
  ])
  expect(tails.map(({ subject, callers }) => `${subject} ${callers}`)).toEqual([
    "bare 1",
    "tollgate 1",
    "bare 32",
    "tollgate 32",
  ])
  expect(tails[1]).toMatchObject({
    p99: { median: 2_250 },
    over: { median: 1_250, lowest: 1_000, highest: 1_500 },
    ratio: { median: 2.5, lowest: 2, highest: 3 },
  })
  expect(tails[3]?.ratio.median).toBe(2.5)
})
