import type { CallRecord, Try } from "../calls.ts"
import { costOf, mostOf, WORST_COST } from "./costs.ts"
import { chargeOf, type Evidence, type Finding, requestIdsOf, writtenOffOf } from "./evidence.ts"

/**
 * Compares each call with the ledger. A complete response must have exactly one charge with the exact cost. A partial
 * response costs at most its maximum cost. Other calls must not be charged.
 */
export function judgeCalls(evidence: Evidence): Finding[] {
  return [
    ...evidence.calls.flatMap((call) => judgeCall(evidence, call)),
    ...judgeSharedIds(evidence),
    ...judgeUnknownCharges(evidence),
  ]
}

function judgeCall(evidence: Evidence, call: CallRecord): Finding[] {
  const found = (fault: string): Finding => ({ fault, call })
  const findings = call.tries.flatMap((one) => judgeTry(evidence, call, one).map(found))
  const charged = [...requestIdsOf(call)].filter((id) => chargeOf(evidence.ledger, id) !== null)
  if (charged.length > 1) findings.push(found(`it was charged ${charged.length} times: ${charged}`))
  return [...findings, ...judgeRepeat(call).map(found)]
}

/** Returns descriptions of the violations of one request. */
function judgeTry(evidence: Evidence, call: CallRecord, one: Try): string[] {
  const { ledger } = evidence
  const { requestId, outcome } = one
  if (one.originalId !== null) {
    const isCharged = chargeOf(ledger, one.originalId) !== null
    return isCharged
      ? []
      : [`its response names ${one.originalId} as the charged request, which was not charged`]
  }
  if (requestId === null) {
    return outcome === "whole" ? ["a whole answer has no request id"] : []
  }
  const charge = chargeOf(ledger, requestId)
  switch (outcome) {
    case "whole":
      return [...judgeWhole(evidence, call, one), ...judgePayer(evidence, call, requestId)]
    case "part":
      return judgePart(evidence, call, one)
    case "rejected":
      return charge === null ? [] : [`a rejected request was charged ${charge}`]
    case "lost":
      return []
  }
}

function judgeWhole(evidence: Evidence, { plan }: CallRecord, one: Try): string[] {
  const { ledger } = evidence
  const request = one.requestId ?? ""
  const charge = chargeOf(ledger, request)
  if (charge === null) return [`the whole answer ${request} was not charged`]
  const paid = charge + writtenOffOf(ledger, request)
  if (!plan.model.isExact) {
    return charge > WORST_COST ? [`${request} was charged ${charge}, more than is possible`] : []
  }
  if (one.usage === null) return [`the whole answer ${request} reports no usage`]
  const cost = costOf(one.usage)
  const faults =
    paid === cost ? [] : [`${request} cost ${cost} by its usage, and ${paid} was charged`]
  const calls = evidence.vendorCalls(plan.marker).filter(({ usage }) => usage !== null)
  const isCounted = calls.some(({ usage }) => usage !== null && costOf(usage) === cost)
  // The vendor's records do not include token counts of embeddings.
  if (calls.length > 0 && !isCounted)
    faults.push(`the usage that its vendor counted differs from ${request}`)
  if (calls.length === 0 && plan.endpoint !== "embeddings") {
    faults.push(`the vendor has no record of the whole answer ${request}`)
  }
  return faults
}

function judgePart({ ledger, vendorCalls }: Evidence, { plan }: CallRecord, one: Try): string[] {
  const request = one.requestId ?? ""
  const charge = chargeOf(ledger, request)
  const most = mostOf(plan, vendorCalls(plan.marker))
  if (charge !== null && charge > most) {
    return [`a part of an answer was charged ${charge}, more than ${most}`]
  }
  // The node of an expired request died. A released request delivered nothing, according to its receipt.
  const isReleased = ledger.receipts.get(request)?.body.includes('"status":"released"') ?? false
  return isReleased && one.hasContent ? [`${request} delivered a part, and was not charged`] : []
}

function judgePayer({ ledger }: Evidence, { plan }: CallRecord, request: string): string[] {
  const receipt = ledger.receipts.get(request)
  if (!receipt) return []
  const { id, account } = plan.key
  return receipt.key === id && receipt.account === account
    ? []
    : [`${request} was charged to ${receipt.account} and ${receipt.key}`]
}

/** Compares a repeated request with the first request. Both must have the same response. */
function judgeRepeat({ tries, repeat }: CallRecord): string[] {
  const first = tries.at(-1)
  if (!repeat || first?.outcome !== "whole") return []
  // The first response could not be stored because the disk was full. The request is charged, and the error states
  // this.
  if (repeat.status === 409 && repeat.originalId === first.requestId) return []
  const isSame = repeat.digest === first.digest && repeat.requestId === first.requestId
  return isSame
    ? []
    : [`its repetition was answered ${repeat.status} ${repeat.requestId}, not alike`]
}

function judgeSharedIds({ calls }: Evidence): Finding[] {
  const owners = new Map<string, CallRecord>()
  return calls.flatMap((call) =>
    [...requestIdsOf(call)].flatMap((id) => {
      const owner = owners.get(id)
      owners.set(id, call)
      return owner === undefined ? [] : [{ fault: `${id} was given to two calls`, call }]
    }),
  )
}

/**
 * Checks charges with unknown request ids. They must belong to requests of the same key whose responses were lost, one
 * charge for each. The most expensive charge is matched with the most expensive lost request, and so on.
 */
function judgeUnknownCharges(evidence: Evidence): Finding[] {
  const { calls, ledger } = evidence
  const known = new Set(calls.flatMap((call) => [...requestIdsOf(call)]))
  const unknown = ledger.entries.filter(
    ({ kind, request }) => kind === "charge" && !known.has(request ?? ""),
  )
  const findings: Finding[] = []
  for (const key of new Set(unknown.map(({ key }) => key))) {
    const charges = unknown
      .filter((entry) => entry.key === key)
      .toSorted((left, right) => Number(left.amount - right.amount))
    const lost = lostOf(evidence, key)
    charges.forEach((entry, index) => {
      const most = lost[index]?.most
      if (most !== undefined && -entry.amount <= most) return
      const { request, amount } = entry
      findings.push({ fault: `${request} of ${key} was charged ${-amount}, and no call is for it` })
    })
  }
  return findings
}

/** Returns the requests of a key whose responses were lost, most expensive first. */
function lostOf({ calls, vendorCalls, ledger }: Evidence, key: string | null): { most: bigint }[] {
  return calls
    .filter(({ plan }) => plan.key.id === key)
    .filter((call) => [...requestIdsOf(call)].every((id) => chargeOf(ledger, id) === null))
    .flatMap((call) => {
      const lost = call.tries.filter(({ outcome, requestId }) => outcome === "lost" && !requestId)
      // An idempotent call is charged once, regardless of the number of attempts.
      return lost.length === 0 ? [] : [{ most: mostOf(call.plan, vendorCalls(call.plan.marker)) }]
    })
    .toSorted((left, right) => Number(right.most - left.most))
}
