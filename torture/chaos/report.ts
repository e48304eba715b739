import type { ChaosOptions, ChaosResult, Round } from "./chaos.ts"
import { type ChaosFinding, LAWS, percentile } from "./judge.ts"

/** Maximum number of findings that are reported in detail. */
const MAX_DETAILED_FINDINGS = 30
/** Maximum number of characters of a body or a message in a detailed finding. */
const MAX_DETAIL_CHARACTERS = 600

/** Returns the calls and counts of a run as text. */
export function formatChaos(options: ChaosOptions, result: ChaosResult): string {
  const { evidence, verdict, exitCodes, crashes } = result
  const { rounds, outage } = evidence
  const { tried, findings } = verdict
  const calls = rounds.flatMap((round) => round.calls)
  const durations = calls.map(({ duration }) => duration)
  const innocents = rounds.flatMap(({ innocents }) => innocents.times)
  const slowest = rounds.toSorted((left, right) => slow(right) - slow(left)).slice(0, 3)
  return [
    `${options.engine.name}, ${options.nodes} nodes, ${rounds.length} rounds, seed ${options.seed}`,
    "",
    "results of callers",
    `  ${count(calls, ({ got }) => got !== undefined)} whole answers`,
    `  ${count(calls, ({ got, status }) => got === undefined && status === 200)} parts of answers`,
    `  ${count(calls, ({ got, status }) => got === undefined && status !== 200)} errors`,
    `  ${line(durations)}`,
    "results of callers of another vendor meanwhile",
    `  ${innocents.length} answers, ${line(innocents)}`,
    `  without the gateway ${line(rounds.flatMap((round) => round.innocents.directTimes))}`,
    ...slowest.map((round) => `  ${Math.round(slow(round))} ms more during '${nameOf(round)}'`),
    "an outage of all three deployments",
    `  ${outage.calls.length} requests of callers became ${outage.vendorRequests} to vendors`,
    "",
    "laws, and how often they were tried",
    ...LAWS.map((law) => `  ${String(tried.get(law)).padStart(6)}  ${law}`),
    `  exit codes at the end: ${exitCodes.join(", ")}; ${crashes} times a node ended by itself`,
    "",
    findings.length === 0
      ? "no law was broken"
      : `${findings.length} FINDINGS; run again with --seed ${options.seed}`,
    ...byKind(findings),
    ...findings.slice(0, MAX_DETAILED_FINDINGS).map((finding) => tell(finding)),
  ].join("\n")
}

function count<T>(all: readonly T[], isOne: (one: T) => boolean): number {
  return all.filter((one) => isOne(one)).length
}

function line(times: readonly number[]): string {
  const at = (share: number): number => Math.round(percentile(times, share))
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, the slowest ${at(1)} ms`
}

function slow({ innocents }: Round): number {
  return percentile(innocents.times, 0.99) - percentile(innocents.directTimes, 0.99)
}

function nameOf({ fault, vendorNames }: Round): string {
  return `${fault?.name ?? "calm"}' at '${vendorNames.join(", ")}`
}

/** Returns the number of violations of each law by each fault. */
function byKind(findings: readonly ChaosFinding[]): string[] {
  const kinds = new Map<string, number>()
  for (const { law, round } of findings) {
    const kind = `${law}: ${round ? nameOf(round) : ""}`
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  return [...kinds].map(([kind, times]) => `  ${String(times).padStart(6)}  ${kind}`)
}

function tell({ law, fault, round, call }: ChaosFinding): string {
  const story = call && {
    client: call.plan.client.name,
    model: call.plan.model.id,
    node: call.node,
    request: call.requestId,
    duration: Math.round(call.duration),
    status: call.status,
    thrown: short(call.thrown),
    raw: short(call.raw),
  }
  return `- ${law}: '${round ? nameOf(round) : ""}': ${short(fault)}\n  ${JSON.stringify(story)}`
}

function short(text: string): string {
  return text.length > MAX_DETAIL_CHARACTERS
    ? `${text.slice(0, MAX_DETAIL_CHARACTERS / 2)} ... ${text.slice(-MAX_DETAIL_CHARACTERS / 2)}`
    : text
}
