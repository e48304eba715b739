import { expect, test } from "bun:test"
import { AUDIT } from "../audit-record.ts"
import { type Engine, rejectionOf } from "../engines.ts"
import { TestDatabase } from "../test-database.ts"

const DAY = 86_400_000

/** Tests that an engine fulfills this contract. */
export function reconciliationContract(engine: Engine): void {
  test("the last comparison of each provider and all corrections are stored", async () => {
    await using database = await TestDatabase.on(engine)
    const other = await database.another()
    const { reconciliations, audit } = database.store
    const first = { provider: "openai", number: 1, at: 5, body: '{"n":1}' }
    const amounts = [
      { provider: "openai", day: DAY, amount: -7n },
      { provider: "openai", day: 2 * DAY, amount: 9n },
    ]
    await reconciliations.save(first, amounts, AUDIT)
    const second = { ...first, number: 2, at: 6, body: '{"n":2}' }
    await other.reconciliations.save(second, amounts.slice(1), AUDIT)
    const azure = { provider: "azure", number: 1, at: 7, body: "{}" }
    await reconciliations.save(azure, [], AUDIT)
    expect(await other.reconciliations.list()).toEqual([azure, second])
    const range = { from: DAY, until: 3 * DAY }
    expect(await reconciliations.listCorrections(range)).toEqual([
      { provider: "openai", day: DAY, amount: -7n },
      { provider: "openai", day: 2 * DAY, amount: 9n },
      { provider: "openai", day: 2 * DAY, amount: 9n },
    ])
    expect(await reconciliations.listCorrections({ from: 0, until: 2 * DAY })).toHaveLength(1)

    // A comparison is rejected unless its number follows the number of the last comparison.
    for (const number of [1, 2, 4]) {
      const late = reconciliations.save({ ...first, number }, amounts, AUDIT)
      expect(await rejectionOf(late)).toBe("conflict")
    }
    expect(await reconciliations.listCorrections(range)).toHaveLength(3)
    expect(await audit.list({}, null, 10)).toHaveLength(3)
  })
}
