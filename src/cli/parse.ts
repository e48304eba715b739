import { InvalidArgumentError } from "commander"
import type * as z from "zod"
import { readAliases } from "../config/aliases.ts"
import { commaFault } from "#contract/comma.ts"
import { glob, label } from "#contract/common.ts"
import { parseDuration } from "../config/duration.ts"
import { PAGE_ORIGIN_RULE, pageOriginOf } from "#contract/page-origin.ts"
import { readNetwork } from "../config/addresses.ts"
import { Fault } from "../config/reading.ts"
import { parseCredits } from "../ledger/money.ts"

/** Maximum credits, far above real payments and far below the limit of the ledger's columns. */
const MAX_CREDITS = 1_000_000_000n

/** Parses positive credits, such as `10` or `0.5`, as nanocredits. */
export function creditsArgument(text: string): bigint {
  const nanocredits = readCredits(text)
  if (nanocredits === undefined) {
    const fault = commaFault(text)
    throw new InvalidArgumentError(
      fault === undefined
        ? "It must be credits such as 10 or 0.5, with at most 9 digits after the point."
        : `It ${fault}.`,
    )
  }
  if (nanocredits <= 0n) throw new InvalidArgumentError("It must be above 0.")
  if (nanocredits > parseCredits(String(MAX_CREDITS))) {
    throw new InvalidArgumentError(`It must be at most ${MAX_CREDITS}.`)
  }
  return nanocredits
}

/** Parses positive or negative credits, such as `10` or `-0.5`, as nanocredits. */
export function signedCreditsArgument(text: string): bigint {
  const isBelow = text.startsWith("-")
  const amount = creditsArgument(isBelow ? text.slice(1) : text)
  return isBelow ? -amount : amount
}

/** Parses a day in UTC, such as `2026-11-21`. */
export function dayArgument(text: string): string {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // `Date.parse` accepts a 31st in shorter months, as a day of the next month.
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
  throw new InvalidArgumentError("It must be a day such as 2026-11-21.")
}

/**
 * Parses a moment such as `2026-11-21T08:00:00Z`, or a day such as `2026-11-21` as its first moment in UTC. Returns
 * Unix milliseconds.
 */
export function momentArgument(text: string): number {
  if (!text.includes("T")) return Date.parse(dayArgument(text))
  const at = MOMENT.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new InvalidArgumentError(
    "It must be a day such as 2026-11-21, or a moment such as 2026-11-21T08:00:00Z.",
  )
}

/** Matches a moment with a time zone offset. Without an offset, the machine's time zone would apply. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

function readCredits(text: string): bigint | undefined {
  try {
    return parseCredits(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Parses a positive duration, such as `30d`, `24h`, `15m` or `90s`, as milliseconds. */
export function durationArgument(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined || milliseconds === 0) {
    throw new InvalidArgumentError("It must be a length of time such as 30d, 24h, 15m or 90s.")
  }
  return milliseconds
}

/** Parses text that people choose, such as the name of an account, with the rules of the management API. */
export function labelArgument(text: string): string {
  return checkedArgument(label, text)
}

/** Parses names of models separated by commas, in which `*` stands for any text: `openai/*,local/llama`. */
export function globsArgument(text: string): readonly string[] {
  return listArgument(text).map((entry) => checkedArgument(glob, entry))
}

/** Parses text with a schema of the management API. */
export function checkedArgument(schema: z.ZodType<string>, text: string): string {
  const result = schema.safeParse(text)
  if (result.success) return result.data
  throw new InvalidArgumentError(`It ${result.error.issues[0]?.message ?? "is invalid"}.`)
}

/** Parses entries separated by commas: `openai/*,local/llama`. */
export function listArgument(text: string): readonly string[] {
  const entries = text.split(",").map((entry) => entry.trim())
  if (entries.includes("")) {
    throw new InvalidArgumentError("It must be entries with one comma between them, such as a,b.")
  }
  return [...new Set(entries)]
}

/** Parses web page origins separated by commas. */
export function originsArgument(text: string): readonly string[] {
  return listArgument(text).map((entry) => {
    const origin = pageOriginOf(entry)
    if (origin !== undefined) return origin
    throw new InvalidArgumentError(`'${entry.slice(0, 100)}' ${PAGE_ORIGIN_RULE}.`)
  })
}

/** Parses network addresses and ranges: `10.0.0.7,192.168.0.0/16`. */
export function networksArgument(text: string): readonly string[] {
  return listArgument(text).map((entry) => {
    const network = readNetwork(entry)
    if (!(network instanceof Fault)) return network
    throw new InvalidArgumentError(`'${entry.slice(0, 100)}' ${network.message}.`)
  })
}

/** Parses aliases with their models, given in one or several arguments: `gpt-4o=openai/gpt-5.4`. */
export function aliasesArgument(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const aliases = readAliases(text)
  if (aliases instanceof Fault) throw new InvalidArgumentError(`It ${aliases.message}.`)
  return { ...before, ...aliases }
}

/** Parses a positive whole number. */
export function positiveIntegerArgument(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value) || value === 0) {
    throw new InvalidArgumentError("It must be a whole number, at least 1.")
  }
  return value
}
