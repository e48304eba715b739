import { checkAnswers } from "../load/check-answer.ts"
import { ANSWER_TOKENS, chatBody } from "../load/request.ts"
import type { Effort } from "../options.ts"
import type { Running } from "../subjects/subject.ts"
import { prepareTollgate } from "../subjects/tollgate.ts"
import { startUpstream } from "../upstream.ts"
import { takeTurns } from "./blocks.ts"
import { comparedTo, type ComparedCost } from "./compared.ts"
import { CHAT_CALLERS } from "./processor-time.ts"

/** By what a Tollgate is observed. */
export type Observation =
  | "nothing"
  | "nothing, again"
  | "metrics and request lines"
  | "a tenth traced"
  | "all traced"
  | "all of it"

export type ObservationCost = ComparedCost<Observation>

/** What it costs to be observed: Tollgates with and without, side by side. */
export async function measureObservation(effort: Effort): Promise<readonly ObservationCost[]> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream(0))
  // A collector that takes everything.
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
  const variants: readonly (readonly [Observation, string])[] = [
    ["nothing", ""],
    // Two processes of the same differ as well: so much of the others' difference says nothing.
    ["nothing, again", ""],
    ["metrics and request lines", lines],
    ["a tenth traced", traces(0.1, "off")],
    ["all traced", traces(1, "off")],
    ["all of it", lines + traces(1, "10s")],
  ]
  const running: (Running & { readonly name: Observation })[] = []
  for (const [name, settings] of variants) {
    const prepared = stack.use(await prepareTollgate(upstream, settings))
    const one = stack.use(await prepared.start())
    await checkAnswers(one)
    running.push({ ...one, name })
  }
  const blocks = await takeTurns(running, {
    callers: CHAT_CALLERS,
    rounds: effort.chatRounds,
    block: effort.chatBlock,
    warmUp: effort.warmUp,
    body: ({ model }) => chatBody(model("echo"), ANSWER_TOKENS, false),
  })
  const names = running.map(({ name }) => name)
  return comparedTo("nothing", names, blocks)
}
