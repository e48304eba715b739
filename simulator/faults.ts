const PLAIN_FAULTS = [
  "429",
  "500",
  "503",
  "401",
  "402",
  "400-context",
  "400-policy",
  "404",
  "cut",
  "malformed",
  "html",
  "empty",
  "no-usage",
  "wrong-usage",
  "huge-usage",
  "stream-error",
  "opening-error",
  "no-done",
  "no-finish",
  "crlf",
  "comments",
  "redirect",
  "echo-headers",
] as const

// Faults that may be followed by a number. The number is a time in milliseconds, or for `flaky` the number of failures.
const MEASURED_FAULTS = ["slow-headers", "slow-first-byte", "stall", "flaky"] as const

/** The name of a fault. */
export type FaultName = (typeof PLAIN_FAULTS)[number] | (typeof MEASURED_FAULTS)[number]

/** A fault that the simulator causes on purpose. */
export interface Fault {
  readonly name: FaultName
  /** Milliseconds for slow faults, number of failures for `flaky`, Infinity for `stall` without a number. */
  readonly amount: number
}

const DEFAULT_AMOUNTS: Record<(typeof MEASURED_FAULTS)[number], number> = {
  "slow-headers": 60_000,
  "slow-first-byte": 60_000,
  stall: Number.POSITIVE_INFINITY,
  flaky: 1,
}

/** All fault names, in the order of the model list. */
export const FAULT_NAMES: readonly FaultName[] = [...PLAIN_FAULTS, ...MEASURED_FAULTS]

const KNOWN = parseTable()

function parseTable(): ReadonlyMap<string, Fault> {
  const table = new Map<string, Fault>()
  for (const name of PLAIN_FAULTS) table.set(name, { name, amount: 0 })
  for (const name of MEASURED_FAULTS) table.set(name, { name, amount: DEFAULT_AMOUNTS[name] })
  return table
}

/**
 * Parses the name of a fault, such as `429`, `stall`, `slow-first-byte-250` or `flaky-2`. Returns undefined if the text
 * is not the name of a fault.
 */
export function parseFault(text: string): Fault | undefined {
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  const measured = /^(.+)-(\d{1,9})$/.exec(text)
  const name = MEASURED_FAULTS.find((name) => name === measured?.[1])
  return name === undefined ? undefined : { name, amount: Number(measured?.[2]) }
}

/** Returns the fault in a model name, which is `fault-<name>` or `flaky-N`. */
export function faultOfModel(model: string): Fault | undefined {
  if (model.startsWith("fault-")) return parseFault(model.slice("fault-".length))
  return model.startsWith("flaky-") ? parseFault(model) : undefined
}

/**
 * Returns the fault in the header `x-simulate-fault`. Returns null for an unknown name, so that a mistyped name is
 * detected and no test passes without its fault.
 */
export function faultOfHeaders(headers: Headers): Fault | null | undefined {
  const name = headers.get("x-simulate-fault")
  return name === null ? undefined : (parseFault(name) ?? null)
}

const MAX_MARKERS = 10_000

/** Counts how often each marker has failed, for `flaky`. */
export class FlakyCounters {
  readonly #failures = new Map<string, number>()

  /** Reports whether a request with this marker must fail, and counts the failure. */
  failsNow(fault: Fault, marker: string): boolean {
    const key = `${fault.amount}:${marker}`
    const failures = this.#failures.get(key) ?? 0
    if (failures >= fault.amount) return false
    if (this.#failures.size >= MAX_MARKERS) this.#failures.clear()
    this.#failures.set(key, failures + 1)
    return true
  }
}
