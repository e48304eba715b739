import { CADENCE, CHAT_CALLERS, STREAM_CALLERS } from "./measure/processor-time.ts"
import { ROUND_TRIP } from "./measure/store.ts"
import { RESPONSE_TOKENS, STREAM_FRAMES } from "./load/request.ts"
import type { CallTime } from "./console/time-calls.ts"
import type { Block, Cost } from "./measure/blocks.ts"
import type { SubjectName } from "./options.ts"
import type { LatencyResult } from "./measure/latency.ts"
import { TAIL_CALLERS } from "./measure/tail.ts"
import type { Results } from "./results.ts"
import type { Spread } from "./statistics.ts"
import { formatNumber, formatTable } from "./table.ts"
import { validate, type Verdict } from "./targets.ts"

const SLOWEST_CALLS = 30
const MEGABYTE = 1_048_576
const KILOBYTES_PER_MEGABYTE = 1_024
// Maximum share of the gateway's core that other processes may use. Above it, figures are marked as doubtful.
const MAX_STRANGERS = 0.05

/** Returns the whole report as text. */
export function formatReport(results: Results): string {
  const parts = [
    formatMachine(results),
    ...formatFigures(results),
    ...formatTranscoding(results),
    ...formatStores(results),
    ...formatObservation(results),
    ...formatConsole(results),
    ...formatSize(results),
    formatVerdicts(validate(results)),
  ]
  return [...parts, ...formatNotes(results)].join("\n\n")
}

function formatMachine({ machine, date, missing }: Results): string {
  const { processor, cores, memory, kernel, bun, fileSystem, durableWrite, load } = machine
  const lines = [
    `${date}: ${cores} x ${processor}, ${Math.round(memory / MEGABYTE)} MB, Linux ${kernel}, Bun ${bun}`,
    `data on ${fileSystem}, a durable write takes ${durableWrite.median} µs (p50) and ${durableWrite.p99} µs (p99); load before the run ${formatNumber(load)}`,
    machine.isPinned
      ? "gateway alone on one core; simulator and callers on the rest"
      : "NOT PINNED: one core only, or no taskset; figures are of little worth",
    ...Object.entries(missing).map(([name, reason]) => `without ${name}: ${reason}`),
  ]
  return lines.join("\n")
}

type Cell = (subject: SubjectName) => string

interface Row {
  readonly figure: string
  readonly cell: Cell
}

function formatFigures(results: Results): string[] {
  const { subjects } = results
  const rows = [
    ...costRows("chat", results.chat?.costs),
    ...costRows("frame", results.stream?.costs),
    ...latencyRows(results),
    ...tailRows(results),
    ...memoryRows(results),
    ...uploadRows(results),
    ...startRows(results),
  ]
  if (rows.length === 0) return []
  const lines = rows.map(({ figure, cell }) => [figure, ...subjects.map(cell)])
  return [formatTable([["figure", ...subjects], ...lines])]
}

/** Returns a row with one cell for each subject's result. */
function rowOf<Result extends { readonly subject: string }>(
  figure: string,
  found: readonly Result[],
  show: (result: Result) => string,
): Row {
  const cell: Cell = (name) => {
    const result = found.find(({ subject }) => subject === name)
    return result === undefined ? "-" : show(result)
  }
  return { figure, cell }
}

function costRows(unit: string, found: readonly Cost[] | undefined): Row[] {
  if (found === undefined) return []
  return [
    rowOf(`CPU per ${unit}, µs`, found, ({ microseconds }) => formatNumber(microseconds.median)),
    rowOf("  against bare", found, ({ ratio }) => `${formatNumber(ratio.median)}x`),
    rowOf("  lowest to highest", found, ({ ratio }) => range(ratio)),
    rowOf("  rounds that counted", found, ({ rounds }) => String(rounds)),
  ]
}

function latencyRows({ latency }: Results): Row[] {
  if (latency === undefined) return []
  const { added } = latency
  return [
    rowOf("added latency p50, µs", added, ({ median }) => formatNumber(median.median)),
    rowOf("added latency p99, µs", added, ({ p99 }) => formatNumber(p99.median)),
    rowOf("  lowest to highest", added, ({ p99 }) => range(p99)),
  ]
}

function tailRows({ tail }: Results): Row[] {
  if (tail === undefined) return []
  return TAIL_CALLERS.flatMap((callers) => {
    const found = tail.tails.filter((one) => one.callers === callers)
    return [
      rowOf(`p99 of ${callers === 1 ? "one caller" : `${callers} callers`}, µs`, found, ({ p99 }) =>
        formatNumber(p99.median),
      ),
      rowOf("  over bare, µs", found, ({ over }) => formatNumber(over.median)),
      rowOf("  against bare", found, ({ ratio }) => `${formatNumber(ratio.median)}x`),
      rowOf("  lowest to highest", found, ({ ratio }) => range(ratio)),
    ]
  })
}

function memoryRows({ memory }: Results): Row[] {
  if (memory === undefined) return []
  return [
    rowOf("memory at rest, MB", memory, ({ atRest }) => megabytes(atRest)),
    rowOf("  with 1,000 idle streams, MB", memory, ({ withStreams }) => megabytes(withStreams)),
    rowOf("  after they hung up, MB", memory, ({ afterwards }) => megabytes(afterwards)),
    rowOf("memory per idle stream, KB", memory, ({ perStream }) => formatNumber(perStream)),
    rowOf("streams open at once", memory, ({ begun, openAtVendor }) =>
      String(Math.min(begun, openAtVendor)),
    ),
    rowOf("  left open at the vendor", memory, ({ leftAtVendor }) => String(leftAtVendor)),
  ]
}

function uploadRows({ upload }: Results): Row[] {
  if (upload === undefined) return []
  return [
    rowOf("25 MB upload, above rest, MB", upload, ({ aboveRest }) => megabytes(aboveRest)),
    rowOf("  each round", upload, ({ peaks }) => peaks.map(megabytes).join(" ")),
  ]
}

function startRows({ start }: Results): Row[] {
  if (start === undefined) return []
  return [
    rowOf("start to /healthz, ms", start, ({ toHealth }) => formatNumber(toHealth.median)),
    rowOf("start to first response, ms", start, ({ toResponse }) =>
      formatNumber(toResponse.median),
    ),
    rowOf("  lowest to highest", start, ({ toResponse }) => range(toResponse)),
  ]
}

function megabytes(kilobytes: number): string {
  return formatNumber(kilobytes / KILOBYTES_PER_MEGABYTE)
}

function percent(share: number): string {
  return `${formatNumber(share * 100)} %`
}

function range({ lowest, highest }: Spread): string {
  return `${formatNumber(lowest)}-${formatNumber(highest)}`
}

function formatVerdicts(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((one) => [
    one.figure,
    formatNumber(one.measured) + one.unit,
    one.spread ? range(one.spread) : "",
    formatNumber(one.must) + one.unit,
    formatNumber(one.aim) + one.unit,
    one.verdict,
  ])
  return formatTable([["Tollgate", "measured", "range", "must", "aim", ""], ...rows])
}

/** Formats the results of each pair of dialects. They can be compared only with the bare proxy. */
function formatTranscoding({ transcode }: Results): string[] {
  if (transcode === undefined) return []
  const rows = transcode.costs.map(({ subject, microseconds, ratio }) => [
    subject,
    formatNumber(microseconds.median),
    `${formatNumber(ratio.median)}x`,
    range(ratio),
  ])
  const head = ["CPU per transcoded frame", "µs", "against bare", "lowest to highest"]
  return [formatTable([head, ...rows])]
}

/** Formats the results of Tollgate with each database engine. */
function formatStores({ store }: Results): string[] {
  if (store === undefined) return []
  const costs = store.costs.map(({ name, microseconds, ratio }) => {
    const latency = store.latency.find((one) => one.store === name)
    return [
      name,
      formatNumber(microseconds.median),
      `${formatNumber(ratio.median)}x`,
      range(ratio),
      latency ? formatNumber(latency.whole.median) : "-",
      latency ? formatNumber(latency.firstByte.median) : "-",
    ]
  })
  const head = [
    "ledger",
    "CPU per chat, µs",
    "against sqlite",
    "lowest to highest",
    `p50 over sqlite, ${ROUND_TRIP} ms away, µs`,
    "its first byte, µs",
  ]
  const rates = store.settlements.map(({ nodes, batch, accounts, perSecond }) => [
    String(nodes),
    String(batch),
    String(accounts),
    formatNumber(perSecond),
  ])
  const rateHead = ["nodes", "settlements in a batch", "accounts", "settlements per second"]
  return [formatTable([head, ...costs]), formatTable([rateHead, ...rates])]
}

/** Formats the results of Tollgate with each kind of observation. */
function formatObservation({ observation }: Results): string[] {
  if (observation === undefined) return []
  const rows = observation.map(({ name, microseconds, ratio }) => [
    name,
    formatNumber(microseconds.median),
    `${formatNumber(ratio.median)}x`,
    range(ratio),
  ])
  const head = ["observed by", "CPU per chat, µs", "against nothing", "lowest to highest"]
  return [formatTable([head, ...rows])]
}

/** Formats the results of Tollgate with a new and with a large installation. */
function formatSize({ size }: Results): string[] {
  if (size === undefined) return []
  const { accounts, keys, models, entries, bytes } = size.size
  const rows = size.costs.map(({ name, microseconds, ratio }) => {
    const start = size.starts.find((one) => one.name === name)
    return [
      name,
      formatNumber(microseconds.median),
      `${formatNumber(ratio.median)}x`,
      range(ratio),
      start ? formatNumber(start.toResponse.median) : "-",
      start ? range(start.toResponse) : "-",
      start ? megabytes(start.atRest) : "-",
    ]
  })
  const head = [
    "installation",
    "CPU per chat, µs",
    "against empty",
    "lowest to highest",
    "start to first response, ms",
    "lowest to highest",
    "memory, MB",
  ]
  const counts = [accounts, keys, models, entries].map((count) => count.toLocaleString("en"))
  const note =
    `large: ${counts[0]} accounts, ${counts[1]} keys, ${counts[2]} models, ${counts[3]} requests ` +
    `in a ledger of ${megabytes(bytes / 1_024)} MB`
  return [`${formatTable([head, ...rows])}\n${note}`]
}

function formatNotes(results: Results): string[] {
  const { chat, stream, latency } = results
  const lines = [
    ...(chat
      ? [`chat: ${CHAT_CALLERS} callers, ${RESPONSE_TOKENS} tokens; ${quality(chat.blocks)}`]
      : []),
    ...(stream ? [`stream: ${streamNote(stream.blocks)}; ${quality(stream.blocks)}`] : []),
    ...(latency ? [latencyNote(latency)] : []),
  ]
  return lines.length === 0 ? [] : [lines.join("\n")]
}

function latencyNote({ direct, stolen }: LatencyResult): string {
  const [median, p99] = [formatNumber(direct.median.median), formatNumber(direct.p99.median)]
  const others =
    stolen > MAX_STRANGERS
      ? `; ${percent(stolen)} of the time went to other machines on this host (NOISY)`
      : ""
  return `latency: the vendor itself takes ${median} µs (p50) and ${p99} µs (p99)${others}`
}

function streamNote(blocks: readonly Block[]): string {
  const names = [...new Set(blocks.map(({ subject }) => subject))]
  const apart = names.map((name) => {
    const own = blocks.filter(({ subject }) => subject === name)
    return `${name} ${formatNumber(sum(own, "frames") / sum(own, "chunks"))}`
  })
  const seen = sum(blocks, "frames")
  return (
    `${STREAM_CALLERS} at once, ${STREAM_FRAMES} frames each, ${CADENCE} ms apart, ` +
    `${seen} frames seen, frames per read: ${apart.join(", ")}`
  )
}

function quality(blocks: readonly Block[]): string {
  const time = sum(blocks, "duration") * 1_000
  const strangers = sum(blocks, "strangersTime") / time
  const busy = sum(blocks, "processorTime") / time
  const warning = strangers > MAX_STRANGERS ? " (NOISY: run it again on a quiet machine)" : ""
  return `core ${percent(busy)} busy with it, ${percent(strangers)} with others${warning}`
}

function sum(
  blocks: readonly Block[],
  figure: "frames" | "chunks" | "duration" | "strangersTime" | "processorTime",
): number {
  return blocks.reduce((total, block) => total + block[figure], 0)
}

/** Formats the slowest calls and pages. The results file contains all of them. */
function formatConsole({ console: found }: Results): string[] {
  return (found ?? []).flatMap(({ engine, requests, calls, pages, chat, memory }) => {
    const slowest = (times: readonly CallTime[], count: number): string[][] =>
      times
        .toSorted((left, right) => right.median - left.median)
        .slice(0, count)
        .map(({ name, fastest, median, slowest }) => [
          name,
          formatNumber(fastest),
          formatNumber(median),
          formatNumber(slowest),
        ])
    const figures = ["fastest, ms", "median, ms", "slowest, ms"]
    const head = [`${requests} requests on ${engine}: the slowest`, ...figures]
    return [
      formatTable([head, ...slowest(calls, SLOWEST_CALLS)]),
      formatTable([["changes to a page", ...figures], ...slowest(pages, pages.length)]),
      [
        `a chat alone: ${formatNumber(chat.alone.median)} ms (p50), ${formatNumber(chat.alone.p99)} ms (p99);`,
        `while the console asks: ${formatNumber(chat.beside.median)} ms, ${formatNumber(chat.beside.p99)} ms;`,
        `memory ${formatNumber(memory.before)} MB before, ${formatNumber(memory.after)} MB after`,
      ].join(" "),
    ]
  })
}
