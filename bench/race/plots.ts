import { type Bar, drawBars } from "../plot/bars.ts"
import { drawLines } from "../plot/lines.ts"
import { LOADS, type LoadName } from "./loads.ts"
import type { ScenarioName } from "./plan.ts"
import type { RaceResults } from "./results.ts"
import { wordsFor } from "./words.ts"

const KILOBYTES = 1_024
const MICROSECONDS = 1_000

/** An image of one scenario. */
export interface Plot {
  readonly scenario: ScenarioName
  /** The file name in the folder of the page's images. */
  readonly file: string
  readonly content: string
  readonly title: string
}

/** Draws one image for each scenario with results. */
export function drawPlots(results: RaceResults): readonly Plot[] {
  const words = wordsFor(results.effort)
  const plots: Plot[] = []
  const add = (scenario: ScenarioName, what: string, draw: (title: string) => string): void => {
    const title = `${words[scenario].heading}: ${what}`
    plots.push({ scenario, file: `${scenario}.svg`, title, content: draw(title) })
  }
  const bars = (
    scenario: ScenarioName,
    what: string,
    unit: string,
    found: readonly Bar[],
  ): void => {
    if (found.length > 0) add(scenario, what, (title) => drawBars({ title, unit, bars: found }))
  }
  for (const name of Object.keys(LOADS) as LoadName[]) {
    bars(name, "CPU against the bare proxy", "x", costBars(results, name))
  }
  bars("latency", "p99, milliseconds", " ms", latencyBars(results))
  bars("idle", "memory of each, kilobytes", " KB", idleBars(results))
  bars("upload", "memory above rest, megabytes", " MB", uploadBars(results))
  bars("start", "milliseconds to the first answer", " ms", startBars(results))
  const { memory } = results
  if (memory !== undefined && memory.some(({ samples }) => samples.length > 0)) {
    const lines = memory.map(({ subject: name, samples }) => ({
      name,
      points: samples.map(
        ({ second, memory: kilobytes }) => [second, kilobytes / KILOBYTES] as const,
      ),
    }))
    add("memory", "resident megabytes", (title) =>
      drawLines({ title, below: "seconds of steady load", lines }),
    )
  }
  return plots
}

function costBars({ processor }: RaceResults, name: LoadName): readonly Bar[] {
  return (processor[name]?.costs ?? []).map(({ subject, ratio }) => ({
    name: subject,
    value: ratio.median,
    lowest: ratio.lowest,
    highest: ratio.highest,
  }))
}

function latencyBars({ latency }: RaceResults): readonly Bar[] {
  const highest = Math.max(...(latency?.latencies ?? []).map(({ rate }) => rate))
  return (latency?.latencies ?? [])
    .filter(({ rate }) => rate === highest)
    .map(({ subject, p99 }) => ({
      name: subject,
      value: p99.median / MICROSECONDS,
      lowest: p99.lowest / MICROSECONDS,
      highest: p99.highest / MICROSECONDS,
    }))
}

function idleBars({ idle }: RaceResults): readonly Bar[] {
  return (idle ?? []).map(({ subject, perStream }) => ({ name: subject, value: perStream }))
}

function uploadBars({ upload }: RaceResults): readonly Bar[] {
  return (upload ?? []).map(({ subject, aboveRest, peaks }) => ({
    name: subject,
    value: aboveRest / KILOBYTES,
    lowest: Math.min(...peaks) / KILOBYTES,
    highest: Math.max(...peaks) / KILOBYTES,
  }))
}

function startBars({ start }: RaceResults): readonly Bar[] {
  return (start ?? []).map(({ subject, toResponse, starts }) => ({
    name: subject,
    value: toResponse,
    lowest: Math.min(...starts.map((one) => one.toResponse)),
    highest: Math.max(...starts.map((one) => one.toResponse)),
  }))
}
