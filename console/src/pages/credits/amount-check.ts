import { readAmount } from "tollgate-contract/amounts.ts"

/** What is wrong with an amount that has to be above zero; null when nothing is. */
export function checkPositive(value: string): string | null {
  const reading = readAmount(value)
  if ("fault" in reading) return reading.fault
  const isAbove = !reading.amount.startsWith("-") && /[1-9]/.test(reading.amount)
  return isAbove ? null : "Enter an amount above zero, such as 12.50"
}

/** The same of one that may be left out. */
export function checkOptional(value: string): string | null {
  return value.trim() === "" ? null : checkPositive(value)
}

/** What is wrong with an amount that may be below zero, but not zero. */
export function checkSigned(value: string): string | null {
  const reading = readAmount(value)
  if ("fault" in reading) return reading.fault
  return /[1-9]/.test(reading.amount) ? null : "Enter an amount, such as 12.50 or -3"
}
