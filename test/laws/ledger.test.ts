import { afterAll, beforeAll, describe, spyOn, test } from "bun:test"
import * as fc from "fast-check"
import { ACCOUNTS, type Limits, SPENDERS } from "./ledger-laws.ts"
import { World } from "./ledger-world.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"

/** Interleavings for each law. */
const RUNS = IS_EXHAUSTIVE ? 60 : 20
const THREADED_RUNS = IS_EXHAUSTIVE ? 10 : 4

/** Waiting takes no real time. It advances the clock of the test. */
let waited = 0
const spies: { mockRestore(): void }[] = []

beforeAll(() => {
  const { now } = Date
  const elapsed = performance.now.bind(performance)
  spies.push(
    spyOn(Date, "now").mockImplementation(() => now() + waited),
    spyOn(performance, "now").mockImplementation(() => elapsed() + waited),
    spyOn(Bun, "sleep").mockImplementation(async (time) => {
      waited += Number(time)
      await new Promise(setImmediate)
    }),
  )
})

afterAll(() => {
  for (const spy of spies) spy.mockRestore()
})

type Step = (world: World) => void | Promise<void>

/** Creates a step with a name that fast-check reports. */
function step(name: string, run: Step): Step {
  return Object.assign(run, { [fc.toStringMethod]: () => name })
}

const anyIndex = fc.nat({ max: 7 })
const anySpender = fc.constantFrom(...SPENDERS)
const anyAccount = fc.constantFrom(...ACCOUNTS)
const anyAmount = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: 30n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 62n }) },
)
/** The cost of a request in tenths of its hold: below, equal to and above the hold. */
const anyShare = fc.constantFrom(0n, 3n, 9n, 10n, 10n, 10n, 11n, 40n)

function weighted(weight: number, arbitrary: fc.Arbitrary<Step>): fc.WeightedArbitrary<Step> {
  return { weight, arbitrary }
}

const anyGrant = fc
  .tuple(anyAccount, anyAmount)
  .map(([account, amount]) =>
    step(`grant ${amount} to ${account}`, (world) => world.grant(account, amount)),
  )
const anyLimits: fc.Arbitrary<Limits> = fc.record({
  budget: fc.option(anyAmount),
  dailyBudget: fc.option(anyAmount),
  monthlyBudget: fc.option(anyAmount),
})
const anyChange = fc
  .tuple(anyLimits, fc.subarray(["budget", "dailyBudget", "monthlyBudget"] as const))
  .map(([limits, changed]) =>
    step(`change ${changed.map((kind) => `${kind} to ${limits[kind]}`).join()}`, (world) =>
      world.limit(Object.fromEntries(changed.map((kind) => [kind, limits[kind]]))),
    ),
  )
const anyRecall = fc
  .tuple(anySpender, anyAmount)
  .map(([spender, amount]) =>
    step(`recall ${amount} of ${spender}`, (world) => world.recall(spender, amount)),
  )
const anyTaking = fc
  .tuple(anyAccount, fc.bigInt({ min: 1n, max: 30n }))
  .map(([account, amount]) =>
    step(`take ${amount} out of ${account}`, (world) => world.takeOut(account, amount)),
  )
const anyHold = fc
  .tuple(anyIndex, anySpender, anyAmount)
  .map(([index, spender, amount]) =>
    step(`hold ${amount} of ${spender} at ${index}`, (world) => world.hold(index, spender, amount)),
  )
const anyResizing = fc
  .tuple(anyIndex, anyAmount)
  .map(([index, amount]) =>
    step(`resize ${index} to ${amount}`, (world) => world.resize(index, amount)),
  )
const anySettlement = fc
  .tuple(anyIndex, anyShare)
  .map(([index, share]) =>
    step(`settle ${index} at ${share} tenths`, (world) =>
      world.settle(index, (amount) => (amount * share + 9n) / 10n),
    ),
  )
const anyExtension = fc
  .tuple(anyIndex, anySpender, anyAmount)
  .map(([index, spender, amount]) =>
    step(`extend to ${amount} of ${spender} at ${index}`, (world) =>
      world.extend(index, spender, amount),
    ),
  )
const anyBreath = fc
  .nat({ max: 12 })
  .map((turns) => step(`breathe ${turns}`, (world) => world.breathe(turns)))
const longWait = step("wait", () => {
  waited += 300
})

const midnight = step("midnight", () => {
  waited += 24 * 60 * 60 * 1_000
})

function onOne(name: string, run: (world: World, index: number) => void | Promise<void>) {
  return anyIndex.map((index) => step(`${name} ${index}`, (world) => run(world, index)))
}

const peaceful = [
  weighted(3, anyGrant),
  weighted(8, anyHold),
  weighted(8, anySettlement),
  weighted(2, anyResizing),
  weighted(
    2,
    onOne("release", (world, index) => world.release(index)),
  ),
  weighted(1, anyExtension),
  weighted(
    5,
    onOne("poll at", (world, index) => world.poll(index)),
  ),
  weighted(
    1,
    onOne("repeat", (world, index) => world.repeat(index)),
  ),
  weighted(5, anyBreath),
  weighted(1, fc.constant(longWait)),
  weighted(1, fc.constant(midnight)),
  weighted(1, anyChange),
  weighted(1, anyRecall),
  weighted(1, anyTaking),
]
const crash = weighted(
  1,
  onOne("crash of", (world, index) => world.crash(index)),
)
const theft = weighted(
  3,
  onOne("theft from", (world, index) => world.steal(index)),
)

interface Trial {
  readonly steps: fc.Arbitrary<Step>
  readonly numRuns: number
  readonly isThreaded?: boolean
}

function noInterleavingBreaksTheLaws({ steps, numRuns, isThreaded = false }: Trial): Promise<void> {
  return fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      anyLimits,
      fc.array(steps, { minLength: 20, maxLength: 80, size: "max" }),
      async (members, limits, steps) => {
        await using world = await World.create(members, limits, isThreaded)
        for (const run of steps) {
          await run(world)
          world.checkLaws()
        }
        await world.checkEnd()
      },
    ),
    { numRuns, interruptAfterTimeLimit: 40_000 },
  )
}

describe("ledger invariants under any interleaving", () => {
  test(
    "remain true for grants, holds, settlements and releases on up to three nodes",
    () => noInterleavingBreaksTheLaws({ steps: fc.oneof(...peaceful), numRuns: RUNS }),
    60_000,
  )

  test(
    "remain true while nodes crash and are replaced",
    () => noInterleavingBreaksTheLaws({ steps: fc.oneof(...peaceful, crash), numRuns: RUNS }),
    60_000,
  )

  test(
    "remain true while leases are taken from live nodes",
    () =>
      noInterleavingBreaksTheLaws({ steps: fc.oneof(...peaceful, crash, theft), numRuns: RUNS }),
    60_000,
  )

  test(
    "remain true for steps that run on the store's own thread",
    () =>
      noInterleavingBreaksTheLaws({
        steps: fc.oneof(...peaceful, crash, theft),
        numRuns: THREADED_RUNS,
        isThreaded: true,
      }),
    60_000,
  )
})
