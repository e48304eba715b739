import type { WireFault } from "../../simulator/wire-faults/fault.ts"
import { WIRE_FAULTS } from "../../simulator/wire-faults/wire-faults.ts"
import { OFFICIAL_CLIENTS } from "../../test/chaos/official-clients.ts"
import type { TortureEngine } from "../engines.ts"
import { readLedger } from "../oracle/ledger-view.ts"
import { Random } from "../random.ts"
import { ask, type ChaosCall, type ChaosPlan } from "./calls.ts"
import type { FromThread } from "./innocents-thread.ts"
import { type ChaosEvidence, judgeChaos, type Verdict } from "./judge.ts"
import { buildChaos, type ChaosWorld, modelsOf, type VendorName, VENDOR_NAMES } from "./world.ts"

export interface ChaosOptions {
  readonly engine: TortureEngine
  readonly seed: number
  readonly nodes: number
  /** Number of calls of each client in a round. With 0.5, every second client makes one call. */
  readonly share: number
  /** The numbers of broken deployments to test, each from 1 to 3. */
  readonly broken: readonly number[]
  /** Whether to check that callers of a working vendor are not delayed. A busy machine would delay them by itself. */
  readonly watchesInnocents: boolean
  /** If set, only faults whose name contains this text are played. */
  readonly only?: string | undefined
  /** Plays every n-th fault; all of them if absent. */
  readonly step?: number
}

/** One fault at one, two or all three deployments, and the results of the callers. */
export interface Round {
  /** The fault; undefined if all deployments work. */
  readonly fault: WireFault | undefined
  readonly vendorNames: readonly VendorName[]
  readonly calls: readonly ChaosCall[]
  /** Number of requests that reached the vendors. */
  readonly vendorRequests: number
  readonly innocents: FromThread
}

export interface ChaosResult {
  readonly evidence: ChaosEvidence
  readonly verdict: Verdict
  /** Exit codes of the nodes. `crashes` is the number of times that a node ended unexpectedly. */
  readonly exitCodes: readonly number[]
  readonly crashes: number
  readonly logs: readonly string[]
}

/**
 * Plans for a round without faults: each client with each model. The round determines the expected responses and
 * charges.
 */
const ALL_PAIRS = OFFICIAL_CLIENTS.flatMap((client) =>
  modelsOf(client.operation).map((model) => ({ client, model })),
)
/** Number of requests during the outage. */
const OUTAGE_CALLS = 200

/**
 * Plays each fault at one, two and all three deployments of each model while official clients call them, and judges the
 * results.
 */
export async function chaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = new Random(options.seed)
  await using world = await buildChaos(options)
  const player = new Player(world, random)
  // Everything that is loaded on first use is loaded before the first round, where it would delay callers.
  const warm = await player.play(undefined, 0, options.watchesInnocents ? ALL_PAIRS : [])
  const rounds = [await player.play(undefined, 0, ALL_PAIRS)]
  const { only = "", step = 1 } = options
  const faults = WIRE_FAULTS.filter(({ name }, index) => name.includes(only) && index % step === 0)
  for (const fault of faults) {
    for (const broken of options.broken) {
      const pairs = OFFICIAL_CLIENTS.filter(() => random.chance(options.share)).map((client) => ({
        client,
        model: random.pick(modelsOf(client.operation)),
      }))
      rounds.push(await player.play(fault, broken, pairs))
    }
  }
  const outage = await player.playOutage()
  await world.innocents.stop()
  const exitCodes = await Promise.all(world.nodes.map((node) => node.stop()))
  const calls = [warm, ...rounds, outage].flatMap((round) => round.calls)
  await using reader = await world.database.openReader(world.installation)
  const known = new Set(calls.flatMap(({ requestId }) => requestId ?? []))
  const ledger = await readLedger(reader, known)
  const { nodes, watchesInnocents } = options
  const evidence = { warm, rounds, outage, ledger, nodes, watchesInnocents }
  return {
    evidence,
    verdict: judgeChaos(evidence),
    exitCodes,
    crashes: world.nodes.reduce((sum, { crashes }) => sum + crashes, 0),
    logs: world.nodes.map(({ log }) => log),
  }
}

class Player {
  readonly #world: ChaosWorld
  readonly #random: Random
  #asked = 0

  constructor(world: ChaosWorld, random: Random) {
    this.#world = world
    this.#random = random
  }

  /** All pairs of client and model call at the same time. */
  async play(
    fault: WireFault | undefined,
    broken: number,
    pairs: readonly Omit<ChaosPlan, "text">[],
  ): Promise<Round> {
    const { vendors, innocents } = this.#world
    const vendorNames = this.#some(broken)
    await innocents.take()
    const before = this.#vendorRequests
    await Promise.all(
      VENDOR_NAMES.map((vendorName) =>
        vendors[vendorName].misbehave(vendorNames.includes(vendorName) ? fault : undefined),
      ),
    )
    const calls = await Promise.all(pairs.map((pair) => this.#ask(pair)))
    const vendorRequests = this.#vendorRequests - before
    return { fault, vendorNames, calls, vendorRequests, innocents: await innocents.take() }
  }

  /** Plays an outage with many callers. The vendors must not receive many more requests than the callers send. */
  async playOutage(): Promise<Round> {
    const [client] = OFFICIAL_CLIENTS
    const [model] = modelsOf("chat")
    const fault = WIRE_FAULTS.find(({ name }) => name === "status 500")
    if (!client || !model || !fault) throw new Error("there is nothing to ask")
    const pairs = Array.from({ length: OUTAGE_CALLS }, () => ({ client, model }))
    return this.play(fault, VENDOR_NAMES.length, pairs)
  }

  get #vendorRequests(): number {
    const { vendors } = this.#world
    return VENDOR_NAMES.reduce((sum, vendorName) => sum + vendors[vendorName].requests, 0)
  }

  #some(count: number): VendorName[] {
    const left: VendorName[] = [...VENDOR_NAMES]
    while (left.length > count) left.splice(this.#random.between(0, left.length - 1), 1)
    return left
  }

  #ask(pair: Omit<ChaosPlan, "text">): Promise<ChaosCall> {
    const { nodes, key } = this.#world
    const number = String(100_000 + this.#asked++)
    const text = `alpha beta gamma delta epsilon zeta eta theta iota kappa ${number}`
    return ask({ ...pair, text }, this.#random.pick(nodes), key)
  }
}
