import type { DebtLine } from "../../accounting/chained-records.ts"
import { GENESIS_HASH, hashDebt } from "../../accounting/hash-chain.ts"
import type { DebtLedger } from "../../store/payments.ts"

/**
 * Checks an account's debts. It checks the order and hashes of the lines, that each payment has an entry, and that
 * reversed card payments agree with entries and debts.
 * @returns the first fault; null if everything agrees.
 */
export function debtFault({ lines, reversed, paid, taken }: DebtLedger): string | null {
  let last: Pick<DebtLine, "number" | "debt" | "hash"> = {
    number: 0,
    debt: 0n,
    hash: GENESIS_HASH,
  }
  let owed = 0n
  let payments = 0n
  for (const { line, paid: entryAmount } of lines) {
    const fault = lineFault(line, last)
    if (fault) return `line ${last.number + 1} of its debts ${fault}`
    if (line.entry !== null && entryAmount !== line.amount) {
      return `line ${line.number} of its debts does not match the payment in entry ${line.entry}`
    }
    if (line.entry === null) owed += line.amount
    else payments += line.amount
    last = line
  }
  if (payments !== paid)
    return `entries paid ${-paid} of its debts, but its debts show payments of ${-payments}`
  if (owed - reversed !== taken) {
    return `${taken} of its card payments was taken back, but its entries and debts show ${owed - reversed}`
  }
  return null
}

function lineFault(line: DebtLine, last: Pick<DebtLine, "number" | "debt" | "hash">) {
  if (line.number !== last.number + 1) return "is missing"
  if (line.previousHash !== last.hash) return "does not follow the one before it"
  if (line.hash !== hashDebt(line)) return "was changed after it was written"
  if (line.debt !== last.debt + line.amount) return "is not the sum of the lines"
  return null
}
