import type { CallRecord } from "./calls.ts"
import { costOf } from "./oracle/costs.ts"
import { chargeOf, type Finding, requestIdsOf } from "./oracle/evidence.ts"
import type { TortureOptions, TortureResult } from "./torture.ts"

/** Maximum number of findings that are reported in detail. */
const MAX_DETAILED_FINDINGS = 20

/** Returns the calls and counts of a run as text. */
export function formatReport(options: TortureOptions, result: TortureResult): string {
  const { evidence, findings, faults, exitCodes, crashes } = result
  const { ledger, grants } = evidence
  const charges = ledger.entries.filter(({ kind }) => kind === "charge")
  return [
    `${options.engine.name}, ${options.nodes} nodes, ${options.callers} callers, ${options.seconds} s of faults, seed ${options.seed}`,
    "",
    "faults",
    ...counted(faults.entries),
    `  ${crashes} times a node ended by itself, and was started again`,
    "",
    "requests by outcome",
    ...counted(countOutcomes(evidence.calls)),
    `  ${count(evidence.calls, (call) => call.repeat !== undefined)} answers were asked for again at the end`,
    `  ${result.vendorRequests} requests reached the vendor`,
    `  ${secondsWithoutService(evidence.calls, options.seconds)} of ${options.seconds} s in which no request was answered`,
    "",
    "the money, nanocredits",
    ...moneyLines(result),
    "",
    "the ledger",
    `  ${charges.length} charges, ${ledger.entries.length - charges.length} other entries, ${grants.length} asked for by the operator`,
    `  ${result.keyChanges} changes of keys`,
    `  ${ledger.writeOffs.length} write-offs: ${reasons(ledger.writeOffs)}`,
    `  exit codes at the end: ${exitCodes.join(", ")}`,
    "",
    findings.length === 0
      ? "nothing lost, doubled, below zero or left behind"
      : `${findings.length} FINDINGS; run again with --seed ${options.seed}`,
    ...findings.slice(0, MAX_DETAILED_FINDINGS).map((finding) => tell(finding, result)),
  ].join("\n")
}

/** Compares the vendor's count of the responses with the payments of callers. The operator loses the difference. */
function moneyLines({ evidence }: TortureResult): string[] {
  const { calls, ledger, vendorCalls } = evidence
  const exact = calls.filter(({ plan }) => plan.model.isExact && plan.endpoint !== "embeddings")
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)
  const counted = exact
    .flatMap(({ plan }) => vendorCalls(plan.marker))
    .map(({ usage }) => (usage ? costOf(usage) : 0n))
  const charges = ledger.entries.filter(({ kind }) => kind === "charge")
  const parts = calls.flatMap(({ tries }) => tries.filter(({ outcome }) => outcome === "part"))
  const free = parts.filter(({ requestId }) => chargeOf(ledger, requestId ?? "") === null)
  return [
    `  ${sum(charges.map(({ amount }) => -amount))} charged`,
    `  ${sum(counted)} counted by the vendor for answers it began, of models that count rightly`,
    `  ${parts.length} partial answers, ${free.length} of them not charged`,
  ]
}

function counted(entries: readonly (readonly [string, number])[]): string[] {
  return entries
    .toSorted(([left], [right]) => left.localeCompare(right))
    .map(([name, times]) => `  ${String(times).padStart(6)}  ${name}`)
}

function count<T>(all: readonly T[], isOne: (one: T) => boolean): number {
  return all.filter((one) => isOne(one)).length
}

function countOutcomes(calls: readonly CallRecord[]): (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { outcome, status, isReplayed, detail } of calls.flatMap(({ tries }) => tries)) {
    const kind = /"error_type":"(\w+)"/.exec(detail)?.[1] ?? ""
    const name = outcome === "rejected" ? `rejected ${status} ${kind}` : outcome
    const full = isReplayed ? `${name}, replayed` : name
    counts.set(full, (counts.get(full) ?? 0) + 1)
  }
  return [...counts]
}

/** Returns the seconds with faults in which no request received a 200 or a rejection that was the caller's fault. */
function secondsWithoutService(calls: readonly CallRecord[], seconds: number): number {
  const served = new Set<number>()
  for (const { ended, status } of calls.flatMap(({ tries }) => tries)) {
    const second = Math.floor(ended / 1_000)
    if (status > 0 && status < 500 && second < seconds) served.add(second)
  }
  return seconds - served.size
}

function reasons(writeOffs: readonly { readonly reason: string }[]): string {
  const counts = new Map<string, number>()
  for (const { reason } of writeOffs) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, times]) => `${times} ${reason}`).join(", ") || "none"
}

/** Describes a finding, with all known facts about the call. */
function tell({ fault, call }: Finding, { evidence }: TortureResult): string {
  if (!call) return `- ${fault}`
  const { key, ...plan } = call.plan
  const charges = [...requestIdsOf(call)].map((id) => `${id}: ${chargeOf(evidence.ledger, id)}`)
  const story = {
    plan: { ...plan, key: key.id, account: key.account },
    tries: call.tries,
    repeat: call.repeat,
    vendor: evidence.vendorCalls(plan.marker),
    charges,
  }
  return `- ${fault}\n  ${JSON.stringify(story, null, 1).replaceAll(/\s*\n\s*/g, " ")}`
}
