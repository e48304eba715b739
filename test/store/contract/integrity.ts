import { expect, test } from "bun:test"
import { verifyAudit } from "../../../src/ledger/verify/audit.ts"
import { verifyLedgers } from "../../../src/ledger/verify/ledgers.ts"
import { AUDIT } from "../audit-record.ts"
import { TestDatabase } from "../test-database.ts"
import type { Engine } from "../engines.ts"

/** Tests that an engine fulfills this contract. */
export function integrityContract(engine: Engine): void {
  test("written entries pass verification, and the anchor includes all written entries", async () => {
    await using database = await TestDatabase.on(engine)
    const payer = await database.account("a", 100n)
    const ledger = await database.ledger("node")
    for (const cost of [0n, 3n, 4n]) {
      await ledger.lease(payer, 5n)
      const hold = ledger.tryHold(database.order(payer, 5n))
      if (hold === undefined) throw new Error("nothing is held")
      await ledger.settle(hold, cost, () => "{}")
    }
    await database.store.audit.append(AUDIT)
    while ((await database.store.integrity.advanceAnchor(50)).isBehind);
    const anchor = await database.store.integrity.findAnchor()
    const rows = await database.store.integrity.listRows(0, 100)
    expect(anchor).toMatchObject({ rowCount: rows.length, lastHash: rows.at(-1)?.hash })
    expect(await verifyLedgers(database.store)).toMatchObject({ problems: [] })
    const { problem, records } = await verifyAudit(database.store, [anchor.audit])
    expect({ problem, isEmpty: records === 0 }).toEqual({ problem: null, isEmpty: false })
  })
}
