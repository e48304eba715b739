import type { WireFault } from "../../simulator/wire-faults/fault.ts"
import { chargeOf, type Evidence } from "../oracle/evidence.ts"
import { judgeLedger } from "../oracle/judge-ledger.ts"
import type { LedgerView } from "../oracle/ledger-view.ts"
import type { ChaosCall } from "./calls.ts"
import type { Round } from "./chaos.ts"
import { TIMEOUTS, VENDOR_NAMES } from "./world.ts"

/** The laws that every response must obey. */
export const LAWS = [
  "with a deployment that works, no caller sees an error before the first content",
  "an answer that breaks after its first content contains one error, and no client accepts it as whole",
  "if no deployment works, the caller receives an error",
  "all is answered within the deadline",
  "an answer that a client accepts as whole matches the request, and its usage is charged once",
  "a rejected request is not charged, and a partial answer costs at most the whole one",
  "callers of a vendor that works are not kept waiting",
  "an outage is not multiplied",
  "the ledger adds up, and nothing is left behind",
] as const

export type Law = (typeof LAWS)[number]

/** A violation of a law. */
export interface ChaosFinding {
  readonly law: Law
  readonly fault: string
  readonly round?: Round
  readonly call?: ChaosCall
}

/** Number of checks of each law, and the violations. */
export interface Verdict {
  readonly tried: ReadonlyMap<Law, number>
  readonly findings: readonly ChaosFinding[]
}

export interface ChaosEvidence {
  /** The rounds. The first has no faults and determines the expected responses and charges of all others. */
  readonly rounds: readonly Round[]
  /** The warm-up round before the first round. */
  readonly warm: Round
  readonly outage: Round
  readonly ledger: LedgerView
  readonly nodes: number
  readonly watchesInnocents: boolean
}

/** Maximum delay in milliseconds of a response after its deadline. Deadlines are checked every tenth of a second. */
const LEEWAY = 1_000
/**
 * Maximum additional wait in milliseconds of a caller of a working vendor, compared with the round without faults, at
 * the 99th percentile.
 */
const INNOCENT_LIMIT = 500
/**
 * Number of requests that a deployment may receive in addition to those that callers send: ten retries, ten concurrent
 * requests although the deployment is cooling down, and requests that run before the failure is detected.
 */
const SPARE = 10 + 10 + 20
/** Formats in which a repeated frame can be detected. The frame is then skipped, or the stream fails. */
const TELLS_REPETITION: ReadonlySet<string> = new Set([
  "openai-responses",
  "anthropic",
  "bedrock",
  "cohere",
])
/** Number of probes per second that check whether a deployment works again. */
const PROBES_PER_SECOND = 10

export function judgeChaos(evidence: ChaosEvidence): Verdict {
  return new Judge(evidence).verdict()
}

class Judge {
  readonly #evidence: ChaosEvidence
  readonly #tried = new Map<Law, number>(LAWS.map((law) => [law, 0]))
  readonly #findings: ChaosFinding[] = []
  /** The result and the charge of each client and model in the round without faults. */
  readonly #calm = new Map<
    string,
    { readonly got: string | undefined; readonly charge: bigint | null }
  >()

  constructor(evidence: ChaosEvidence) {
    this.#evidence = evidence
    for (const { plan, got, requestId } of evidence.rounds[0]?.calls ?? []) {
      const charge = chargeOf(evidence.ledger, requestId ?? "")
      this.#calm.set(keyOf(plan), { got, charge })
    }
  }

  verdict(): Verdict {
    const { rounds, outage } = this.#evidence
    for (const round of [...rounds, outage]) {
      for (const call of round.calls) this.#judgeCall(round, call)
      this.#judgeInnocents(round)
    }
    this.#judgeOutage(outage)
    this.#judgeLedger()
    return { tried: this.#tried, findings: this.#findings }
  }

  #check(
    law: Law,
    isKept: boolean,
    fault: () => string,
    more: Omit<ChaosFinding, "law" | "fault"> = {},
  ): void {
    this.#tried.set(law, (this.#tried.get(law) ?? 0) + 1)
    if (!isKept) this.#findings.push({ law, fault: fault(), ...more })
  }

  #judgeCall(round: Round, call: ChaosCall): void {
    const more = { round, call }
    const { plan, got, status, raw, duration } = call
    const effect = effectOn(round.fault, call)
    const hasHealthy = round.vendorNames.length < VENDOR_NAMES.length || effect === "none"
    const isPart = got === undefined && status === 200
    const hasContent = isPart && contentOf(call)
    if (hasHealthy) {
      const isExcused =
        (effect === "midway" && hasContent && plan.client.isStreamed) || isOverloaded(raw)
      this.#check(LAWS[0], got !== undefined || isExcused, () => `${status} ${call.thrown}`, more)
    } else if (got === undefined && status !== 200) {
      this.#check(LAWS[2], status >= 400 && isClear(raw), () => `${status} ${raw}`, more)
    }
    if (isPart && plan.client.operation === "chat") {
      const errors = errorEvents(plan.client.name, raw)
      this.#check(LAWS[1], errors === 1, () => `the stream contains ${errors} errors`, more)
    }
    const limit = TIMEOUTS.total + LEEWAY
    this.#check(LAWS[3], duration < limit, () => `it took ${Math.round(duration)} ms`, more)
    if (got === undefined) this.#judgeLost(more)
    else this.#judgeWhole(got, more)
  }

  #judgeWhole(got: string, more: { readonly round: Round; readonly call: ChaosCall }): void {
    const { plan, requestId } = more.call
    const calm = this.#calm.get(keyOf(plan))
    const wanted = plan.client.operation === "chat" ? plan.text : calm?.got
    // Repeated content is accepted if the format cannot detect repetitions. For speech, other content is accepted too
    // if the message is correct.
    const { fault } = more.round
    const isRepeated =
      (fault?.name === "frames twice" && !TELLS_REPETITION.has(plan.model.upstream)) ||
      (fault?.isSoundMessage === true && plan.client.operation === "speech")
    this.#check(LAWS[4], got === wanted || isRepeated, () => `it got '${got.slice(0, 300)}'`, more)
    const charge = chargeOf(this.#evidence.ledger, requestId ?? "")
    this.#check(
      LAWS[4],
      charge !== null && (charge === calm?.charge || isRepeated),
      () => `it cost ${charge}, and ${calm?.charge} while all was well`,
      more,
    )
  }

  #judgeLost(more: { readonly round: Round; readonly call: ChaosCall }): void {
    const { plan, requestId, status } = more.call
    const charge = chargeOf(this.#evidence.ledger, requestId ?? "")
    const most = status === 200 ? (this.#calm.get(keyOf(plan))?.charge ?? 0n) : 0n
    // If the vendor has not counted a partial response, its cost is estimated. The input is then estimated from its
    // length.
    const bound = more.round.fault?.name === "frames twice" || status === 200 ? most * 3n : most
    this.#check(LAWS[5], (charge ?? 0n) <= bound, () => `it was charged ${charge} of ${most}`, more)
  }

  #judgeInnocents(round: Round): void {
    const { times, directTimes, failures } = round.innocents
    const calm = this.#evidence.rounds[0]?.innocents
    // The clients of a round use the same machine, whether or not vendors work. Therefore the round without faults is
    // the reference.
    const usual = calm ? percentile(calm.times, 0.99) : 0
    const slow = percentile(times, 0.99) - Math.max(usual, percentile(directTimes, 0.99))
    this.#check(LAWS[6], failures.length === 0, () => `they got ${failures[0]}`, { round })
    if (!this.#evidence.watchesInnocents) return
    this.#check(
      LAWS[6],
      slow < INNOCENT_LIMIT,
      () => `p99 is ${Math.round(slow)} ms longer than while all was well`,
      { round },
    )
  }

  #judgeOutage(outage: Round): void {
    const { nodes } = this.#evidence
    const seconds = Math.max(...outage.calls.map(({ duration }) => duration)) / 1_000
    const spare = SPARE + PROBES_PER_SECOND * seconds
    const most = outage.calls.length + nodes * VENDOR_NAMES.length * spare
    const { vendorRequests } = outage
    this.#check(
      LAWS[7],
      vendorRequests <= most,
      () => `${outage.calls.length} requests became ${vendorRequests}`,
      { round: outage },
    )
  }

  #judgeLedger(): void {
    const { ledger, warm, rounds, outage } = this.#evidence
    const evidence: Evidence = { calls: [], grants: [], vendorCalls: () => [], ledger }
    const faults = judgeLedger(evidence).map(({ fault }) => fault)
    const calls = [warm, ...rounds, outage].flatMap((round) => round.calls)
    const known = new Set(calls.map(({ requestId }) => requestId))
    const account = ledger.accounts.find(({ name }) => name === "callers")?.id
    const unknown = ledger.entries.filter(
      ({ kind, request, account: payer }) =>
        kind === "charge" && payer === account && !known.has(request),
    )
    // If a response has no response headers, the caller does not receive its request id.
    const lost = calls.filter(({ requestId }) => requestId === null).length
    if (unknown.length > lost) faults.push(`${unknown.length} charges are for no call`)
    this.#check(LAWS[8], faults.length === 0, () => faults.join("; "))
  }
}

function keyOf({ client, model }: ChaosCall["plan"]): string {
  return `${client.name} ${model.id}`
}

/**
 * Returns the effect of a fault on a call. It depends on the format, because first frames have different content and
 * only streams can break midway.
 */
function effectOn(fault: WireFault | undefined, { plan }: ChaosCall): WireFault["effect"] {
  if (!fault) return "none"
  if (fault.isSoundMessage && plan.client.operation === "speech") return "midway"
  const isContentFirst = plan.model.upstream === "gemini" && fault.name.endsWith("first frame")
  return isContentFirst ? "midway" : fault.effect
}

/** Whether any content of the response arrived. */
function contentOf({ plan, raw }: ChaosCall): boolean {
  return plan.client.operation === "chat" ? raw.includes("alph") : raw.length > 0
}

function errorEvents(client: string, raw: string): number {
  const told = /anthropic/.test(client)
    ? /^event: error$/gm
    : /responses/.test(client)
      ? /^event: error$/gm
      : /^data: \{"error"/gm
  return raw.match(told)?.length ?? 0
}

/**
 * Whether a request was rejected because memory was short. Another deployment would not help
 * (docs/contribute/decisions/0020-memory-budget.md).
 */
function isOverloaded(raw: string): boolean {
  return raw.includes('"error_type":"overloaded"')
}

/** Whether an error contains a message for people, as every dialect requires. */
function isClear(raw: string): boolean {
  return /"message":"[^"]{20,}/.test(raw)
}

/**
 * Returns a percentile of the times.
 * @param share from 0 to 1.
 */
export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
