import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  chaos,
  type ChaosOptions,
  type ChaosResult,
  type Round,
} from "../../torture/chaos/chaos.ts"
import { type ChaosEvidence, judgeChaos, LAWS } from "../../torture/chaos/judge.ts"
import { formatChaos } from "../../torture/chaos/report.ts"
import { SQLITE } from "../../torture/engines.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"

/**
 * In each round, one of six clients sends a request. Two of three deployments break, so one deployment always works.
 */
const OPTIONS: ChaosOptions = {
  engine: SQLITE,
  seed: 61,
  nodes: 1,
  share: 1 / 6,
  broken: [2],
  step: IS_EXHAUSTIVE ? 1 : 4,
  // On a machine with other work, every caller may have to wait.
  watchesInnocents: false,
}

describe("a short chaos run", () => {
  let result: ChaosResult

  beforeAll(async () => {
    result = await chaos(OPTIONS)
  })

  afterAll(() => {
    if (result.verdict.findings.length > 0) console.error(formatChaos(OPTIONS, result))
  })

  test("violates no invariant despite misbehaving vendors", () => {
    expect(result.verdict.findings).toEqual([])
    expect(result.exitCodes).toEqual([0])
    expect(result.crashes).toBe(0)
  })

  const mutations: readonly [string, (evidence: ChaosEvidence) => ChaosEvidence, string][] = [
    ["an error although one deployment works", withError, LAWS[0]],
    ["a broken stream with two errors", withTwoErrors, LAWS[1]],
    ["a late answer", withDuration, LAWS[3]],
    ["an incomplete answer treated as whole", withHalf, LAWS[4]],
    ["a whole answer that was not charged", withoutCharges, LAWS[4]],
    ["a charged rejection", withChargedError, LAWS[5]],
    ["an amplified outage", withCalls, LAWS[7]],
    ["a charge without a call", withUnknownCharge, LAWS[8]],
  ]

  test.each(mutations)("detects %s", (_, mutate, law) => {
    const { findings } = judgeChaos(mutate(result.evidence))
    expect(findings.map((finding) => finding.law)).toContain(law as (typeof LAWS)[number])
  })
})

type Call = Round["calls"][number]

/** Changes all calls of the rounds with faults. */
function withRounds(evidence: ChaosEvidence, change: (call: Call) => Call): ChaosEvidence {
  const rounds = evidence.rounds.map((round) =>
    round.fault === undefined ? round : { ...round, calls: round.calls.map(change) },
  )
  return { ...evidence, rounds }
}

function withError(evidence: ChaosEvidence): ChaosEvidence {
  return withRounds(evidence, (call) => ({ ...call, got: undefined, status: 502 }))
}

function withTwoErrors(evidence: ChaosEvidence): ChaosEvidence {
  const raw = 'data: {"error":{}}\n\nevent: error\ndata: {"error":{}}\n\nevent: error\n'
  return withRounds(evidence, (call) => ({ ...call, got: undefined, status: 200, raw }))
}

function withDuration(evidence: ChaosEvidence): ChaosEvidence {
  return withRounds(evidence, (call) => ({ ...call, duration: 60_000 }))
}

function withHalf(evidence: ChaosEvidence): ChaosEvidence {
  return withRounds(evidence, (call) => ({ ...call, got: call.got?.slice(0, 10) }))
}

function withoutCharges(evidence: ChaosEvidence): ChaosEvidence {
  return withRounds(evidence, (call) => ({ ...call, requestId: "req_unknown" }))
}

function withChargedError(evidence: ChaosEvidence): ChaosEvidence {
  return withRounds(evidence, (call) => ({ ...call, got: undefined, status: 502 }))
}

function withCalls(evidence: ChaosEvidence): ChaosEvidence {
  const { outage } = evidence
  return { ...evidence, outage: { ...outage, vendorRequests: 3 * outage.calls.length + 1_000 } }
}

function withUnknownCharge(evidence: ChaosEvidence): ChaosEvidence {
  return { ...evidence, rounds: evidence.rounds.slice(0, 1) }
}
