import { formatNumber } from "../table.ts"
import { type Figure, noiseOf, otherFigures, ratioFigures, timeFigures } from "./figures.ts"
import type { ScenarioName } from "./plan.ts"
import type { Plot } from "./plots.ts"
import type { RaceResults } from "./results.ts"
import { wordsFor } from "./words.ts"

const MEGABYTE = 1_048_576
const ABSENT = "–"
const SECONDS_PER_MINUTE = 60

/**
 * Returns the page of a race as Markdown. Its paragraphs are not wrapped.
 * @param folder the folder of the page's images.
 */
export function formatPage(results: RaceResults, plots: readonly Plot[], folder: string): string {
  const sections = [
    "# Benchmark",
    ...introduction(results),
    "## Against the bare proxy",
    "The table shows the processor time per unit of work, divided by the bare proxy's in the same round. The values are " +
      "medians of all rounds. Lower is better.",
    table(results, ratioFigures(results)),
    "## In numbers",
    "These figures apply to this machine. CPU time is in microseconds.",
    table(results, [...timeFigures(results), ...otherFigures(results)]),
    "## Configurations",
    "A gateway that does less is faster. Each gateway is configured as in the first pages of its documentation, without " +
      "optional features.",
    workTable(results),
    ...absences(results),
    "## The scenarios",
    ...scenarios(results, plots, folder),
    ...method(results),
  ]
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`
}

function introduction(results: RaceResults): readonly string[] {
  const { date, seed, seconds, contestants, isQuick } = results
  const noise = noiseOf(results)
  const minutes = Math.round(seconds / SECONDS_PER_MINUTE)
  const warnings = [
    ...(isQuick ? ["**QUICK**: a short run, for a rough answer only."] : []),
    ...(noise.isNoisy
      ? [
          `**NOISY**: the machine had other work. The load before the run was ${formatNumber(noise.load)}, other work used ` +
            `${percent(noise.strangers)} of the gateway's core, and other machines used ${percent(noise.stolen)} of the ` +
            "time. Compare the ratios with care, and do not compare the latencies.",
        ]
      : []),
  ]
  return [
    "This page compares Tollgate, with all features enabled, with other gateways and two minimal proxies. All of them " +
      "used one core, one simulated vendor and one load generator, in one run on one machine. " +
      "`npm run bench -- --peers` writes this page and its images. All figures are from that run.",
    ...warnings,
    `The run of ${date} had ${contestants.length} contestants and took ${minutes} minutes. The seed of the random order is ${seed}.`,
  ]
}

function table({ contestants }: RaceResults, figures: readonly Figure[]): string {
  const names = contestants.map(({ name }) => name)
  const shown = figures.filter(({ of }) => names.some((name) => of(name) !== undefined))
  if (shown.length === 0) return ""
  return markdownTable([
    ["", ...names],
    ...shown.map(({ name, of }) => [name, ...names.map((one) => of(one) ?? ABSENT)]),
  ])
}

function workTable({ contestants }: RaceResults): string {
  return markdownTable([
    ["", "version", "written in", "authentication", "money", "on disk", "log"],
    ...contestants.map(({ name, version, work }) => [
      name,
      version,
      work.language,
      work.auth,
      work.money,
      work.durability,
      work.log,
    ]),
  ])
}

/** Describes the missing peers, and the scenarios that some subjects could not run. */
function absences({ missing, rejections }: RaceResults): readonly string[] {
  const away = Object.entries(missing).map(([name, reason]) => `- ${name}: ${plain(reason)}`)
  const out = Object.entries(rejections).flatMap(([scenario, rejected]) =>
    Object.entries(rejected).map(([name, reason]) => `- ${scenario}, ${name}: ${plain(reason)}`),
  )
  return [
    ...(away.length > 0 ? ["Not included:", away.join("\n")] : []),
    ...(out.length > 0
      ? [
          "These combinations were not measured, because the response was missing or differed from the vendor's:",
          out.join("\n"),
        ]
      : []),
  ]
}

function scenarios(
  results: RaceResults,
  plots: readonly Plot[],
  folder: string,
): readonly string[] {
  const words = wordsFor(results.effort)
  return results.scenarios.flatMap((name: ScenarioName) => {
    const plot = plots.find(({ scenario }) => scenario === name)
    return [
      `### ${words[name].heading}`,
      words[name].text,
      ...(plot ? [`![${plot.title}](${folder}/${plot.file})`] : []),
      ...extra(name, results),
    ]
  })
}

/** Returns the results of a scenario that its image does not show. */
function extra(name: ScenarioName, { latency, memory, idle }: RaceResults): readonly string[] {
  if (name === "latency" && latency !== undefined) {
    const rows = latency.latencies.map(({ subject, rate, median, p99 }) => [
      subject,
      String(rate),
      milliseconds(median.median),
      milliseconds(p99.median),
      `${milliseconds(p99.lowest)} to ${milliseconds(p99.highest)}`,
    ])
    return [markdownTable([["", "a second", "p50, ms", "p99, ms", "p99 of each round"], ...rows])]
  }
  if (name === "idle" && idle !== undefined) {
    const rows = idle.map((one) => [
      one.subject,
      String(one.begun),
      formatNumber(one.atRest / 1_024),
      formatNumber(one.withStreams / 1_024),
      String(one.leftAtVendor),
    ])
    const head = ["", "open at once", "at rest, MB", "with all, MB", "left open at the vendor"]
    return [markdownTable([head, ...rows])]
  }
  if (name === "memory" && memory !== undefined) {
    const rows = memory.map((one) => [
      one.subject,
      ...[one.atRest, one.atEnd, one.highest, one.afterwards].map((kilobytes) =>
        formatNumber(kilobytes / 1_024),
      ),
      String(one.responses),
      String(one.failures),
    ])
    const head = ["MB", "at rest", "at the end", "highest", "afterwards", "responses", "failures"]
    return [markdownTable([head, ...rows])]
  }
  return []
}

function method(results: RaceResults): readonly string[] {
  const { machine, effort, seconds } = results
  const { processor, cores, memory, kernel, bun, durableWrite, fileSystem, isPinned } = machine
  const noise = noiseOf(results)
  return [
    "## Method",
    [
      "- **Responses are checked first.** Before each scenario, the benchmark sends one of its requests to each " +
        "contestant and compares the response with the vendor's: the text, the token count, the vectors, the end of a " +
        "stream. A contestant with a different response is excluded from the scenario, with the reason above.",
      isPinned
        ? "- **One core.** Each contestant has core 0, with all its threads and processes; the vendor and the callers " +
          "have the others. While one gateway is measured, the others are running and idle."
        : "- **NOT PINNED**: there was one core only, or no `taskset`. The figures are of little worth.",
      `- **In turns.** A scenario has up to ${effort.rounds} rounds (${effort.streamRounds} of streams, ` +
        `${effort.latencyRounds} of latency). In each round, all contestants take one short turn in a new random order. A ` +
        "ratio compares two turns of the same round, so other load on the machine affects both. Each contestant is " +
        "warmed up before the first round, and the first quarter second of a turn does not count.",
      "- **Processor time** is user and system time of all threads and processes of the contestant, as the kernel " +
        "counts it in nanoseconds. Lines in the images span the lowest to the highest round.",
      "- **Open loop.** For latency, each request is sent at its scheduled time, whether or not the previous " +
        "request was answered. Its latency is measured from that time, so a pause adds to the latency of all requests " +
        "that are due during the pause.",
      "- **The vendor** is the project's simulator. It responds immediately, and sends a frame of a stream every 20 ms.",
    ].join("\n"),
    "[The bench](../../bench/README.md) describes the method in detail, and how to add a peer.",
    "## Machine",
    `${cores} x ${processor}, ${Math.round(memory / MEGABYTE)} MB, Linux ${kernel}, Bun ${bun}. Data on ` +
      `${fileSystem}; a durable write takes ${durableWrite.median} µs (p50) and ${durableWrite.p99} µs (p99). The load ` +
      `before the run was ${formatNumber(noise.load)}. Other work used ${percent(noise.strangers)} of the gateway's core, and ` +
      `other machines of the host used ${percent(noise.stolen)} of the time. The run took ` +
      `${Math.round(seconds)} seconds.`,
  ]
}

function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows.map((row) => row.map(plain))
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"))
  return [head, rule, ...rest].map((row) => `| ${row.join(" | ")} |`).join("\n")
}

/** Escapes characters that have a special meaning in Markdown. */
function plain(words: string): string {
  return words
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[\\`*_[\]<>|]/g, (mark) =>
      mark === "<" ? "&lt;" : mark === ">" ? "&gt;" : `\\${mark}`,
    )
}

function milliseconds(microseconds: number): string {
  return formatNumber(microseconds / 1_000)
}

function percent(share: number): string {
  return `${formatNumber(share * 100)} %`
}
