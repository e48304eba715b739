import { CREDITS_FORM, readAmount } from "tollgate-contract/amounts.ts"
import { t } from "../../languages/text.ts"

/** Returns the error of an amount that must be above zero; null if the amount is valid. */
export function checkPositive(value: string): string | null {
  const reading = readAmount(value, CREDITS_FORM, t)
  if ("fault" in reading) return reading.fault
  const isAbove = !reading.amount.startsWith("-") && /[1-9]/.test(reading.amount)
  return isAbove ? null : t("Enter an amount above zero, such as 12.50")
}

/** Returns the error of an optional amount. */
export function checkOptional(value: string): string | null {
  return value.trim() === "" ? null : checkPositive(value)
}

/** Returns the error of an amount that may be negative but not zero. */
export function checkSigned(value: string): string | null {
  const reading = readAmount(value, CREDITS_FORM, t)
  if ("fault" in reading) return reading.fault
  return /[1-9]/.test(reading.amount) ? null : t("Enter an amount, such as 12.50 or -3")
}
