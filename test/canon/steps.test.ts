import { expect, test } from "bun:test"
import { atOnce, inOwnTurns, type Steps } from "../../src/canon/next-turn.ts"

/** Records the turn of the event loop in which each step runs. */
function steps(turnOf: () => number): Steps<number[]> {
  return (function* () {
    const turns = [turnOf()]
    yield
    turns.push(turnOf())
    yield
    turns.push(turnOf())
    return turns
  })()
}

function countTurns(): { readonly count: () => number; readonly stop: () => void } {
  let turn = 0
  let isOver = false
  const next = () => {
    turn++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  return { count: () => turn, stop: () => (isOver = true) }
}

test("the steps of a large request run in separate event-loop turns", async () => {
  const turns = countTurns()
  const [first = 0, second = 0, third = 0] = await inOwnTurns(steps(turns.count))
  turns.stop()
  expect(second).toBeGreaterThan(first)
  expect(third).toBeGreaterThan(second)
})

test("the steps of a small request run in one event-loop turn", () => {
  const turns = countTurns()
  expect(atOnce(steps(turns.count))).toEqual([0, 0, 0])
  turns.stop()
})
