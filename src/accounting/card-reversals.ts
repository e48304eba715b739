/** A card payment: the granted credits, and the paid amount in the currency's smallest units. */
interface PaidByCard {
  readonly amount: bigint
  readonly units: bigint
}

/** A refund or dispute that takes back a card payment. */
interface KnownReversal {
  /** For a charge, `units` is the total refunded amount. For a refund or dispute, it is the amount taken back. */
  readonly kind: "charge" | "refund" | "dispute"
  /** In the currency's smallest units. */
  readonly units: bigint
  readonly isUndone: boolean
}

/** Returns the total amount to take back from a payment, in nanocredits. The order of the reversals does not matter. */
export function owedOf(payment: PaidByCard, reversals: readonly KnownReversal[]): bigint {
  if (payment.units === 0n) return 0n
  let disputed = 0n
  let refunded = 0n
  let failed = 0n
  let reported = 0n
  for (const { kind, units, isUndone } of reversals) {
    if (kind === "charge") reported = units
    else if (kind === "dispute") disputed += isUndone ? 0n : units
    else if (isUndone) failed += units
    else refunded += units
  }
  // The total of the charge includes refunds that may fail later, and possibly refunds that were never reported
  // separately.
  const reversed = disputed + larger(refunded, reported - failed)
  const units = reversed < payment.units ? reversed : payment.units
  return (payment.amount * units) / payment.units
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}
