import { expect, test } from "bun:test"
import { BatchedObserver } from "../../../src/relay/billing/batched-observer.ts"
import type { PendingCharge } from "../../../src/relay/billing/pending-charge.ts"
import type {
  RequestObserver,
  SettledRequest,
} from "../../../src/relay/billing/request-observer.ts"

/** Returns a charge that contains only the id of its request. */
const chargeOf = (id: string) => ({ call: { id } }) as PendingCharge
const settledOf = (id: string) => ({ charge: chargeOf(id), endedAt: 1 }) as SettledRequest

function recorder(faulty?: string) {
  const heard: string[] = []
  const hear = (words: string, id: string): void => {
    if (id === faulty) throw new Error("not counted")
    heard.push(words)
  }
  const observer: RequestObserver = {
    settled: ({ charge }) => hear(`settled ${charge.call.id}`, charge.call.id),
    released: ({ call }, endedAt) => hear(`released ${call.id} at ${endedAt}`, call.id),
  }
  return { heard, observer }
}

test("the batched observer reports the events of one event-loop turn later, in order, to each observer", async () => {
  const [first, second] = [recorder(), recorder()]
  const batched = new BatchedObserver([first.observer, second.observer], {
    observerFailed: () => expect.unreachable(),
  })
  batched.settled(settledOf("a"))
  batched.released(chargeOf("b"), 5)
  batched.settled(settledOf("c"))
  expect(first.heard).toEqual([])
  await new Promise(setImmediate)
  expect(first.heard).toEqual(["settled a", "released b at 5", "settled c"])
  expect(second.heard).toEqual(first.heard)
  batched.settled(settledOf("d"))
  await new Promise(setImmediate)
  expect(second.heard.slice(3)).toEqual(["settled d"])
})

test("the batched observer reports an observer that fails, and delivers all other events", async () => {
  const [faulty, sound] = [recorder("b"), recorder()]
  const failed: string[] = []
  const batched = new BatchedObserver([faulty.observer, sound.observer], {
    observerFailed: (request) => failed.push(request),
  })
  for (const id of ["a", "b", "c"]) batched.settled(settledOf(id))
  await new Promise(setImmediate)
  expect(faulty.heard).toEqual(["settled a", "settled c"])
  expect(sound.heard).toEqual(["settled a", "settled b", "settled c"])
  expect(failed).toEqual(["b"])
})

test("the batched observer delivers pending events once when the gateway shuts down", async () => {
  const { heard, observer } = recorder()
  const batched = new BatchedObserver([observer], { observerFailed: () => expect.unreachable() })
  batched.settled(settledOf("a"))
  batched[Symbol.dispose]()
  expect(heard).toEqual(["settled a"])
  await new Promise(setImmediate)
  expect(heard).toEqual(["settled a"])
})
