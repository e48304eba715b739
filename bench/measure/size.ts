import { checkResponses } from "../load/check-response.ts"
import { type LedgerSize, makeLargeLedger } from "../large-ledger/make.ts"
import type { BenchOptions } from "../options.ts"
import { familyOf, residentMemory } from "../processor.ts"
import { spreadOf, type Spread } from "../statistics.ts"
import type { Prepared, Running } from "../subjects/subject.ts"
import { modelFacts, prepareTollgate } from "../subjects/tollgate.ts"
import { startUpstream } from "../upstream.ts"
import { comparedTo, type ComparedCost } from "./compared.ts"
import { takeChatTurns } from "./processor-time.ts"
import { timeStart } from "./start.ts"

/** `empty` is a new installation, and `large` is one with much data. */
export type Installation = "empty" | "large"

/** The times of a large and of a new installation. */
export interface SizeResult {
  readonly size: LedgerSize & { readonly models: number; readonly bytes: number }
  readonly costs: readonly ComparedCost<Installation>[]
  readonly starts: readonly SizedStart[]
}

/** Milliseconds until the first response of a chat, and memory at rest afterwards in KB. */
export interface SizedStart {
  readonly name: Installation
  readonly toResponse: Spread
  readonly atRest: number
}

const MODELS = 5_000
const GROWN: LedgerSize = { accounts: 10_000, keys: 100_000, entries: 500_000, days: 90 }
const QUICK: LedgerSize = { ...GROWN, accounts: 1_000, keys: 10_000, entries: 50_000 }
/** A ledger of ten million requests, about 11 GB. */
const LARGE: LedgerSize = { ...GROWN, entries: 10_000_000 }

function sizeFor({ isQuick, isLarge }: BenchOptions): LedgerSize {
  if (isLarge) return LARGE
  return isQuick ? QUICK : GROWN
}

/** Measures whether the times of a chat and of a start depend on the number of accounts, keys, models and requests. */
export async function measureSize(options: BenchOptions): Promise<SizeResult> {
  const size = sizeFor(options)
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream(0))
  let bytes = 0
  const fill = async (folder: string): Promise<void> => {
    bytes = (await makeLargeLedger(folder, size)).size
  }
  const prepared: readonly (readonly [Installation, Prepared])[] = [
    ["empty", stack.use(await prepareTollgate(upstream, ""))],
    ["large", stack.use(await prepareTollgate(upstream, manyModels(), fill))],
  ]
  const starts = await measureStarts(prepared, options)
  const running: (Running & { readonly name: Installation })[] = []
  for (const [name, one] of prepared) {
    const started = stack.use(await one.start())
    await checkResponses(started)
    running.push({ ...started, name })
  }
  const { effort } = options
  const blocks = await takeChatTurns(running, effort)
  const costs = comparedTo("empty", ["empty", "large"], blocks)
  return { size: { ...size, models: MODELS, bytes }, costs, starts }
}

/** Measures the installations in turn, so that other work on the machine slows both equally. */
async function measureStarts(
  prepared: readonly (readonly [Installation, Prepared])[],
  { effort }: BenchOptions,
): Promise<readonly SizedStart[]> {
  const found = prepared.map(([name]) => ({ name, times: [] as number[], memory: [] as number[] }))
  // The first start of each installation does not count, because it fills caches and creates files for later starts.
  for (let round = 0; round <= effort.starts; round++) {
    for (const [index, [, one]] of prepared.entries()) {
      const { toResponse } = await timeStart(one, async (running) => {
        await checkResponses(running)
        found[index]?.memory.push(residentMemory(familyOf(running.process)))
      })
      if (round > 0) found[index]?.times.push(toResponse)
    }
  }
  return found.map(({ name, times, memory }) => ({
    name,
    toResponse: spreadOf(times),
    atRest: spreadOf(memory).median,
  }))
}

/** Returns settings lines for many further models. */
function manyModels(): string {
  const names = Array.from({ length: MODELS }, (_, index) => `model-${index}`)
  return names.map((name) => modelFacts(`bench/${name}`)).join("")
}
