import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { RunningRequests } from "../../src/limits/running-requests.ts"
import { Machine } from "../../src/machine/machine.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-machine-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function processOf(machine: Machine): RunningRequests {
  return new RunningRequests(machine.memory, machine.presence)
}

test("the processes of a machine share a key's concurrency limit, and ended requests release their slots", () => {
  using first = new Machine(folder)
  using second = new Machine(folder)
  const [one, other] = [processOf(first), processOf(second)]
  const leaves = [one.enter("key", 3), other.enter("key", 3), one.enter("key", 3)]
  for (const rejected of [one, other]) {
    expect(() => rejected.enter("key", 3)).toThrow("limit of 3 concurrent requests of this key")
  }
  other.enter("another", 1)
  leaves[1]?.()
  const leave = one.enter("key", 3)
  expect(() => other.enter("key", 3)).toThrow()
  leave()
  leaves[0]?.()
  leaves[2]?.()
  for (let count = 0; count < 3; count++) other.enter("key", 3)
  expect(() => one.enter("key", 3)).toThrow()
})

test("running requests of a dead process are no longer counted", () => {
  using first = new Machine(folder)
  const second = new Machine(folder)
  const [one, other] = [processOf(first), processOf(second)]
  other.enter("key", 2)
  other.enter("key", 2)
  expect(() => one.enter("key", 2)).toThrow()
  second[Symbol.dispose]()
  one.enter("key", 2)
  one.enter("key", 2)
  expect(() => one.enter("key", 2)).toThrow()
})

test("a changed concurrency limit applies to the next request, and running requests continue", () => {
  using machine = new Machine(folder)
  const running = processOf(machine)
  const leaves = Array.from({ length: 10 }, () => running.enter("key", 1_000_000))
  expect(() => running.enter("key", 5)).toThrow("limit of 5 concurrent requests")
  for (const leave of leaves.splice(0, 6)) leave()
  running.enter("key", 5)
  expect(() => running.enter("key", 5)).toThrow()
})

test("a key's running requests are still counted after another key has taken their slot", () => {
  using first = new Machine(folder)
  using second = new Machine(folder)
  const [one, other] = [processOf(first), processOf(second)]
  const leaves = [one.enter("key", 3), one.enter("key", 3)]
  const words = first.memory.bigWords("running")
  words.fill(0n)
  leaves.push(one.enter("key", 3))
  expect(() => other.enter("key", 3)).toThrow("limit of 3 concurrent requests")
  leaves.shift()?.()
  leaves.push(other.enter("key", 3))
  expect(() => other.enter("key", 3)).toThrow("limit of 3 concurrent requests")
  for (const leave of leaves) leave()
  expect(words.every((word) => word === 0n)).toBe(true)
})

test("thousands of keys without running requests use no memory", () => {
  using machine = new Machine(folder)
  const running = processOf(machine)
  for (let round = 0; round < 3; round++) {
    const leaves = Array.from({ length: 5_000 }, (_, index) => running.enter(`key${index}`, 1))
    expect(() => running.enter("key42", 1)).toThrow()
    for (const leave of leaves) leave()
  }
  expect(machine.memory.bigWords("running").every((word) => word === 0n)).toBe(true)
})
