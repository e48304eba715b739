import { checkResponses } from "../load/check-response.ts"
import type { Effort } from "../options.ts"
import type { Running } from "../subjects/subject.ts"
import { prepareTollgate } from "../subjects/tollgate.ts"
import { startUpstream } from "../upstream.ts"
import { comparedTo, type ComparedCost } from "./compared.ts"
import { takeChatTurns } from "./processor-time.ts"

/** The ways in which a gateway can be observed. */
export type Observation =
  | "nothing"
  | "metrics and request lines"
  | "a tenth traced"
  | "all traced"
  | "all of it"

export type ObservationCost = ComparedCost<Observation>

/**
 * Number of processes per variant. Two processes of the same program differ by a few percent, depending on the work of
 * their compiler.
 */
const PROCESSES = 3

/** Measures the cost of observation with gateways that are observed and gateways that are not, side by side. */
export async function measureObservation(effort: Effort): Promise<readonly ObservationCost[]> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream(0))
  // A trace collector that accepts all data.
  const collector = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      await request.arrayBuffer()
      return new Response()
    },
  })
  stack.defer(() => void collector.stop(true))
  const traces = (sample: number, metrics: string): string =>
    `telemetry: { endpoint: "${collector.url}", sample: ${sample}, metrics: ${metrics} }\n`
  const lines = "metrics: { token: bench }\nlog: { requests: true }\n"
  const variants: readonly (readonly [Observation, string, number])[] = [
    ["nothing", "", PROCESSES],
    ["metrics and request lines", lines, PROCESSES],
    ["a tenth traced", traces(0.1, "off"), 1],
    ["all traced", traces(1, "off"), 1],
    ["all of it", lines + traces(1, "10s"), 1],
  ]
  const running: (Running & { readonly name: Observation })[] = []
  const processes = variants.flatMap(([name, settings, count]) =>
    Array.from({ length: count }, () => [name, settings] as const),
  )
  for (const [name, settings] of processes) {
    const prepared = stack.use(await prepareTollgate(upstream, settings))
    const one = stack.use(await prepared.start())
    await checkResponses(one)
    running.push({ ...one, name })
  }
  const blocks = await takeChatTurns(running, effort)
  const names = variants.map(([name]) => name)
  return comparedTo("nothing", names, blocks)
}
