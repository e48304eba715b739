import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Evidence, Finding } from "../../torture/oracle/evidence.ts"
import { judge } from "../../torture/oracle/judge.ts"
import { SQLITE, type TortureEngine } from "../../torture/engines.ts"
import { POSTGRESQL, POSTGRESQL_JOURNAL } from "../../torture/postgresql.ts"
import { formatReport } from "../../torture/report.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"
import { torture, type TortureResult } from "../../torture/torture.ts"

const OPTIONS = { seconds: 3, nodes: 2, callers: 6, seed: 15, fillsDisk: false }

describe("a short torture run of SQLite", () => {
  const options = { ...OPTIONS, engine: SQLITE }
  let result: TortureResult

  beforeAll(async () => {
    result = await torture(options)
  })

  afterAll(() => {
    if (result.findings.length > 0) console.error(formatReport(options, result))
  })

  test("loses nothing, duplicates nothing, and leaves no negative balance and no holds", () => {
    expect(result.findings).toEqual([])
    expect(result.exitCodes).toEqual([0, 0])
    expect(wholesOf(result.evidence).length).toBeGreaterThan(3)
  })

  const mutations: readonly [string, (evidence: Evidence) => Evidence, RegExp][] = [
    ["a missing charge", withoutCharge, /was not charged/],
    ["a charge below the price", withAmount((amount) => amount + 1_000n), /by its usage/],
    ["a charge above the price", withAmount((amount) => amount - 1_000n), /by its usage/],
    ["a second charge under another id", withSecondCharge, /no call is for it/],
    ["the same charge twice", withSameChargeTwice, /has two entries/],
    ["a balance other than the sum", withBalance(1n), /its entries add up to/],
    ["a balance below zero", withBalance(-(10n ** 18n)), /is at -/],
    ["a delivered part that was released", withReleasedPart, /delivered a part, and/],
    ["credits still leased", withLease, /is still leased/],
    ["an unrecorded grant", withLostGrant, /was done, and has 0 entries/],
    ["a different answer to a repeated request", withOtherResponse, /not alike/],
    ["an overspent budget", withOverspentBudget, /of a budget of/],
    ["a write-off for lack of credits", withWriteOff, /was written off: account_empty/],
  ]

  test.each(mutations)("detects %s", (_, mutate, wanted) => {
    const findings = judge(mutate(result.evidence)).map(({ fault }: Finding) => fault)
    expect(findings.filter((fault) => wanted.test(fault))).not.toEqual([])
  })
})

const ENGINES: readonly TortureEngine[] = IS_EXHAUSTIVE ? [POSTGRESQL, POSTGRESQL_JOURNAL] : []

for (const engine of ENGINES) {
  test(`a short torture run of ${engine.name} finds no fault`, async () => {
    const options = { ...OPTIONS, engine }
    const result = await torture(options)
    if (result.findings.length > 0) console.error(formatReport(options, result))
    expect(result.findings).toEqual([])
    expect(result.exitCodes).toEqual([0, 0])
    expect(wholesOf(result.evidence).length).toBeGreaterThan(3)
  })
}

/** Returns the complete responses of the model that is charged exactly. */
function wholesOf({ calls }: Evidence): string[] {
  return calls.flatMap(({ plan, tries }) =>
    tries.flatMap(({ outcome, requestId }) =>
      outcome === "whole" && plan.model.isExact && requestId !== null ? [requestId] : [],
    ),
  )
}

function chosen(evidence: Evidence): string {
  const [request] = wholesOf(evidence)
  if (request === undefined) throw new Error("no answer was whole")
  return request
}

function withLedger(evidence: Evidence, change: Partial<Evidence["ledger"]>): Evidence {
  return { ...evidence, ledger: { ...evidence.ledger, ...change } }
}

function withoutCharge(evidence: Evidence): Evidence {
  const receipts = new Map(evidence.ledger.receipts)
  receipts.delete(chosen(evidence))
  return withLedger(evidence, { receipts })
}

function withAmount(change: (amount: bigint) => bigint) {
  return (evidence: Evidence): Evidence => {
    const request = chosen(evidence)
    const receipts = new Map(evidence.ledger.receipts)
    const receipt = receipts.get(request)
    if (!receipt?.entry) throw new Error("it has no charge")
    const entry = { ...receipt.entry, amount: change(receipt.entry.amount) }
    return withLedger(evidence, { receipts: receipts.set(request, { ...receipt, entry }) })
  }
}

/** Adds more charges than there are lost responses. */
function withSecondCharge(evidence: Evidence): Evidence {
  const request = chosen(evidence)
  const first = evidence.ledger.entries.find((entry) => entry.request === request)
  if (!first) throw new Error("it has no entry")
  const again = evidence.calls.map((_, index) => ({ ...first, request: `${request}-${index}` }))
  return withLedger(evidence, { entries: [...evidence.ledger.entries, ...again] })
}

function withSameChargeTwice(evidence: Evidence): Evidence {
  const { entries } = evidence.ledger
  const charge = entries.find(({ kind }) => kind === "charge")
  return withLedger(evidence, { entries: charge ? [...entries, charge] : entries })
}

function withBalance(change: bigint) {
  return (evidence: Evidence): Evidence => {
    const [first, ...others] = evidence.ledger.accounts
    if (!first) throw new Error("there is no account")
    const changed = { ...first, balance: first.balance + change }
    return withLedger(evidence, { accounts: [changed, ...others] })
  }
}

function withReleasedPart(evidence: Evidence): Evidence {
  const request = chosen(evidence)
  const receipts = new Map(evidence.ledger.receipts)
  const receipt = receipts.get(request)
  if (!receipt) throw new Error("it has no receipt")
  receipts.set(request, { ...receipt, entry: null, body: '{"status":"released"}' })
  const calls = evidence.calls.map((call) => ({
    ...call,
    tries: call.tries.map((one) => ({ ...one, outcome: "part" as const, hasContent: true })),
  }))
  return { ...withLedger(evidence, { receipts }), calls }
}

function withLease(evidence: Evidence): Evidence {
  const accounts = evidence.ledger.accounts.map((account) => ({ ...account, leased: 1n }))
  return withLedger(evidence, { accounts })
}

function withLostGrant(evidence: Evidence): Evidence {
  const account = evidence.ledger.accounts[0]?.id ?? ""
  const lost = { account, kind: "grant", amount: 1n, note: "lost", outcome: "done" } as const
  return { ...evidence, grants: [...evidence.grants, lost] }
}

function withOtherResponse(evidence: Evidence): Evidence {
  const calls = evidence.calls.map((call) =>
    call.repeat ? { ...call, repeat: { ...call.repeat, digest: "another" } } : call,
  )
  return { ...evidence, calls }
}

function withOverspentBudget(evidence: Evidence): Evidence {
  const keys = evidence.ledger.keys.map((key) =>
    key.budget === null ? key : { ...key, budget: 1n },
  )
  return withLedger(evidence, { keys })
}

function withWriteOff(evidence: Evidence): Evidence {
  const request = chosen(evidence)
  const chain = { number: 1, at: 0, previousHash: "", hash: "" }
  const writeOff = { ...chain, account: "", key: "", request, amount: 1n }
  return withLedger(evidence, { writeOffs: [{ ...writeOff, reason: "account_empty" }] })
}
