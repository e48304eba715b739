import type { StatementLine } from "../store/entries.ts"
import type { WriteOffRecord } from "../accounting/chained-records.ts"
import { formatCredits } from "../ledger/money.ts"
import { csvRow, defused } from "#contract/csv.ts"
import { momentText } from "./moment-text.ts"

/** The balance, charges and credits of an account in a period. */
export interface Statement {
  readonly account: { readonly id: string; readonly name: string }
  /** Start of the period in Unix milliseconds. The end is exclusive. */
  readonly from: number
  readonly until: number
  /** Opening balance in nanocredits. */
  readonly opening: bigint
  /** The debt of the account at the end of the period. */
  readonly debt: bigint
  readonly entries: AsyncIterable<StatementLine>
  /** Costs that were not charged, which are not part of the sum. Only present for operators. */
  readonly writeOffs?: AsyncIterable<WriteOffRecord>
}

const COLUMNS = "number,time,kind,amount,balance,request,model,key,note"

/**
 * Formats a statement as CSV (RFC 4180). The first and last rows contain the balances, and the debt if there is one.
 */
export async function* csvStatement(statement: Statement): AsyncGenerator<string> {
  const { from, until, opening, debt, entries, writeOffs } = statement
  yield `${COLUMNS}\r\n${balanceRow("opening balance", from, opening)}`
  let balance = opening
  for await (const line of entries) {
    balance += line.amount
    yield csvRow([
      String(line.number),
      momentText(line.at),
      line.kind,
      formatCredits(line.amount),
      formatCredits(balance),
      ...[line.request, line.model, line.key, line.note].map((text) => defused(text ?? "")),
    ])
  }
  yield balanceRow("closing balance", until, balance)
  if (debt > 0n) yield balanceRow("closing debt", until, debt)
  if (writeOffs === undefined) return
  for await (const { at, amount, request, key, reason } of writeOffs) {
    const note = `${formatCredits(amount)} credits were not charged: ${reason}`
    yield csvRow(["", momentText(at), "write-off", "", "", request, "", key, note])
  }
}

/** Formats a statement as a JSON document with one entry per line. */
export async function* jsonStatement(statement: Statement): AsyncGenerator<string> {
  const { account, from, until, opening, debt, entries, writeOffs } = statement
  const head = { account, from: momentText(from), until: momentText(until) }
  const begun = JSON.stringify({ ...head, opening_balance: formatCredits(opening) }).slice(0, -1)
  yield `${begun},"entries":[`
  let balance = opening
  let gap = "\n"
  for await (const line of entries) {
    balance += line.amount
    const entry = {
      number: line.number,
      time: momentText(line.at),
      kind: line.kind,
      amount: formatCredits(line.amount),
      balance: formatCredits(balance),
      request: line.request,
      model: line.model,
      key: line.key,
      note: line.note,
    }
    yield gap + JSON.stringify(entry)
    gap = ",\n"
  }
  const closing = { closing_balance: formatCredits(balance), closing_debt: formatCredits(debt) }
  yield `\n],${JSON.stringify(closing).slice(1, -1)}`
  if (writeOffs !== undefined) yield* jsonWriteOffs(writeOffs)
  yield "}\n"
}

async function* jsonWriteOffs(writeOffs: AsyncIterable<WriteOffRecord>): AsyncGenerator<string> {
  yield ',"write_offs":['
  let gap = "\n"
  for await (const { at, amount, request, key, reason } of writeOffs) {
    const line = { time: momentText(at), amount: formatCredits(amount), request, key, reason }
    yield gap + JSON.stringify(line)
    gap = ",\n"
  }
  yield "\n]"
}

function balanceRow(name: string, at: number, balance: bigint): string {
  return csvRow(["", momentText(at), name, "", formatCredits(balance), "", "", "", ""])
}
