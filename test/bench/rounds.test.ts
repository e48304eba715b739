import { expect, test } from "bun:test"
import { QUICK_RACE, roundsOf } from "../../bench/race/plan.ts"

test("a bench scenario starts no round after its time limit, but runs at least two rounds", () => {
  expect([...roundsOf(4, QUICK_RACE)]).toEqual([-1, 0, 1, 2, 3])
  expect([...roundsOf(4, { ...QUICK_RACE, scenarioTime: -1 })]).toEqual([-1, 0, 1])
})
