/** A card payment: the credits that it gave, and what was paid, in the currency's smallest units. */
interface PaidByCard {
  readonly amount: bigint
  readonly units: bigint
}

/** What is known of something that takes a card payment back. */
interface KnownReversal {
  /** Of a charge, what is refunded of it in all; of the others, what each takes. */
  readonly kind: "charge" | "refund" | "dispute"
  /** In the currency's smallest units. */
  readonly units: bigint
  readonly isUndone: boolean
}

/** What to take of a payment in all, nanocredits, in whichever order its reversals were reported. */
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
  // The charge counts refunds that may fail later, and may know of some that were never reported by themselves.
  const reversed = disputed + larger(refunded, reported - failed)
  const units = reversed < payment.units ? reversed : payment.units
  return (payment.amount * units) / payment.units
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}
